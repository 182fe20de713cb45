"""Every refusal of a decision says what is wrong, at which action and at which place."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.errors import Problem
from console.domain.review import DECISIONS, Action
from console.domain.verdict import MAX_MESSAGE, in_words, read_decisions

ACTIONS = [
    Action(0, "get_order", "{}", "", DECISIONS, ""),
    Action(1, "refund_order", "{}", "", DECISIONS, ""),
]
APPROVE = {"type": "approve"}
NO_LIST = "decisions must be a list, one for each action, in order"
NO_TYPE = "type must be approve, edit, reject or respond"
NEEDS_MESSAGE = "respond needs a message: it becomes the tool's result"
HALF, NUL = "message holds half a character; type it again", "message holds a character that cannot be stored"


def edit(**edited: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": edited}


@pytest.mark.parametrize(
    ("raw", "message", "pointer"),
    [
        ("approve", "a decision is an object with a type", ""),
        (None, "a decision is an object with a type", ""),
        ([APPROVE], "a decision is an object with a type", ""),
        ({}, NO_TYPE, "/type"),
        ({"type": None}, NO_TYPE, "/type"),
        ({"type": ["approve"]}, NO_TYPE, "/type"),
        ({"type": "accept"}, NO_TYPE, "/type"),
        ({"type": "Approve"}, NO_TYPE, "/type"),
        ({**APPROVE, "args": {}}, "approve does not take 'args'", "/args"),
        ({**APPROVE, "message": "yes", "x": 1}, "approve does not take 'message'", "/message"),
        ({**APPROVE, "a/b~c": 1}, "approve does not take 'a/b~c'", "/a~1b~0c"),
        ({**APPROVE, "k" * 90: 1}, f"approve does not take {'k' * 80!r}", "/" + "k" * 80),
        ({**edit(name="refund_order", args={}), "message": ""}, "edit does not take 'message'", "/message"),
        ({"type": "reject", "edited_action": {}}, "reject does not take 'edited_action'", "/edited_action"),
        ({"type": "reject", "message": 1}, "message must be text", "/message"),
        ({"type": "respond", "message": ["a"]}, "message must be text", "/message"),
        ({"type": "respond"}, NEEDS_MESSAGE, "/message"),
        ({"type": "respond", "message": ""}, NEEDS_MESSAGE, "/message"),
        ({"type": "respond", "message": " \n\t"}, NEEDS_MESSAGE, "/message"),
        (
            {"type": "reject", "message": "x" * (MAX_MESSAGE + 1)},
            "message is longer than 10,000 characters",
            "/message",
        ),
        ({"type": "reject", "message": "a\ud800"}, HALF, "/message"),
        ({"type": "respond", "message": "a\x00b"}, NUL, "/message"),
        ({"type": "edit"}, "edit needs edited_action with name and args", "/edited_action"),
        (
            {"type": "edit", "edited_action": []},
            "edit needs edited_action with name and args",
            "/edited_action",
        ),
        (
            edit(name="refund_order", args={}, id="call_1"),
            "edited_action does not take 'id'",
            "/edited_action/id",
        ),
        (edit(args={}), "an edit cannot change the tool; it stays refund_order", "/edited_action/name"),
        (
            edit(name="get_order", args={}),
            "an edit cannot change the tool; it stays refund_order",
            "/edited_action/name",
        ),
        (edit(name="refund_order"), "args must be an object", "/edited_action/args"),
        (edit(name="refund_order", args=[]), "args must be an object", "/edited_action/args"),
        (edit(name="refund_order", args=None), "args must be an object", "/edited_action/args"),
    ],
)
def test_the_refusal_names_the_fault_and_its_place(raw: Any, message: str, pointer: str) -> None:
    decided, problems = read_decisions([APPROVE, raw], ACTIONS)
    assert problems == [Problem(message, position=1, pointer=f"/decisions/1{pointer}")]
    assert [each.position for each in decided] == [0]


@pytest.mark.parametrize(
    ("raw", "count", "message"),
    [
        (None, 1, NO_LIST),
        ({"0": APPROVE}, 1, NO_LIST),
        ("approve", 1, NO_LIST),
        ([], 1, "1 decision wanted, 0 given; one for each action, in order"),
        ([APPROVE], 2, "2 decisions wanted, 1 given; one for each action, in order"),
        ([APPROVE], 0, "0 decisions wanted, 1 given; one for each action, in order"),
        ([APPROVE] * 3, 2, "2 decisions wanted, 3 given; one for each action, in order"),
    ],
)
def test_a_list_of_another_length_is_refused_as_a_whole(raw: Any, count: int, message: str) -> None:
    assert read_decisions(raw, ACTIONS[:count]) == ([], [Problem(message, pointer="/decisions")])


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        (("edit", "reject"), "approve is not allowed here; allowed: edit, reject"),
        ((), "approve is not allowed here; allowed: nothing"),
    ],
)
def test_what_is_allowed_instead_is_said(allowed: tuple[str, ...], message: str) -> None:
    where = Action(0, "tool", "{}", "", allowed, "")
    assert read_decisions([APPROVE], [where]) == (
        [],
        [Problem(message, position=0, pointer="/decisions/0/type")],
    )


def test_the_longest_message_and_the_emptiest_edit_are_taken() -> None:
    longest = "x" * MAX_MESSAGE
    raw = [{"type": "respond", "message": longest}, edit(name="refund_order", args={})]
    decided, problems = read_decisions(raw, ACTIONS)
    assert problems == []
    assert [each.raw for each in decided] == raw
    assert [(each.message, each.args) for each in decided] == [(longest, None), ("", {})]


def test_the_place_is_the_actions_own_position() -> None:
    late = Action(7, "tool", "{}", "", DECISIONS, "")
    assert read_decisions([None], [late])[1][0].pointer == "/decisions/7"
    assert read_decisions([APPROVE], [late])[0][0].position == 7


def test_the_words_follow_the_order_of_the_choices_not_of_the_list() -> None:
    assert in_words(["respond", "reject", "edit", "approve"]) == "1 approve, 1 edit, 1 reject, 1 respond"
