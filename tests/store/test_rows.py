"""Reviews, threads and leases change by compare-and-set alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from console.domain.review import Status, ThreadStatus
from console.store import outbox, reviews, threads
from console.store.engine import Engine, read, write
from tests.store.conftest import open_reviews, pause_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def row(engine: Engine, review_id: str) -> Any:
    with read(engine) as connection:
        found = reviews.get(connection, review_id)
    assert found is not None
    return found


def test_finding_a_pause_again_opens_nothing(engine: Engine) -> None:
    first = open_reviews(engine, "a", "b")
    assert len(first) == 2
    assert open_reviews(engine, "a", "b") == []
    with read(engine) as connection:
        assert [
            each["id"] for each in reviews.of_group(connection, pause_of("t1", "a", "b").group_key())
        ] == first


def test_only_the_open_review_of_the_seen_version_and_digest_is_taken(engine: Engine) -> None:
    (review_id,) = open_reviews(engine, "a")
    digest = row(engine, review_id)["digest"]
    with write(engine) as connection:
        assert not reviews.take(connection, review_id, 2, digest, decided_by="sam")
        assert not reviews.take(connection, review_id, 1, "0" * 64, decided_by="sam")
        assert not reviews.take(connection, "other", 1, digest, decided_by="sam")
        assert reviews.take(connection, review_id, 1, digest, decided_by="sam")
        assert not reviews.take(connection, review_id, 1, digest, decided_by="sue")
        assert not reviews.take(connection, review_id, 2, digest, decided_by="sue")
    taken = row(engine, review_id)
    assert (taken["status"], taken["version"], taken["queue_rank"], taken["decided_by"]) == (
        "decided",
        2,
        None,
        "sam",
    )


def test_a_move_from_another_status_changes_nothing(engine: Engine) -> None:
    (review_id,) = open_reviews(engine, "a")
    with write(engine) as connection:
        assert not reviews.move(connection, review_id, [Status.DECIDED, Status.RESUMING], Status.SETTLED)
        assert reviews.move(connection, review_id, [Status.OPEN], Status.STUCK)
    assert (row(engine, review_id)["status"], row(engine, review_id)["version"]) == ("stuck", 2)


def test_a_thread_begins_one_run_at_a_time(engine: Engine) -> None:
    with write(engine) as connection:
        threads.add(connection, "support", "t1", ThreadStatus.IDLE, "", "sam")
        assert threads.move(connection, "support", "t1", [ThreadStatus.IDLE], ThreadStatus.RUNNING)
        assert not threads.move(connection, "support", "t1", [ThreadStatus.IDLE], ThreadStatus.RUNNING)
        assert not threads.move(connection, "other", "t1", list(ThreadStatus), ThreadStatus.IDLE)


@pytest.fixture
def work(engine: Engine) -> Any:
    with write(engine) as connection:
        outbox.put(connection, "message", "support", "t1", "{}")
        (found,) = outbox.due(connection)
    return found


def taken(work: Any) -> Any:
    """The row as another process sees it after somebody took it."""
    return {**work, "state": "taken"}


def test_one_owner_holds_a_thread_until_it_lets_go(engine: Engine, work: Any) -> None:
    with write(engine) as connection:
        lease = outbox.take(connection, work, "one", [], 60)
        assert lease is not None
        assert outbox.take(connection, taken(work), "two", [], 60) is None
        assert outbox.holds(connection, lease)
        outbox.release(connection, lease)
        assert not outbox.holds(connection, lease)


@pytest.mark.parametrize("how", ["dead", "lapsed"])
def test_a_lost_lease_lets_its_late_owner_change_nothing(engine: Engine, work: Any, how: str) -> None:
    with write(engine) as connection:
        old = outbox.take(connection, work, "one", [], -1 if how == "lapsed" else 60)
        assert old is not None
        assert outbox.journal_start(connection, old, "c1", "tool", "{}", None)
        new = outbox.take(connection, taken(work), "two", ["one"] if how == "dead" else [], 60)
        assert new is not None
        assert new.fence == old.fence + 1
        assert not outbox.holds(connection, old)
        assert not outbox.renew(connection, old, 60)
        assert outbox.journal_start(connection, old, "c2", "tool", "{}", None) is None
        outbox.release(connection, old)
        assert outbox.holds(connection, new)


def test_work_that_was_finished_meanwhile_is_not_taken(engine: Engine, work: Any) -> None:
    with write(engine) as connection:
        outbox.set_state(connection, work["id"], "done")
        assert outbox.take(connection, work, "two", [], 60) is None
        assert outbox.owners(connection) == []


def test_a_call_that_is_open_does_not_start_again(engine: Engine, work: Any) -> None:
    with write(engine) as connection:
        lease = outbox.take(connection, work, "one", [], 60)
        assert lease is not None
        first = outbox.journal_start(connection, lease, "c1", "tool", "{}", None)
        assert first is not None
        assert outbox.journal_start(connection, lease, "c1", "tool", "{}", None) is None
        outbox.journal_end(connection, first, "paused")
        assert outbox.journal_start(connection, lease, "c1", "tool", "{}", None) not in (None, first)


def test_a_pause_has_one_piece_of_work_however_often_it_is_put(engine: Engine) -> None:
    with write(engine) as connection:
        outbox.put_resume(connection, "support", "t1", "g", "c1", ready=False)
        assert outbox.due(connection) == []
        outbox.put_resume(connection, "support", "t1", "g", "c1", ready=True)
        assert [each["state"] for each in outbox.due(connection)] == ["ready"]
