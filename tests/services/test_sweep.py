"""What happens past the console is found: other programs' pauses and answers, deletions, lost work."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from console.domain.errors import Conflict
from console.domain.review import ThreadStatus
from console.services import inbox
from console.services.resolve import repair, resolve
from console.services.sweep import Sweep
from console.services.views import ReviewView
from console.store import threads
from console.store.engine import write
from tests.services.agents import effects, obedient
from tests.services.world import APPROVE, OBEDIENT, World, call, wait_for

CHARGE = call(("charge", {"amount": 5}))
YES = {"decisions": [APPROVE]}


class Stranger:
    """Another program with the same agent on the same checkpoints, and no console."""

    def __init__(self, world: World, mode: str = "batched") -> None:
        self._db = sqlite3.connect(world.folder / "checkpoints.db", timeout=30, check_same_thread=False)
        self._saver = SqliteSaver(self._db)
        self._graph = obedient(world.folder, mode=mode).copy({"checkpointer": self._saver})

    def close(self) -> None:
        self._db.close()

    def run(self, thread_id: str, given: Any, durability: Any = "sync") -> None:
        self._graph.invoke(given, {"configurable": {"thread_id": thread_id}}, durability=durability)

    def say(self, thread_id: str, text: str, **more: Any) -> None:
        self.run(thread_id, {"messages": [HumanMessage(text)]}, **more)

    def answer(self, thread_id: str, answer: Any, **more: Any) -> None:
        state = self._graph.get_state({"configurable": {"thread_id": thread_id}})
        self.run(thread_id, Command(resume={state.interrupts[0].id: answer}), **more)

    def poison(self, thread_id: str) -> None:
        with pytest.raises(ValueError, match="decisions"):
            self.answer(thread_id, {"decisions": []})

    def stop_half_way(self, thread_id: str) -> None:
        """As a program that ends between the model's step and its tool."""
        config = {"configurable": {"thread_id": thread_id}}
        said = {"messages": [HumanMessage(call(("note", {"text": "x"})))]}
        for _ in self._graph.stream(said, config, stream_mode="updates", durability="sync"):
            break

    def delete(self, thread_id: str) -> None:
        self._saver.delete_thread(thread_id)


@pytest.fixture
def stranger(obeying: World) -> Iterator[Stranger]:
    made = Stranger(obeying)
    yield made
    made.close()


@pytest.fixture
def sweep(obeying: World) -> Sweep:
    """Has looked once, so that from now on only what moves is seen."""
    made = Sweep(obeying.deps, full_seconds=1_000, quiet_seconds=10)
    made.turn(0)
    return made


def paused(world: World) -> ReviewView:
    with world.worker():
        return world.pause(CHARGE)


def found(world: World) -> ReviewView:
    (review_id,) = world.queue()
    return world.review(review_id)


