"""What a sweep compares with a source: where threads stood for the console, and work that got lost."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from console.domain.review import DOUBT, QUEUE_RANK, UNDECIDED, Kind, Pause, Status, ThreadStatus
from console.store import reviews
from console.store.outbox import OPEN_STATES
from console.store.tables import Outbox, Review, Thread

THREAD, REVIEW, OUTBOX = Thread.__table__, Review.__table__, Outbox.__table__  # type: ignore[attr-defined]
# SQLite takes 32,766 parameters in one statement.
_CHUNK = 5_000
_IN_WORK = (Status.DECIDED.value, Status.RESUMING.value)


def statuses(connection: Connection, source: str) -> dict[str, str]:
    """Thread id -> status, of every thread of the source."""
    query = select(THREAD.c.thread_id, THREAD.c.status).where(THREAD.c.source == source)
    return {row.thread_id: row.status for row in connection.execute(query)}


def known(connection: Connection, source: str, thread_ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for at in range(0, len(thread_ids), _CHUNK):
        some = THREAD.c.thread_id.in_(thread_ids[at : at + _CHUNK])
        query = select(THREAD.c.thread_id).where(THREAD.c.source == source, some)
        found.update(connection.execute(query).scalars())
    return found


def pauses(connection: Connection, source: str) -> set[tuple[str, str]]:
    """(thread id, checkpoint id) of every review that can still lead to a run.

    Not of one that could not be read: settings may have changed since, so that it can be read now.
    """
    alive = [*(status.value for status in UNDECIDED), *_IN_WORK]
    query = select(REVIEW.c.thread_id, REVIEW.c.checkpoint_id).where(
        REVIEW.c.source == source, REVIEW.c.status.in_(alive), REVIEW.c.kind != Kind.UNREADABLE.value
    )
    return {(row.thread_id, row.checkpoint_id) for row in connection.execute(query)}


def lost_groups(connection: Connection, source: str) -> list[RowMapping]:
    """Pauses that are decided whole and of which no work is on its way: (thread_id, group_key, …, begun)."""
    other = REVIEW.alias()
    undecided = exists().where(
        other.c.group_key == REVIEW.c.group_key, other.c.status.in_([each.value for each in UNDECIDED])
    )
    on_its_way = exists().where(OUTBOX.c.group_key == REVIEW.c.group_key, OUTBOX.c.state.in_(OPEN_STATES))
    begun = func.max(REVIEW.c.status == Status.RESUMING.value).label("begun")
    columns = (REVIEW.c.thread_id, REVIEW.c.group_key, REVIEW.c.checkpoint_id)
    query = (
        select(*columns, begun)
        .where(REVIEW.c.source == source, REVIEW.c.status.in_(_IN_WORK), ~undecided, ~on_its_way)
        .group_by(*columns)
    )
    return list(connection.execute(query).mappings())


def running_without_work(connection: Connection, source: str) -> list[str]:
    """Threads that are called running, and that no row of the outbox is about."""
    work = exists().where(
        OUTBOX.c.source == source, OUTBOX.c.thread_id == THREAD.c.thread_id, OUTBOX.c.state.in_(OPEN_STATES)
    )
    query = select(THREAD.c.thread_id).where(
        THREAD.c.source == source, THREAD.c.status == ThreadStatus.RUNNING.value, ~work
    )
    return list(connection.execute(query).scalars())


def waiting_verdicts(connection: Connection) -> dict[str, int]:
    """Source -> how many reviews are decided there and not settled."""
    query = (
        select(REVIEW.c.source, func.count()).where(REVIEW.c.status.in_(_IN_WORK)).group_by(REVIEW.c.source)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def in_doubt(connection: Connection, source: str, thread_id: str) -> bool:
    """True when a review of the thread is stuck, so that the queue shows the doubt already."""
    query = exists().where(
        REVIEW.c.thread_id == thread_id, REVIEW.c.source == source, REVIEW.c.status == Status.STUCK.value
    )
    return bool(connection.execute(select(query)).scalar_one())


def open_doubt(
    connection: Connection, pause: Pause, group_key: str, headline: str, outcomes: Sequence[str]
) -> RowMapping:
    """A stuck review of calls that nobody had to review; the same one again when the same call is in doubt.

    It is a group of its own: no verdict waits for it, and it waits for none.
    """
    pending = pause.pending[0]
    values: dict[str, Any] = {
        **reviews.row_of(uuid.uuid4().hex, pause, pending, 0, headline),
        "group_key": group_key,
        "status": Status.STUCK.value,
        "queue_rank": QUEUE_RANK[Status.STUCK],
        "outcome": outcomes[0] if outcomes else pending.note,
        "outcomes_text": json.dumps(list(outcomes)),
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(REVIEW).values(values))
    except IntegrityError:
        again = {key: values[key] for key in ("status", "queue_rank", "outcome", "outcomes_text")}
        connection.execute(
            update(REVIEW)
            .where(REVIEW.c.group_key == group_key, REVIEW.c.interrupt_id == pending.interrupt_id)
            .values(**again, version=REVIEW.c.version + 1, opened_at=datetime.now(UTC), settled_at=None)
        )
    return reviews.of_group(connection, group_key)[0]


def is_doubt(row: RowMapping) -> bool:
    return str(row["interrupt_id"]).startswith(DOUBT)
