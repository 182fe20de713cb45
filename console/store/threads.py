"""Threads the console knows, and the guard that lets one run at a time begin."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Connection, RowMapping, insert, select, update

from console.domain.review import ThreadStatus
from console.store.tables import Thread

THREAD = Thread.__table__  # type: ignore[attr-defined]


def add(
    connection: Connection, source: str, thread_id: str, status: ThreadStatus, title: str, created_by: str
) -> None:
    now = datetime.now(UTC)
    connection.execute(
        insert(THREAD).values(
            source=source,
            thread_id=thread_id,
            status=status.value,
            title=title,
            error="",
            created_by=created_by,
            created_at=now,
            updated_at=now,
        )
    )


def get(connection: Connection, source: str, thread_id: str) -> RowMapping | None:
    query = select(THREAD).where(THREAD.c.source == source, THREAD.c.thread_id == thread_id)
    return connection.execute(query).mappings().first()


def named(connection: Connection, thread_id: str, sources: Sequence[str]) -> list[RowMapping]:
    """Threads of this id in any of the sources: ids are only unique within one."""
    query = select(THREAD).where(THREAD.c.thread_id == thread_id, THREAD.c.source.in_(sources))
    return list(connection.execute(query).mappings())


def recent(connection: Connection, sources: Sequence[str], limit: int) -> list[RowMapping]:
    query = (
        select(THREAD).where(THREAD.c.source.in_(sources)).order_by(THREAD.c.updated_at.desc()).limit(limit)
    )
    return list(connection.execute(query).mappings())


def move(
    connection: Connection,
    source: str,
    thread_id: str,
    come_from: Sequence[ThreadStatus],
    to: ThreadStatus,
    error: str = "",
) -> bool:
    """Change the status if it is still one of `come_from`; False when something else happened first."""
    done = connection.execute(
        update(THREAD)
        .where(
            THREAD.c.source == source,
            THREAD.c.thread_id == thread_id,
            THREAD.c.status.in_([each.value for each in come_from]),
        )
        .values(status=to.value, error=error, updated_at=datetime.now(UTC))
    )
    return done.rowcount == 1


def sources(connection: Connection) -> list[str]:
    """Every source that ever had a thread here, also those that are configured no more."""
    return list(connection.execute(select(THREAD.c.source).distinct()).scalars())


def with_status(connection: Connection, status: ThreadStatus) -> list[RowMapping]:
    return list(connection.execute(select(THREAD).where(THREAD.c.status == status.value)).mappings())
