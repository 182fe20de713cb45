"""Whether a lease is held is asked on one connection, and each answer is of now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from console.store import outbox
from console.store.engine import Engine, write
from console.store.lease_check import LeaseCheck
from console.store.outbox import Lease


@pytest.fixture
def lease(engine: Engine) -> Lease:
    with write(engine) as connection:
        outbox.put(connection, "message", "support", "t1", "{}")
        (row,) = outbox.due(connection)
        found = outbox.take(connection, row, "one", [], 60)
    assert found is not None
    return found


@pytest.fixture
def check(engine: Engine) -> Iterator[LeaseCheck]:
    made = LeaseCheck(engine)
    yield made
    made.close()


def test_what_another_connection_commits_is_seen_at_the_next_question(
    engine: Engine, lease: Lease, check: LeaseCheck
) -> None:
    assert check.holds(lease)
    with write(engine) as connection:
        outbox.release(connection, lease)
        assert check.holds(lease)
    assert not check.holds(lease)


def test_asking_keeps_nobody_from_writing_and_the_file_from_being_emptied(
    engine: Engine, lease: Lease, check: LeaseCheck
) -> None:
    assert check.holds(lease)
    with engine.connect().execution_options(pinned=True) as connection:
        busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
    assert busy == 0


def test_a_question_that_fails_is_no_answer_and_the_next_one_gets_another_connection(
    engine: Engine, lease: Lease, check: LeaseCheck
) -> None:
    assert check.holds(lease)
    asked: list[Any] = []

    def fail(connection: Any, *rest: Any) -> Any:
        asked.append(connection)
        if len(asked) == 1:
            raise OperationalError("", None, Exception("disk I/O error"))
        return rest[1], rest[2]

    event.listen(engine, "before_cursor_execute", fail, retval=True)
    with pytest.raises(OperationalError):
        check.holds(lease)
    assert check.holds(lease)
    assert asked[0] is not asked[1]
