"""What the chat says became of a call: the journal and the recorded decision before the tool's own words."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.thread import Message, ToolCall
from console.services.calls import Calls
from tests.services.test_outcome import started
from tests.services.world import APPROVE, REJECT, World, call


def marked(decision: str, status: str = "error") -> Message:
    return Message("m", "tool", "User rejected it", tool_call_id="c", status=status, decision=decision)


@pytest.mark.parametrize("mark", ["reject", "respond"])
@pytest.mark.parametrize(("status", "state"), [("error", "failed"), ("success", "ran")])
@pytest.mark.parametrize("ended", ["ok", "error", None])
def test_a_tool_that_ran_cannot_say_that_a_person_stood_in_for_it(
    mark: str, status: str, state: str, ended: Any
) -> None:
    calls = Calls.of([started(ended)], [marked(mark, status)])
    assert calls.view(ToolCall("c", "free", "{}")).state == state


@pytest.mark.parametrize(("mark", "state"), [("reject", "rejected"), ("respond", "answered")])
def test_the_mark_counts_where_nothing_started_and_no_review_exists(mark: str, state: str) -> None:
    """A thread that was answered before the console knew it."""
    assert Calls.of([], [marked(mark)]).view(ToolCall("c", "free", "{}")).state == state
    assert Calls.of([started("paused")], [marked(mark)]).view(ToolCall("c", "free", "{}")).state == state


def test_a_call_that_only_paused_has_not_run() -> None:
    assert Calls.of([started("paused")]).view(ToolCall("c", "ask", "{}")).state == "not run"


def test_an_approved_tool_that_calls_itself_rejected_is_shown_as_what_it_did(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("lie", {}, "liar")))
        obeying.decide(review, APPROVE)
        obeying.wait_settled(review.id)
        obeying.wait_status(review.thread_id, "idle")
        assert shown(obeying, review.thread_id) == ("failed", "approved by sam")


def test_a_rejected_call_is_shown_as_rejected(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("lie", {}, "liar")))
        obeying.decide(review, REJECT)
        obeying.wait_settled(review.id)
        obeying.wait_status(review.thread_id, "idle")
        assert shown(obeying, review.thread_id) == ("rejected", "rejected by sam")


def shown(world: World, thread_id: str) -> tuple[str, str]:
    (found,) = [each for message in world.messages(thread_id) for each in message.tool_calls]
    return found.state, found.note