def test_a_pause_that_another_program_made_is_found_and_can_be_decided(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    stranger.say("theirs", CHARGE)
    sweep.turn(1)
    review = found(obeying)
    assert (review.thread_id, review.status) == ("theirs", "open")
    assert (obeying.thread("theirs").status, obeying.thread("theirs").title) == ("paused", CHARGE)
    (opened,) = obeying.ledger(review=review.id)
    assert (opened.kind, opened.via) == ("opened", "worker")
    with obeying.worker():
        obeying.decide(review, APPROVE)
        assert obeying.wait_settled(review.id).outcome == "ran"
    assert effects(obeying.folder) == ["charge 5"]


def test_what_waited_before_the_console_started_is_found_by_its_first_turn(
    obeying: World, stranger: Stranger
) -> None:
    stranger.say("theirs", CHARGE)
    Sweep(obeying.deps).turn(0)
    assert found(obeying).thread_id == "theirs"


def test_two_consoles_that_sweep_open_one_review(obeying: World, stranger: Stranger, sweep: Sweep) -> None:
    other = Sweep(obeying.deps)
    stranger.say("theirs", CHARGE)
    sweep.turn(1)
    other.turn(1)
    assert len(obeying.queue()) == 1
    assert len(obeying.ledger(kind="opened")) == 1


def test_a_worker_sweeps_by_itself(obeying: World, stranger: Stranger, monkeypatch: Any) -> None:
    monkeypatch.setattr("console.services.sweep.LOOK_SECONDS", 0.02)
    with obeying.worker():
        stranger.say("theirs", CHARGE)
        wait_for(obeying.queue)


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_an_answer_from_elsewhere_is_an_entry_of_its_own(
    obeying: World, stranger: Stranger, sweep: Sweep, durability: str
) -> None:
    review = paused(obeying)
    sweep.turn(1)
    stranger.answer(review.thread_id, YES, durability=durability)
    sweep.turn(2)
    after = obeying.review(review.id)
    assert (after.status, after.outcome) == ("superseded", "answered outside the console")
    assert obeying.kinds(review.id) == ["opened", "superseded", "external_resume"]
    assert obeying.thread(review.thread_id).status == "idle"
    assert obeying.queue() == []


@pytest.mark.parametrize("durability", ["sync", "exit"])
def test_a_message_from_elsewhere_only_supersedes(
    obeying: World, stranger: Stranger, sweep: Sweep, durability: str
) -> None:
    review = paused(obeying)
    stranger.say(review.thread_id, '"never mind"', durability=durability)
    sweep.turn(1)
    assert obeying.kinds(review.id) == ["opened", "superseded"]


def test_an_answer_from_elsewhere_after_a_verdict_is_told_and_the_verdict_never_run(
    obeying: World, stranger: Stranger
) -> None:
    review = paused(obeying)
    obeying.decide(review, APPROVE)
    stranger.answer(review.thread_id, {"decisions": [{"type": "reject"}]})
    with obeying.worker():
        obeying.wait_settled(review.id, "superseded")
    assert obeying.kinds(review.id) == ["opened", "decided", "superseded", "external_resume"]
    assert effects(obeying.folder) == []


def test_an_answer_of_ours_is_never_called_foreign(obeying: World, sweep: Sweep) -> None:
    with obeying.worker():
        review = obeying.pause(CHARGE)
        obeying.decide(review, APPROVE)
        obeying.wait_settled(review.id)
        obeying.wait_status(review.thread_id, "idle")
    sweep.turn(1)
    sweep.turn(2_000)
    assert obeying.kinds(review.id) == ["opened", "decided", "dispatched", "settled"]


def test_a_deleted_thread_is_gone_and_takes_no_message(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    from console.services import chat

    review = paused(obeying)
    stranger.delete(review.thread_id)
    sweep.turn(2_000)
    after = obeying.thread(review.thread_id)
    assert (after.status, obeying.review(review.id).status) == ("gone", "superseded")
    assert obeying.messages(review.thread_id) == []
    with pytest.raises(Conflict, match="deleted"):
        chat.say(obeying.deps, obeying.cast["sam"], OBEDIENT, review.thread_id, "hello")
    stranger.say(review.thread_id, CHARGE)
    sweep.turn(2_001)
    assert obeying.thread(review.thread_id).status == "paused"


def test_a_poisoned_thread_of_a_bare_client_is_found_repaired_and_answered(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    stranger.say("theirs", CHARGE)
    stranger.poison("theirs")
    sweep.turn(1)
    review = found(obeying)
    assert obeying.thread("theirs").status == "poisoned"
    assert (review.status, review.may_decide) == ("open", False)
    with obeying.worker():
        repair(obeying.deps, obeying.cast["ada"], review.id)
        obeying.wait_status("theirs", "paused")
        again = found(obeying)
        obeying.decide(again, APPROVE)
        assert obeying.wait_settled(again.id).outcome == "ran"
    assert effects(obeying.folder) == ["charge 5"]


@pytest.mark.parametrize("later", [1, 2_000])
def test_a_known_pause_that_is_poisoned_elsewhere_is_found(
    obeying: World, stranger: Stranger, sweep: Sweep, later: int
) -> None:
    """By the next look; by the full pass of a console that was not there when it happened."""
    review = paused(obeying)
    sweep.turn(0)
    stranger.poison(review.thread_id)
    (sweep if later == 1 else Sweep(obeying.deps)).turn(later)
    assert obeying.thread(review.thread_id).status == "poisoned"


def test_a_thread_left_half_way_elsewhere_is_in_doubt_once_it_stands_still(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    with obeying.worker():
        thread_id = obeying.start('"hello"')
        obeying.wait_status(thread_id, "idle")
    sweep.turn(1)
    stranger.stop_half_way(thread_id)
    sweep.turn(2)
    assert obeying.thread(thread_id).status == "idle", "it may be running there"
    sweep.turn(13)
    doubt = found(obeying)
    assert (obeying.thread(thread_id).status, doubt.status) == ("stuck", "stuck")
    assert [action.name for action in doubt.actions] == ["note"]
    where = OBEDIENT, thread_id
    with pytest.raises(Conflict, match="not started here"):
        resolve(obeying.deps, obeying.cast["sam"], *where, choice="not_run", reason="looked")
    with obeying.worker():
        resolve(obeying.deps, obeying.cast["sam"], *where, choice="give_up", reason="nobody knows")
        obeying.wait_status(thread_id, "idle")
    assert obeying.queue() == []
    assert effects(obeying.folder) == []


def test_a_thread_that_goes_on_elsewhere_is_never_called_left(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    with obeying.worker():
        thread_id = obeying.start('"hello"')
        obeying.wait_status(thread_id, "idle")
    sweep.turn(1)
    stranger.stop_half_way(thread_id)
    sweep.turn(2)
    stranger.run(thread_id, None)
    sweep.turn(13)
    sweep.turn(30)
    assert obeying.thread(thread_id).status == "idle"
    assert obeying.queue() == []


@pytest.mark.parametrize("lost", ["DELETE FROM outbox", "UPDATE outbox SET state = 'done'"])
def test_a_verdict_whose_work_got_lost_is_put_back_and_runs_once(obeying: World, lost: str) -> None:
    review = paused(obeying)
    obeying.decide(review, APPROVE)
    execute(obeying, f"{lost} WHERE kind = 'resume'")
    with obeying.worker():
        assert obeying.wait_settled(review.id).outcome == "ran"
    assert effects(obeying.folder) == ["charge 5"]


def execute(world: World, sql: str) -> None:
    with closing(sqlite3.connect(world.folder / "console.db", timeout=30)) as db, db:
        db.execute(sql)


def test_a_thread_that_is_called_running_without_any_work_comes_to_rest(obeying: World) -> None:
    with obeying.worker():
        thread_id = obeying.start('"hello"')
        obeying.wait_status(thread_id, "idle")
    with write(obeying.deps.engine) as connection:
        threads.move(connection, OBEDIENT, thread_id, list(ThreadStatus), ThreadStatus.RUNNING)
    Sweep(obeying.deps).turn(0)
    assert obeying.thread(thread_id).status == "idle"


def test_a_thread_that_a_live_worker_runs_is_left_alone(obeying: World, sweep: Sweep) -> None:
    (obeying.folder / "hold").touch()
    with obeying.worker():
        thread_id = obeying.start(call(("note", {"text": "x"})))
        wait_for(lambda: effects(obeying.folder))
        before = obeying.table("SELECT * FROM thread")
        sweep.turn(2_000)
        assert obeying.table("SELECT * FROM thread") == before
        (obeying.folder / "hold").unlink()
        obeying.wait_status(thread_id, "idle")


def test_a_failure_keeps_its_words(obeying: World, sweep: Sweep) -> None:
    with obeying.worker():
        thread_id = obeying.start('"raise"')
        error = obeying.wait_status(thread_id, "failed").error
    sweep.turn(2_000)
    assert (obeying.thread(thread_id).status, obeying.thread(thread_id).error) == ("failed", error)


def test_a_sweep_of_what_is_in_line_writes_nothing(obeying: World, sweep: Sweep) -> None:
    paused(obeying)
    before = obeying.table("SELECT count(*) FROM ledger"), obeying.table("SELECT * FROM thread")
    sweep.turn(1)
    sweep.turn(2_000)
    assert (obeying.table("SELECT count(*) FROM ledger"), obeying.table("SELECT * FROM thread")) == before


def test_reviews_of_the_pause_are_those_of_the_source(
    obeying: World, stranger: Stranger, sweep: Sweep
) -> None:
    two = json.dumps([["charge", {"amount": 1}], ["charge", {"amount": 2}]])
    stranger.say("theirs", two)
    sweep.turn(1)
    (review,) = inbox.thread_reviews(obeying.deps, obeying.cast["sam"], OBEDIENT, "theirs")
    assert [each.args_text for each in review.actions] == ['{"amount": 1}', '{"amount": 2}']
