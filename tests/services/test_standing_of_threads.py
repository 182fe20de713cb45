"""Trying again, drafts, and what a call is shown as between its request and its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Conflict
from console.domain.review import ThreadStatus
from console.domain.thread import Message, Snapshot, ToolCall
from console.services import chat, leaving
from console.services.calls import Calls
from console.services.leaving import way_out
from console.services.views import MessagesView, MessageView
from console.sources.port import Left
from console.store import outbox, reviews, threads
from console.store.engine import read, write
from tests.services.agents import Obedient, effects
from tests.services.scripted import Scripted
from tests.services.stage import SOURCE, Stage
from tests.services.world import OBEDIENT, REJECT, World, call


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    made.close()


def retry(stage: Stage, thread_id: str) -> None:
    chat.retry(stage.deps, stage.cast["sam"], SOURCE, thread_id)


def test_a_model_that_is_up_again_goes_on_from_where_it_failed(
    obeying: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: Any, **__: Any) -> None:
        raise RuntimeError("the model is down")

    with obeying.worker():
        with monkeypatch.context() as patch:
            patch.setattr(Obedient, "_generate", down)
            thread_id = obeying.start(call(("note", {"text": "x"})))
            assert "the model is down" in obeying.wait_status(thread_id, "failed").error
        chat.retry(obeying.deps, obeying.cast["sue"], OBEDIENT, thread_id)
        obeying.wait_status(thread_id, "idle")
    assert effects(obeying.folder) == ["note x"]
    assert [each.role for each in obeying.messages(thread_id)] == ["human", "ai", "tool", "ai"]
    entry = obeying.ledger(thread=thread_id)[-1]
    assert (entry.kind, entry.actor, entry.reason) == ("message_sent", "sue", "tried again")


def test_only_a_failed_run_is_tried_again(stage: Stage) -> None:
    thread_id = stage.begin("hello")
    with pytest.raises(Conflict, match="Only a failed run") as refused:
        retry(stage, thread_id)
    assert refused.value.reason == "thread-idle"
    assert stage.hand.all() == 0


def test_a_run_that_stored_nothing_has_nothing_to_go_on_from(stage: Stage) -> None:
    with write(stage.deps.engine) as connection:
        threads.add(connection, SOURCE, "t1", ThreadStatus.FAILED, "hello", "sam")
    with pytest.raises(Conflict) as refused:
        retry(stage, "t1")
    assert refused.value.reason == "nothing-to-run"
    assert stage.thread_status("t1") == "failed"


def test_what_was_decided_is_not_run_by_trying_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run took the verdict and failed for good before its tool began."""

    def fail(self: Scripted, at: Any, run: Any, journal: Any) -> None:
        at.under_way = False
        raise RuntimeError("no such tool")

    review = stage.pause(7)
    with monkeypatch.context() as patch:
        patch.setattr(Scripted, "_finish_turn", fail)
        stage.decide(review)
        stage.hand.all()
    assert (stage.review(review.id).status, stage.thread_status(review.thread_id)) == ("settled", "failed")
    with pytest.raises(Conflict, match="What was decided on charge is settled") as refused:
        retry(stage, review.thread_id)
    assert refused.value.reason == "tool-decided"
    assert stage.source.happened == []


def test_a_draft_is_shown_until_its_message_is(stage: Stage) -> None:
    def shown(*texts: str) -> MessagesView:
        return MessagesView([MessageView("1", "human", "hi"), *(MessageView("2", "ai", t) for t in texts)], 0)

    assert chat.draft(stage.deps, SOURCE, "t1", shown()) == ""
    stage.deps.drafts.append(SOURCE, "t1", "Good day")
    assert chat.draft(stage.deps, SOURCE, "t1", shown()) == "Good day"
    assert chat.draft(stage.deps, SOURCE, "t1", shown("Before")) == "Good day"
    assert chat.draft(stage.deps, SOURCE, "t1", shown("Before", "Good day")) == ""


