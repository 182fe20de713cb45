"""Taking work up: what is handed over is what was read, and all of it is written down at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from console.services import planning
from console.services.views import ReviewView
from console.sources.port import SourceError
from tests.services.stage import SOURCE, Stage
from tests.services.world import OBEDIENT, World, call, rows, wait_for


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    made.close()


def decided(stage: Stage) -> ReviewView:
    review = stage.pause(7)
    stage.decide(review)
    return review


def held(stage: Stage) -> list[Any]:
    return rows(
        stage.folder / "console.db", "SELECT owner, state FROM run_lease, outbox WHERE kind = 'resume'"
    )


def meanwhile(stage: Stage, monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """`change` once, between the reading of a thread and the transaction."""
    real, once = stage.source.snapshot, [change]

    def snapshot(thread_id: str) -> Any:
        found = real(thread_id)
        if once:
            once.pop()()
        return found

    monkeypatch.setattr(stage.source, "snapshot", snapshot)


def test_a_thread_that_moves_while_it_is_read_is_left_for_the_next_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = decided(stage)
    meanwhile(stage, monkeypatch, lambda: stage.source.poison(review.thread_id))
    assert stage.hand.take() is None
    assert held(stage) == [(None, "ready")]
    assert stage.review(review.id).status == "decided"


def test_of_two_workers_that_read_the_same_row_one_takes_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided(stage)
    first: list[Any] = []
    meanwhile(stage, monkeypatch, lambda: first.append(stage.hand.take()))
    assert stage.hand.take() is None
    assert first[0].run is not None


@pytest.mark.parametrize("step", ["_plan_resume", "_record_dispatch"])
def test_a_failure_before_the_commit_leaves_a_counted_attempt_and_nothing_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    review = decided(stage)
    with monkeypatch.context() as patch:
        patch.setattr(planning, step, lambda *_: 1 / 0)
        stage.hand.all()
    assert held(stage) == [(None, "taken")]
    assert rows(stage.folder / "console.db", "SELECT attempts FROM outbox WHERE kind = 'resume'") == [(1,)]
    assert stage.review(review.id).status == "decided"
    stage.lapse()
    stage.hand.all()
    assert stage.review(review.id).status == "settled"
    assert [what for what, _ in stage.source.happened] == [review.actions[0].tool_call_id]


def test_a_thread_that_cannot_be_read_is_tried_again_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = decided(stage)

    def fail() -> None:
        raise SourceError("it cannot be read")

    with monkeypatch.context() as patch:
        patch.setattr(stage.source, "fails", fail)
        stage.hand.all()
    assert stage.hand.take(SOURCE, review.thread_id) is None
    stage.lapse()
    stage.hand.all()
    assert stage.review(review.id).status == "settled"


def test_a_thread_that_is_slow_to_read_does_not_hold_up_the_others(
    obeying: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = obeying.deps.sources[OBEDIENT]
    real = source.snapshot
    slow: list[str] = []

    def snapshot(thread_id: str) -> Any:
        slow.append(thread_id)
        if thread_id == slow[0]:
            wait_for(lambda: (obeying.folder / "go on").exists())
        return real(thread_id)

    with obeying.worker():
        monkeypatch.setattr(source, "snapshot", snapshot)
        first = obeying.start(call(("note", {"text": "slow"})))
        wait_for(lambda: slow[:1] == [first])
        second = obeying.start(call(("note", {"text": "quick"})))
        wait_for(
            lambda: obeying.table(f"SELECT status FROM thread WHERE thread_id = '{second}'") == [("idle",)]
        )
        (obeying.folder / "go on").touch()
        obeying.wait_status(first, "idle")
