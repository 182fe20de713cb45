"""A draft goes and comes back as it was, as far as it still fits, and is saved once for several changes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from console.domain.access import Actor, Role
from console.features.thread import drafting
from console.features.thread.drafting import Begun, Saver, put_back, words
from console.features.thread.open_forms import resumed
from console.forms.edits import Edit
from console.forms.form import open_form

SAM = Actor("id-sam", "sam", Role.SUPERVISOR)
ALLOWED = [("approve", "edit", "reject"), ("approve", "respond")]
BEGUN = Begun(
    {"0": "edit", "1": "approve"},
    {"1": "Yes"},
    {"0": '{"v": 1, "edits": []}', "answer": '{"v": 1, "edits": []}'},
    "a text",
    True,
)


def kept(version: int = 3, **other: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(BEGUN.as_draft())), "version": version, "saved_at": "", **other}


def test_a_draft_comes_back_as_it_was() -> None:
    assert put_back(kept(), ALLOWED, 3) == BEGUN
    assert words(kept(), 3) == ", put back"


def test_of_an_earlier_version_everything_comes_back_but_approvals() -> None:
    found = put_back(kept(2), ALLOWED, 3)
    assert found.choices == {"0": "edit"}
    assert (found.messages, found.steps) == (BEGUN.messages, BEGUN.steps)
    assert "earlier request" in words(kept(2), 3)


@pytest.mark.parametrize(
    "choices", [{"0": "respond"}, {"2": "approve"}, {"x": "edit"}, {"0": None}, {"0": ["edit"]}, ["edit"], 7]
)
def test_a_choice_that_is_not_offered_does_not_come_back(choices: Any) -> None:
    assert put_back(kept(choices=choices), ALLOWED, 3).choices == {}


@pytest.mark.parametrize("messages", [{"5": "x"}, {"0": 1}, {"0": "x" * 8_001}, "x"])
def test_words_that_could_not_be_typed_do_not_come_back(messages: Any) -> None:
    assert put_back(kept(messages=messages), ALLOWED, 3).messages == {}


def test_a_draft_of_another_format_is_none() -> None:
    assert put_back(kept(v=2), ALLOWED, 3) == Begun()


@pytest.mark.parametrize("draft", [None, [], {"edits": 1}, {"edits": [None, {"op": "x"}]}])
def test_steps_that_cannot_be_read_are_left_out(draft: Any) -> None:
    form = open_form({"a": 1}, {"type": "object"})
    assert resumed(form, draft).changes == []


def test_steps_that_fit_no_longer_are_left_out_and_the_others_taken() -> None:
    form = open_form({"a": 1, "b": 2}, {"type": "object"})
    steps = [Edit("set", "/gone/x", "5"), Edit("set", "/b", "7")]
    draft = {"v": 1, "edits": [each.as_json() for each in steps]}
    assert resumed(form, draft).args == {"a": 1, "b": 7}


async def test_of_several_changes_the_last_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[Any] = []
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def save(*args: Any) -> None:
        saved.append(args[-1])
        loop.call_soon_threadsafe(done.set)

    monkeypatch.setattr(drafting, "PAUSE", 0.01)
    monkeypatch.setattr(drafting, "_save", save)
    saver = Saver()
    for text in ("a", "ab", "abc"):
        saver.later(None, SAM, "review", 1, Begun(answer=text))  # type: ignore[arg-type]
    await done.wait()
    assert [each.answer for each in saved] == ["abc"]


async def test_what_was_dropped_is_not_saved_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(drafting, "PAUSE", 0.0)
    monkeypatch.setattr(drafting, "_save", lambda *args: done.append("saved"))
    monkeypatch.setattr(drafting.drafts, "drop", lambda *args: done.append("dropped"))
    saver = Saver()
    saver.later(None, SAM, "review", 1, Begun())  # type: ignore[arg-type]
    await saver.drop(None, SAM, "review")  # type: ignore[arg-type]
    await asyncio.sleep(0.02)
    assert done == ["dropped"]
