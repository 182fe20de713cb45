"""The schema of an edit: the first that there is, said where from, and true to what the tool takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Invalid
from console.services import editing
from console.services.deps import Deps
from console.services.views import ReviewView
from tests.services.ordering import ARGS, MCP, ORDERING, heard, ordering
from tests.services.world import World, call, deps_over, edit, wait_for

OURS = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}, "required": ["n"]}
THEIRS = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 7}}}
Open = Callable[..., World]


@pytest.fixture
def opened(folder: Path, worlds: Callable[[Deps, str], World]) -> Iterator[Open]:
    """A world with a worker, over the agent of ordering.py."""
    with ExitStack() as stack:

        def make(**how: Any) -> World:
            world = worlds(deps_over(folder, {ORDERING: ordering(folder, **how)}), ORDERING)
            stack.enter_context(world.worker())
            return world

        yield make


@pytest.mark.parametrize(
    ("how", "said", "most"),
    [
        ({}, "from the tool", None),
        ({"gate": OURS}, "from the agent's gate", 5),
        ({"gate": OURS, "schemas": {"loose": THEIRS}}, "from the agent's gate", 5),
        ({"gate": OURS, "tells": True}, "from the request", 5),
        ({"schemas": {"loose": THEIRS}}, "from the configuration", 7),
        ({"mode": "per_call"}, "from the request", None),
        ({"mode": "per_call", "gate": OURS}, "from the request", None),
        ({"mode": "per_call", "schemas": {"loose": THEIRS}}, "from the configuration", 7),
    ],
)
def test_the_first_that_there_is_counts_and_is_what_edits_are_held_to(
    opened: Open, how: dict[str, Any], said: str, most: int | None
) -> None:
    world = opened(**how)
    review = world.pause(call(["loose", {"n": 1}]))
    action = review.actions[0]
    assert action.schema_origin == said
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    assert (form.schema_origin, form.schema.root) == (said, action.args_schema)
    if most is not None:
        with pytest.raises(Invalid) as refused:
            world.decide(review, edit("loose", n=most + 1))
        assert refused.value.problems[0].pointer == "/decisions/0/edited_action/args/n"
    world.decide(review, edit("loose", n=most or 9))
    world.wait_settled(review.id)
    assert heard(world.folder) == [{"n": most or 9}]


def test_the_form_is_the_one_that_was_opened_though_the_agent_changed(opened: Open) -> None:
    world = opened(schemas={"loose": THEIRS})
    review = world.pause(call(["loose", {"n": 1}]))
    world.deps.sources[ORDERING]._schemas._files = {"loose": OURS}  # type: ignore[attr-defined]
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    assert form.schema.root == review.actions[0].args_schema
    assert form.schema.root["properties"] == THEIRS["properties"]


def test_a_call_that_nobody_has_a_schema_for_is_inferred(idle: World) -> None:
    form = editing.form_of_texts('{"n": 1}', "", "")
    assert form.schema_origin == form.tree.note == "inferred from the arguments"
    assert editing.form_of_texts('{"n": 1}', "{}", "").schema_origin == ""


@pytest.mark.parametrize("mode", ["batched", "per_call"])
@pytest.mark.parametrize("args", [{"n": 1, "more": 2}, {"n": 1, "more": {"deep": [1]}}])
def test_a_tool_that_takes_more_is_given_more(opened: Open, mode: str, args: dict[str, Any]) -> None:
    world = opened(mode=mode)
    review = world.pause(call(["loose", {"n": 1}]))
    world.decide(review, edit("loose", **args))
    world.wait_settled(review.id)
    assert heard(world.folder) == [args]


@pytest.mark.parametrize("mode", ["batched", "per_call"])
@pytest.mark.parametrize(
    ("tool", "args", "wrong"),
    [
        ("hidden", {"n": 1, "more": 2}, "/more"),
        ("hidden", {"n": 1, "call": "x"}, "/call"),
        ("shut", {"q": "a", "more": 2}, "/more"),
    ],
)
def test_what_the_tool_would_drop_or_refuse_is_no_edit(
    opened: Open, mode: str, tool: str, args: dict[str, Any], wrong: str
) -> None:
    world = opened(mode=mode)
    review = world.pause(call([tool, {"n": 1} if tool == "hidden" else {"q": "a"}]))
    with pytest.raises(Invalid) as refused:
        world.decide(review, edit(tool, **args))
    assert [each.pointer for each in refused.value.problems] == [f"/decisions/0/edited_action/args{wrong}"]
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    assert [each.pointer for each in form.holding(args).errors] == [wrong]
    assert not form.tree.can_add_key


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_a_key_that_an_open_tool_is_given_is_only_noted(opened: Open, mode: str) -> None:
    world = opened(mode=mode)
    review = world.pause(call(["search", {"q": "a"}]))
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0).holding({"q": "a", "more": 2})
    assert form.errors == []
    assert [each.note for each in form.tree.children if each.key == "more"] == ["not in the schema"]
    assert form.tree.can_add_key
    world.decide(review, edit("search", q="a", more=2))
    world.wait_settled(review.id)
    assert heard(world.folder) == [{"q": "a", "more": 2}]


def test_a_schema_of_peoples_own_lets_pass_what_the_class_names_beside(opened: Open) -> None:
    """They wrote of one argument; the tool takes the others, and drops a third."""
    only = {"type": "object", "properties": {"amount": {"type": "string", "maxLength": 6}}}
    world = opened(schemas={"place": only})
    review = world.pause(call(["place", ARGS]))
    with pytest.raises(Invalid) as refused:
        world.decide(review, edit("place", **{**ARGS, "amount": "1234567", "order": 1}))
    found = sorted(each.pointer.rpartition("/")[2] for each in refused.value.problems)
    assert found == ["amount", "order"]
    world.decide(review, edit("place", **{**ARGS, "amount": "1.00"}))
    world.wait_settled(review.id)
    assert heard(world.folder)[0]["amount"] == "1.00"


EDITED = {
    **ARGS,
    "orderId": "A-2049",
    "amount": 12.5,
    "due": "2027-01-01",
    "speed": "fast",
    "lines": [{"sku": "y", "count": 9007199254740993}, {"sku": "new", "count": 3}],
    "pay": {"kind": "voucher", "codes": ["ABC"]},
    "gift": {"kind": "card", "last4": "0000"},
    "labels": {"k": 1, "other": -7},
}


def test_an_edit_reaches_a_class_of_every_kind_of_field(opened: Open) -> None:
    world = opened()
    review = world.pause(call(["place", ARGS]))
    world.decide(review, edit("place", **EDITED))
    world.wait_settled(review.id)
    assert heard(world.folder) == [
        {
            **{key: each for key, each in EDITED.items() if key != "orderId"},
            "order_id": "A-2049",
            "amount": "12.5",
            "speed": "Speed.FAST",
        }
    ]
    (journalled,) = world.journal(review.thread_id)
    settled = world.review(review.id)
    assert journalled[1] == settled.actions[0].final_args_text
    assert settled.actions[0].outcome == "ran"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"orderId": None}, "/orderId"),
        ({"order_id": "A"}, "/order_id"),
        ({"amount": True}, "/amount"),
        ({"speed": "warp"}, "/speed"),
        ({"lines": [{"sku": "x", "count": 0}]}, "/lines/0/count"),
        ({"lines": [{"sku": "x", "count": 1, "note": "?"}]}, "/lines/0/note"),
        ({"labels": {"k": 2**64}}, "/labels/k"),
        ({"labels": {"k": "1"}}, "/labels/k"),
    ],
)
def test_what_its_class_would_not_take_is_refused_at_its_pointer(
    opened: Open, change: dict[str, Any], pointer: str
) -> None:
    world = opened()
    review = world.pause(call(["place", ARGS]))
    with pytest.raises(Invalid) as refused:
        world.decide(review, edit("place", **{**ARGS, **change}))
    assert pointer in [
        each.pointer.removeprefix("/decisions/0/edited_action/args") for each in refused.value.problems
    ]
    assert world.review(review.id).status == "open"


def schema_of(review: ReviewView) -> dict[str, Any]:
    found = review.actions[0].args_schema
    assert found is not None
    return found


def test_titles_examples_and_aliases_of_the_class_are_kept(opened: Open) -> None:
    found = schema_of(opened().pause(call(["place", ARGS])))
    assert (found["title"], found["description"]) == ("place", "Place it.")
    assert found["properties"]["orderId"] == {
        "title": "Order number",
        "examples": ["A-2048"],
        "type": "string",
    }
    assert "orderId" in found["required"]


def test_what_is_injected_is_no_argument(opened: Open) -> None:
    assert list(schema_of(opened().pause(call(["hidden", {"n": 1}])))["properties"]) == ["n"]


def test_a_tool_by_json_schema_is_as_it_says(opened: Open) -> None:
    found = schema_of(opened().pause(call(["search", {"q": "a"}])))
    assert {**found, "description": ""} == {**MCP, "description": ""}


def test_arguments_that_do_not_fit_can_be_approved_and_are_mended_as_a_whole(opened: Open) -> None:
    """Agents do that. Whoever edits puts right everything; whoever approves takes it as it is."""
    world = opened()
    bad = {**ARGS, "speed": "warp", "tip": 1}
    review = world.pause(call(["place", bad]))
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    assert [each.pointer for each in form.errors] == ["/speed", "/tip"]
    with pytest.raises(Invalid) as refused:
        world.decide(review, edit("place", **{**bad, "amount": 1}))
    assert len(refused.value.problems) == 2
    world.decide(review, edit("place", **ARGS))
    world.wait_settled(review.id)
    other = world.pause(call(["place", bad]))
    world.decide(other, {"type": "approve"})
    world.wait_settled(other.id)
    assert len(heard(world.folder)) == 1


def test_keys_that_look_like_a_tag_reach_the_tool_as_they_are(opened: Open) -> None:
    world = opened()
    asked = {"q": "a", "filter": {"$type": "x", "$t": 1, "$top": [{"$t1": 2}]}}
    review = world.pause(call(["search", {"q": "a", "filter": {"$type": "x"}}]))
    form = editing.form_of(world.deps, world.cast["sam"], review.id, 0)
    assert form.value == {"q": "a", "filter": {"$type": "x"}}
    with pytest.raises(Invalid, match="JSON does not have"):
        world.decide(review, edit("search", **asked))
    given = {"q": "b", "filter": {"$type": "y", "$top": [{"$t1": 2}]}}
    world.decide(review, edit("search", **given))
    world.wait_settled(review.id)
    assert heard(world.folder) == [given]


def test_where_each_call_asks_an_edit_the_agent_itself_refuses_opens_the_review_again(opened: Open) -> None:
    """The file allows more than the tool does. Nothing ran, and the request waits as before."""
    world = opened(mode="per_call", schemas={"hidden": {"properties": {"n": {}}}})
    review = world.pause(call(["hidden", {"n": 1}]))
    world.decide(review, edit("hidden", n="many"))
    wait_for(lambda: world.kinds(review.id)[-1] == "reopened")
    now = world.review(review.id)
    assert (now.status, heard(world.folder)) == ("open", [])
    assert "n" in world.thread(review.thread_id).error
    world.decide(now, edit("hidden", n=2))
    world.wait_settled(review.id)
    assert heard(world.folder) == [{"n": 2}]
