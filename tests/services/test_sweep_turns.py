"""Turns of the sweep over a scripted source: what is missed, what fails, and what is laid to rest."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from console.domain.review import ThreadStatus
from console.services import sweep
from console.services.sweep import Sweep, Sweeper, lay_to_rest
from console.sources.port import Moved, SourceError
from console.store import outbox, threads
from console.store.engine import write
from tests.services.scripted import Scripted
from tests.services.stage import SOURCE, Stage, charges
from tests.services.world import wait_for


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    made.close()


def set_status(stage: Stage, thread_id: str, to: ThreadStatus) -> None:
    with write(stage.deps.engine) as connection:
        assert threads.move(connection, SOURCE, thread_id, list(ThreadStatus), to)


def pause_elsewhere(stage: Stage, thread_id: str) -> None:
    """Another program's thread waits; the console has never heard of it."""
    found = stage.source.threads[stage.begin(charges(1))]
    stage.source.threads[thread_id] = replace(found, messages=list(found.messages))


def test_a_look_that_may_have_missed_something_is_followed_by_a_full_pass(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = iter([Moved((), "a"), Moved((), "a", more=True), Moved((), "a", complete=False)])
    monkeypatch.setattr(Scripted, "changed_since", lambda *_: next(pages, Moved((), "a")))
    looking = Sweep(stage.deps, full_seconds=1_000)
    looking.turn(0)
    pause_elsewhere(stage, "foreign")
    assert stage.reviews("foreign") == []
    looking.turn(1)
    assert [each.status for each in stage.reviews("foreign")] == ["open"]


def test_a_source_that_cannot_be_swept_is_said_once_for_each_reason(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    reasons = iter(["locked", "locked", "gone", "", "gone"])

    def fail(*_: Any) -> Moved:
        if reason := next(reasons):
            raise SourceError(reason)
        return Moved((), "a")

    looking = Sweep(stage.deps)
    looking.turn(0)
    monkeypatch.setattr(Scripted, "changed_since", fail)
    with caplog.at_level(logging.WARNING, "console.sweep"):
        for now in range(1, 6):
            looking.turn(now)
    said = [record.getMessage().rsplit(": ", 1)[1] for record in caplog.records]
    assert said == ["locked", "gone", "gone"]


def half_way(stage: Stage, text: str = "hello") -> str:
    """Another program stopped between two steps of this thread."""
    thread_id = stage.begin(text)
    stage.source.threads[thread_id].under_way = True
    return thread_id


def stamp(stage: Stage, thread_id: str) -> str:
    return stage.source.stamp(thread_id)


def test_a_thread_left_half_way_without_a_call_failed_and_is_no_doubt(stage: Stage) -> None:
    thread_id = half_way(stage)
    lay_to_rest(stage.deps, SOURCE, thread_id, stamp(stage, thread_id))
    assert stage.thread_status(thread_id) == "failed"
    assert stage.reviews(thread_id) == []


def test_only_what_stood_still_is_laid_to_rest(stage: Stage) -> None:
    thread_id = half_way(stage)
    before = stage.contents()
    lay_to_rest(stage.deps, SOURCE, thread_id, "an earlier stamp")
    lay_to_rest(stage.deps, SOURCE, "nowhere", "")
    stage.source.threads[thread_id].under_way = False
    lay_to_rest(stage.deps, SOURCE, thread_id, stamp(stage, thread_id))
    assert stage.contents() == before


def test_what_has_work_or_is_in_doubt_is_not_laid_to_rest(stage: Stage) -> None:
    thread_id = half_way(stage)
    set_status(stage, thread_id, ThreadStatus.STUCK)
    lay_to_rest(stage.deps, SOURCE, thread_id, stamp(stage, thread_id))
    assert stage.thread_status(thread_id) == "stuck"
    set_status(stage, thread_id, ThreadStatus.IDLE)
    with write(stage.deps.engine) as connection:
        outbox.put(connection, "continue", SOURCE, thread_id, "")
    lay_to_rest(stage.deps, SOURCE, thread_id, stamp(stage, thread_id))
    assert stage.thread_status(thread_id) == "idle"


def test_a_sweep_that_fails_is_logged_and_tried_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    turns: list[float] = []

    def turn(self: Sweep, now: float) -> None:
        turns.append(now)
        if len(turns) == 1:
            raise OSError("locked")

    monkeypatch.setattr(sweep, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(Sweep, "turn", turn)
    sweeper = Sweeper(stage.deps)
    with caplog.at_level(logging.ERROR, "console.sweep"):
        sweeper.start()
        wait_for(lambda: len(turns) > 2)
        sweeper.stop()
    assert [record.getMessage() for record in caplog.records] == ["the sweep failed"]


def test_a_sweeper_that_was_never_started_is_stopped_like_any_other(stage: Stage) -> None:
    Sweeper(stage.deps).stop()
