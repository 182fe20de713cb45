"""What is said to have happened, for everything that journal and thread can say together."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.review import Action
from console.domain.thread import Message
from console.services.calls import Calls
from console.services.outcome import compare
from tests.services.world import APPROVE, REJECT, edit

ARGS = '{"n": 1}'
RESPOND = {"type": "respond", "message": "yes"}
EDIT = edit("tool", n=2)


def started(ended: str | None = "ok", args: str = ARGS, error: str = "") -> Any:
    return {"tool_call_id": "c", "args_text": args, "ended": ended, "ended_at": ended, "error": error}


def result(status: str = "success", text: str = "fine") -> Message:
    return Message("m", "tool", text, tool_call_id="c", status=status)


CASES: list[tuple[str, dict[str, Any], list[dict[str, Any]], Message | None, str, str]] = [
    ("ran", APPROVE, [started()], result(), "ok", "ran"),
    ("ran as edited", EDIT, [started(args='{"n": 2}')], result(), "ok", "ran"),
    ("ran after its own pause", APPROVE, [started("paused"), started()], result(), "ok", "ran"),
    ("raised", APPROVE, [started("error", error="E: no\ntrace")], None, "ok", "tool failed: E: no"),
    ("refused", APPROVE, [started()], result("error", "order closed"), "ok", "tool failed: order closed"),
    ("never began", APPROVE, [], None, "ok", "did not run"),
    (
        "was not called at all",
        APPROVE,
        [],
        result("error", "bad args"),
        "ok",
        "tool failed: bad args",
    ),
    ("did not end", APPROVE, [started(None)], None, "stuck", "uncertain: it started"),
    ("lost its result", APPROVE, [started()], None, "stuck", "uncertain: it ended"),
    ("has no start", APPROVE, [], result(), "stuck", "uncertain: a result is there"),
    ("ran twice", APPROVE, [started(), started()], result(), "mismatch", "ran 2 times"),
    ("ran as proposed, not as edited", EDIT, [started()], result(), "mismatch", "ran with other arguments"),
    ("ran as something else", APPROVE, [started(args='{"n": 1.0}')], result(), "mismatch", "ran with other"),
    ("did not run", REJECT, [], result("error"), "ok", "did not run"),
    ("was answered", RESPOND, [], result(), "ok", "answered"),
    ("only paused", REJECT, [started("paused")], result("error"), "ok", "did not run"),
    ("ran although rejected", REJECT, [started()], result(), "mismatch", "ran although it was rejected"),
    ("began although rejected", REJECT, [started(None)], None, "mismatch", "ran although it was rejected"),
    ("ran although answered", RESPOND, [started()], result(), "mismatch", "ran although it was answered"),
]


def action(call_id: str | None = "c", position: int = 0) -> Action:
    return Action(position, "tool", ARGS, "", (), "", call_id)


@pytest.mark.parametrize(("case", "said", "runs", "kept", "state", "text"), CASES, ids=[c[0] for c in CASES])
def test_a_call_that(
    case: str, said: Any, runs: list[Any], kept: Message | None, state: str, text: str
) -> None:
    calls = Calls.of(runs, [kept] if kept else [])
    found = compare([action()], [said], "d", calls)
    assert found.state == state
    assert found.text.startswith(text)


def test_a_call_that_cannot_be_told_apart_is_uncertain() -> None:
    assert compare([action(None)], [APPROVE], "d", Calls()).state == "stuck"


def test_the_worst_of_several_is_the_whole_and_each_keeps_its_own_words() -> None:
    calls = Calls.of([started()])
    found = compare([action("x"), action("c", 1), action(None, 2)], [REJECT, REJECT, APPROVE], "d", calls)
    assert found.state == "mismatch"
    assert found.text.startswith("1: did not run; 2: ran although it was rejected; 3: uncertain")
