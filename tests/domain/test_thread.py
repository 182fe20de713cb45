"""What a thread's messages say of its calls, and what a pause is made of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from console.domain.canonical import canonical, sha256
from console.domain.errors import (
    Conflict,
    ConsoleError,
    Forbidden,
    Invalid,
    Problem,
    TooMany,
    Unavailable,
    pointer_of,
)
from console.domain.review import Kind, Pause, Pending, ThreadStatus
from console.domain.thread import Message, Snapshot, ToolCall

FIRST, SECOND = ToolCall("call_1", "get_order", "{}"), ToolCall("call_2", "refund_order", "{}")


def asked(*calls: ToolCall) -> Message:
    return Message("m", "ai", "", tool_calls=calls)


def answered(call: ToolCall) -> Message:
    return Message("r", "tool", "done", tool_call_id=call.id)


@pytest.mark.parametrize(
    ("messages", "still_open"),
    [
        ((), []),
        ((Message("h", "human", "hello"),), []),
        ((asked(FIRST, SECOND),), [FIRST, SECOND]),
        ((asked(FIRST, SECOND), answered(SECOND)), [FIRST]),
        ((asked(FIRST), answered(FIRST)), []),
        ((asked(FIRST), answered(FIRST), asked(SECOND)), [SECOND]),
        ((asked(FIRST), Message("a", "ai", "a later word")), [FIRST]),
        # A result before the call answers an earlier one of the same id.
        ((asked(FIRST), answered(FIRST), asked(FIRST)), [FIRST]),
    ],
)
def test_a_call_is_open_until_its_result_follows(
    messages: tuple[Message, ...], still_open: list[ToolCall]
) -> None:
    assert Snapshot("c1", ThreadStatus.IDLE, messages).open_calls() == still_open


def test_the_last_turn_has_its_results_by_call() -> None:
    result = answered(FIRST)
    said = Message("a", "ai", "done")
    calls, results = Snapshot(
        "c1", ThreadStatus.IDLE, (asked(SECOND), asked(FIRST), result, said)
    ).last_turn()
    assert calls == (FIRST,)
    assert results == {"call_1": result, None: said}
    assert Snapshot("c1", ThreadStatus.IDLE).last_turn() == ((), {})


PAUSE = Pause("support", "t1", "", "c1", (Pending("i1", Kind.ANSWER), Pending("i2", Kind.APPROVAL)))


def test_an_interrupt_is_found_by_its_id_alone() -> None:
    assert PAUSE.find("i2") is PAUSE.pending[1]
    assert PAUSE.find("i3") is None
    assert replace(PAUSE, pending=()).find("i1") is None


def test_reviews_of_one_pause_share_a_key_that_no_other_pause_has() -> None:
    assert PAUSE.group_key() == sha256(canonical(["support", "t1", "", "c1"]))
    others = [
        replace(PAUSE, source="s"),
        replace(PAUSE, thread_id="t"),
        replace(PAUSE, ns="n"),
        replace(PAUSE, checkpoint_id="c"),
    ]
    assert len({PAUSE.group_key(), *(each.group_key() for each in others)}) == 5


def test_a_refusal_carries_its_reason_as_data() -> None:
    assert str(ConsoleError("why")) == ConsoleError("why").detail == "why"
    assert Forbidden("no").permission == ""
    assert (Forbidden("no", permission="decide").permission, Forbidden.status) == ("decide", 403)
    assert (TooMany("later", retry_after=7).retry_after, TooMany.status) == (7, 429)
    assert Unavailable.status == 503


def test_an_invalid_input_is_told_by_its_problems_unless_there_is_a_better_word() -> None:
    problems = [Problem("one"), Problem("two", 1, "/a")]
    assert Invalid(problems).detail == "one; two"
    assert Invalid(problems).problems == problems
    assert Invalid(problems, "both are wrong").detail == "both are wrong"


def test_a_conflict_says_who_and_since_when_only_where_it_knows() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    plain, first = Conflict("no"), Conflict("no", kind="already-decided", decided_by="sam", decided_at=at)
    assert (plain.reason, plain.decided_by, plain.decided_at, plain.stale) == ("conflict", None, None, False)
    assert (first.reason, first.decided_by, first.decided_at, first.stale) == (
        "already-decided",
        "sam",
        at,
        False,
    )
    assert Conflict("no", stale=True).stale


@pytest.mark.parametrize(
    ("key", "pointer"),
    [
        ("a", "/a"),
        ("a/b", "/a~1b"),
        ("a~b", "/a~0b"),
        ("~1", "/~01"),
        (3, "/3"),
        ("\ud800", "/\\ud800"),
        ("é", "/é"),
        ("", "/"),
    ],
)
def test_a_step_of_a_pointer_is_escaped_as_rfc_6901_says(key: object, pointer: str) -> None:
    assert pointer_of(key) == pointer
