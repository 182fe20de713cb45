"""Answers are read by the form of the schema they were asked for with, exactly as edits are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Forbidden, Invalid, NotFound
from console.forms.edits import Edit
from console.services import decide, editing
from console.services.deps import Deps
from console.services.views import ReviewView
from tests.services.questions import ASKING, asking_deps
from tests.services.world import World, call

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "how_much": {"type": "number", "maximum": 100},
        "to": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "required": ["how_much"],
    "additionalProperties": False,
}
Ask = Callable[[dict[str, Any] | None], tuple[World, ReviewView]]


@pytest.fixture
def ask(folder: Path, worlds: Callable[[Deps, str], World]) -> Iterator[Ask]:
    with ExitStack() as stack:

        def made(schema: dict[str, Any] | None) -> tuple[World, ReviewView]:
            world = worlds(asking_deps(folder, schema), ASKING)
            stack.enter_context(world.worker())
            return world, world.pause("What now?")

        yield made


def answer(world: World, review: ReviewView, given: Any) -> None:
    said = {"version": review.version, "digest": review.digest, "answer": given}
    decide.decide(world.deps, world.cast["sam"], review.id, **said)


def test_an_answer_is_made_in_the_form_and_reaches_the_agent(ask: Ask) -> None:
    world, review = ask(SCHEMA)
    form = editing.answer_form_of(world.deps, world.cast["sam"], review.id)
    assert (form.schema_origin, form.tree.kind, form.tree.state) == ("from the request", "object", "missing")
    assert form.errors
    form = form.apply(Edit("add")).apply(Edit("set", "/how_much", "12.50")).apply(Edit("add", "/to"))
    form = form.apply(Edit("set", "/to/0/name", "Sue"))
    assert form.errors == []
    answer(world, review, form.args)
    world.wait_settled(review.id)
    assert world.last_words(review.thread_id) == f"heard {form.args!r}"
    assert form.args == {"how_much": 12.5, "to": [{"name": "Sue"}]}


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, ""),
        (None, ""),
        ("yes", ""),
        ({"how_much": 101}, "/how_much"),
        ({"how_much": True}, "/how_much"),
        ({"how_much": 1, "who": "x"}, "/who"),
        ({"how_much": 1, "to": [{"name": 5}]}, "/to/0/name"),
        ({"how_much": -(2**64)}, "/how_much"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_pointer(ask: Ask, given: Any, pointer: str) -> None:
    world, review = ask(SCHEMA)
    with pytest.raises(Invalid) as refused:
        answer(world, review, given)
    found = [each.pointer for each in refused.value.problems]
    assert f"/answer{pointer}" in found or f"/answer{pointer}/how_much" in found
    form = editing.answer_form_of(world.deps, world.cast["sam"], review.id)
    assert [f"/answer{each.pointer}" for each in form.holding(given).errors] == found
    assert world.review(review.id).status == "open"


@pytest.mark.parametrize("given", [False, 0, "", [], {}, None, {"$type": 1}, {"a" * 32: 1}, 0.1, 2**63])
def test_without_a_schema_any_json_is_an_answer(ask: Ask, given: Any) -> None:
    world, review = ask(None)
    assert editing.answer_form_of(world.deps, world.cast["sam"], review.id).schema_origin == ""
    answer(world, review, given)
    world.wait_settled(review.id)
    assert world.last_words(review.thread_id) == f"heard {given!r}"


@pytest.mark.parametrize(("given", "pointer"), [({"n": [2**64]}, "/answer/n/0"), (float("inf"), "/answer")])
def test_without_a_schema_a_number_that_cannot_be_kept_is_refused(ask: Ask, given: Any, pointer: str) -> None:
    world, review = ask(None)
    with pytest.raises(Invalid) as refused:
        answer(world, review, given)
    assert [each.pointer for each in refused.value.problems] == [pointer]


def test_a_schema_that_cannot_be_applied_lets_no_answer_pass(ask: Ask) -> None:
    world, review = ask({"type": "thing"})
    with pytest.raises(Invalid, match="broken"):
        answer(world, review, 1)
    form = editing.answer_form_of(world.deps, world.cast["sam"], review.id)
    assert [each.pointer for each in form.holding(1).errors] == [""]


def test_each_kind_of_review_has_its_own_form_and_only_for_who_decides(ask: Ask, idle: World) -> None:
    world, review = ask(SCHEMA)
    with pytest.raises(Invalid, match="no action 1"):
        editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    for by in ("quinn", "ada", "mallory"):
        with pytest.raises(Forbidden):
            editing.answer_form_of(world.deps, world.cast[by], review.id)
        with pytest.raises(Forbidden):
            editing.form_of(world.deps, world.cast[by], review.id, 0)
    with pytest.raises(NotFound):
        editing.answer_form_of(idle.deps, idle.cast["sam"], review.id)


def test_an_approval_takes_no_answer_and_has_as_many_forms_as_actions(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(["charge", {"amount": 1}], ["charge", {"amount": 2}]))
    sam = obeying.cast["sam"]
    amounts = [editing.form_of(obeying.deps, sam, review.id, at).value["amount"] for at in (0, 1)]
    assert amounts == [1, 2]
    for position in (-1, 2):
        with pytest.raises(Invalid, match="there is no action"):
            editing.form_of(obeying.deps, sam, review.id, position)
    with pytest.raises(Invalid, match="takes no answer"):
        editing.answer_form_of(obeying.deps, sam, review.id)
