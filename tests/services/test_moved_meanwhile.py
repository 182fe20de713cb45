"""A thread that changed, vanished or lost its work between two looks: said, and nothing is run twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from console.domain.errors import Conflict
from console.domain.review import ThreadStatus
from console.services import chat, resolve
from console.services.observe import Seen, observe
from console.services.settle import set_aside
from console.services.sweep import put_back
from console.services.views import ReviewView
from console.sources.port import ResumeRefused, SourceError
from console.store import outbox, threads
from console.store.engine import read, write
from tests.services.scripted import Scripted
from tests.services.stage import SOURCE, Stage, note
from tests.services.world import REJECT, rows

SAID = {"reason": "the bank says so", "result": "paid"}


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    made.close()


def settled_by(stage: Stage, review: ReviewView, choice: str) -> str:
    sam = stage.cast["sam"]
    return resolve.resolve(stage.deps, sam, SOURCE, review.thread_id, choice=choice, **SAID).status


def set_status(stage: Stage, thread_id: str, to: ThreadStatus) -> None:
    with write(stage.deps.engine) as connection:
        assert threads.move(connection, SOURCE, thread_id, list(ThreadStatus), to)


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(Conflict) as refused:
        act()
    return str(refused.value.reason)


def test_a_doubt_about_a_deleted_thread_is_closed_but_not_run_again(stage: Stage) -> None:
    review = stage.stuck(7)
    del stage.source.threads[review.thread_id]
    assert refusal(lambda: settled_by(stage, review, "not_run")) == "thread-gone"
    assert stage.review(review.id).status == "stuck"
    assert settled_by(stage, review, "give_up") == "gone"
    assert stage.review(review.id).status == "settled"
    assert (stage.hand.all(), stage.broken()) == (0, [])


def test_a_question_without_a_call_is_answered_and_not_closed(stage: Stage) -> None:
    review = stage.reviews(stage.begin('[["ask", {}]]'))[0]
    assert refusal(lambda: resolve.cancel(stage.deps, stage.cast["sam"], review.id)) == "no-call"
    assert stage.review(review.id).status == "open"


def test_a_pause_of_a_thread_in_doubt_is_not_closed_beside_the_doubt(stage: Stage) -> None:
    review = stage.pause(7)
    set_status(stage, review.thread_id, ThreadStatus.STUCK)
    assert refusal(lambda: resolve.cancel(stage.deps, stage.cast["sam"], review.id)) == "thread-moved"
    assert stage.review(review.id).status == "open"


def test_what_happens_while_the_thread_is_read_is_not_overwritten(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = stage.pause(7)
    real = resolve.snapshot_of

    def slowly(*where: Any) -> Any:
        found = real(*where)
        set_status(stage, review.thread_id, ThreadStatus.PAUSED)
        return found

    monkeypatch.setattr(resolve, "snapshot_of", slowly)
    assert refusal(lambda: resolve.cancel(stage.deps, stage.cast["sam"], review.id)) == "thread-moved"
    assert stage.review(review.id).status == "open"


def poisoned(stage: Stage) -> ReviewView:
    review = stage.pause(7)
    stage.source.poison(review.thread_id)
    observe(stage.deps, SOURCE, review.thread_id)
    return review


def test_a_thread_that_takes_answers_again_needs_no_repair(stage: Stage) -> None:
    review = poisoned(stage)
    stage.source.threads[review.thread_id].poisoned = False
    assert refusal(lambda: resolve.repair(stage.deps, stage.cast["ada"], review.id)) == "stale"
    assert (stage.hand.all(), stage.broken()) == (0, [])


def test_a_thread_whose_call_began_does_not_ask_again(stage: Stage) -> None:
    review = poisoned(stage)
    begun = {"source": SOURCE, "thread_id": review.thread_id, "name": "charge", "args_text": "{}", "fence": 1}
    call_id = stage.source.threads[review.thread_id].messages[-1].tool_calls[0].id
    more = {"tool_call_id": call_id, "owner": "a/1/2/b", "started_at": datetime.now(UTC), "error": ""}
    with write(stage.deps.engine) as connection:
        connection.execute(insert(outbox.TOOL_RUN).values(**begun, **more))
    assert refusal(lambda: resolve.repair(stage.deps, stage.cast["ada"], review.id)) == "tool-began"
    assert stage.thread_status(review.thread_id) == "poisoned"


def test_a_thread_that_never_stands_still_is_left_for_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = stage.pause(7)
    stage.source.move_on(review.thread_id)
    stamps = iter(range(100))
    with monkeypatch.context() as patch:
        patch.setattr(Scripted, "stamp", lambda *_: str(next(stamps)))
        assert observe(stage.deps, SOURCE, review.thread_id) is Seen.BUSY
        assert stage.review(review.id).status == "open"
    assert observe(stage.deps, SOURCE, review.thread_id) is Seen.CHANGED
    assert stage.review(review.id).status == "superseded"


def test_a_thread_nobody_knows_and_that_waits_for_nobody_stays_unknown(stage: Stage) -> None:
    assert observe(stage.deps, SOURCE, "nowhere") is Seen.SAME
    with read(stage.deps.engine) as connection:
        assert threads.get(connection, SOURCE, "nowhere") is None


def test_a_doubt_outlives_its_thread(stage: Stage) -> None:
    review = stage.stuck(7)
    del stage.source.threads[review.thread_id]
    assert observe(stage.deps, SOURCE, review.thread_id) is Seen.SAME
    assert stage.thread_status(review.thread_id) == "stuck"


def lose_work(stage: Stage) -> None:
    with closing(sqlite3.connect(stage.folder / "console.db", timeout=30)) as db, db:
        db.execute("DELETE FROM outbox")


def test_a_free_call_whose_work_got_lost_half_way_becomes_a_doubt(stage: Stage) -> None:
    thread_id = chat.start(stage.deps, stage.cast["sam"], SOURCE, note("x")).thread_id
    stage.die_at("started")
    lose_work(stage)
    assert observe(stage.deps, SOURCE, thread_id) is Seen.CHANGED
    assert stage.thread_status(thread_id) == "stuck"
    (doubt,) = stage.reviews(thread_id)
    assert (doubt.status, [each.name for each in doubt.actions]) == ("stuck", ["note"])


def test_a_verdict_that_was_under_way_when_its_work_got_lost_runs_once(stage: Stage) -> None:
    review = stage.pause(7)
    stage.decide(review)
    stage.die_at("handed")
    assert stage.review(review.id).status == "resuming"
    lose_work(stage)
    assert (put_back(stage.deps, SOURCE), put_back(stage.deps, SOURCE)) == (1, 0)
    stage.hand.all()
    assert stage.review(review.id).status == "settled"
    assert (len(stage.source.happened), stage.broken()) == (1, [])


def test_a_verdict_on_a_thread_that_vanishes_as_it_is_handed_over_is_closed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanish(self: Scripted, at: Any, run: Any) -> None:
        del self.threads[run.thread_id]
        raise ResumeRefused("there is no such thread")

    review = stage.pause(7)
    stage.decide(review)
    monkeypatch.setattr(Scripted, "_take_answers", vanish)
    stage.hand.all()
    assert stage.review(review.id).status == "superseded"
    assert stage.thread_status(review.thread_id) == "gone"
    assert (stage.source.happened, stage.broken()) == ([], [])


def test_an_answer_that_is_refused_when_handed_over_is_asked_for_again_in_its_words(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Scripted, at: Any, run: Any) -> None:
        raise ResumeRefused("the shape is not mine")

    review = stage.pause(7)
    stage.decide(review)
    with monkeypatch.context() as patch:
        patch.setattr(Scripted, "_take_answers", refuse)
        stage.hand.all()
    again = stage.review(review.id)
    assert (again.status, again.version > review.version) == ("open", True)
    entry = "SELECT body FROM ledger WHERE body LIKE '%reopened%'"
    assert "the shape is not mine" in rows(stage.folder / "console.db", entry)[0][0]


def test_a_run_against_the_verdict_stays_an_alarm_when_it_cannot_be_read_back(stage: Stage) -> None:
    looks = iter(range(100))

    def only_once() -> None:
        if next(looks) > 0:
            raise SourceError("the file is gone")

    review = stage.pause(7)
    stage.decide(review, REJECT)
    stage.source.flipped.add(review.thread_id)
    stage.source.fails = only_once
    while stage.hand.all():
        stage.lapse()
    stage.source.fails = lambda: None
    assert stage.review(review.id).status == "mismatch"
    assert stage.thread_status(review.thread_id) == "stuck"


def test_an_owner_that_was_late_sets_nothing_aside(stage: Stage) -> None:
    stage.decide(stage.pause(7))
    begun = stage.hand.take()
    assert begun is not None
    stage.lapse()
    later = stage.hand.take()
    assert later is not None
    before = stage.contents()
    set_aside(stage.deps, begun.job, RuntimeError("late"))
    assert stage.contents() == before
    stage.hand.work(later)
    assert (len(stage.source.happened), stage.broken()) == (1, [])