def states(stage: Stage, thread_id: str, *, running: bool = False) -> list[str]:
    snapshot = stage.source.snapshot(thread_id)
    assert snapshot is not None
    with read(stage.deps.engine) as connection:
        history = reviews.of_thread(connection, SOURCE, thread_id)
        chosen = reviews.decisions(connection, [row["decision_id"] for row in history if row["decision_id"]])
        journal = outbox.journal(connection, SOURCE, thread_id)
    calls = Calls.of(journal, snapshot.messages, history, chosen, running=running)
    return [calls.view(each).state for each in snapshot.last_turn()[0]]


def test_a_call_is_shown_by_how_far_its_review_and_its_run_came(stage: Stage) -> None:
    both = '[["charge", {"amount": 1}], ["note", {"text": "x"}]]'
    review = stage.reviews(stage.begin(both))[0]
    thread_id = review.thread_id
    assert states(stage, thread_id) == ["waiting", "waiting"]
    stage.decide(review)
    assert states(stage, thread_id) == ["waiting", "not run"]
    assert states(stage, thread_id, running=True) == ["running", "running"]
    job = stage.hand.take()
    assert job is not None
    stage.source.die_at = "started"
    with pytest.raises(BaseException, match="started"):
        stage.hand.work(job)
    assert states(stage, thread_id) == ["running", "not run"]
    stage.lapse()
    stage.hand.all()
    assert stage.thread_status(thread_id) == "stuck"


def test_calls_that_ended_are_shown_so_before_their_results_are_stored(stage: Stage) -> None:
    thread_id = stage.begin("hello")
    at = stage.source.threads[thread_id]
    calls = (ToolCall("c1", "note", "{}"), ToolCall("c2", "note", "{}"), ToolCall("", "note", "{}"))
    at.messages.append(Message("m", "ai", "", tool_calls=calls))
    runs = [
        {"tool_call_id": "c1", "ended": "ok", "ended_at": "now", "args_text": "{}"},
        {"tool_call_id": "c2", "ended": "error", "ended_at": "now", "args_text": "{}"},
    ]
    snapshot = stage.source.snapshot(thread_id)
    assert snapshot is not None
    found = Calls.of(runs, snapshot.messages)  # type: ignore[arg-type]
    assert [found.view(each).state for each in calls] == ["ran", "failed", "uncertain"]


def test_a_rejected_call_is_shown_as_such_and_never_as_run(stage: Stage) -> None:
    review = stage.pause(7)
    stage.decide(review, REJECT)
    stage.hand.all()
    assert states(stage, review.thread_id) == ["rejected"]


class Answered:
    """A source that says of every pause that it was answered."""

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        return Left.ANSWERED


ANSWER, SAID = Message("3", "tool", "did"), Message("4", "human", "never mind")
DONE = Message("5", "ai", "done")


@pytest.mark.parametrize(
    ("after", "left"),
    [
        ((ANSWER,), Left.ANSWERED),
        ((ANSWER, SAID), Left.ANSWERED),
        ((SAID,), Left.MESSAGE),
        ((DONE,), Left.ANSWERED),
    ],
)
def test_a_message_into_a_pause_is_no_answer_to_it(
    stage: Stage, after: tuple[Message, ...], left: Left
) -> None:
    review = stage.pause(7)
    asked = stage.source.threads[review.thread_id].messages
    call_id = asked[-1].tool_calls[0].id
    later = [replace(each, tool_call_id=call_id) if each is ANSWER else each for each in after]
    with read(stage.deps.engine) as connection:
        row = reviews.get(connection, review.id)
    assert row is not None
    snapshot = Snapshot("cp", ThreadStatus.IDLE, (*asked, *later))
    assert way_out(Answered(), snapshot, row) is left  # type: ignore[arg-type]
    assert way_out(Answered(), None, row) is Left.ANSWERED  # type: ignore[arg-type]


def test_without_its_calls_in_the_messages_an_answer_stays_one(stage: Stage) -> None:
    review = stage.pause(7)
    with read(stage.deps.engine) as connection:
        row = reviews.get(connection, review.id)
    assert row is not None
    snapshot = Snapshot("cp", ThreadStatus.IDLE, (SAID,))
    assert way_out(Answered(), snapshot, row) is Left.ANSWERED  # type: ignore[arg-type]
    assert leaving.nobody_knows(row) is Left.UNKNOWN
