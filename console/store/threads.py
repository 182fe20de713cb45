"""Threads the console knows, and the guard that lets one run at a time begin."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import Connection, RowMapping, bindparam, false, insert, or_, select, update

from console.domain.review import ThreadStatus
from console.store.prepared import Prepared
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
    return _GET.mapping(connection, {"source": source, "thread_id": thread_id})


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
    its = {"its_source": source, "its_thread_id": thread_id}
    new = {"new_status": to.value, "new_error": error, "new_updated_at": datetime.now(UTC)}
    if set(come_from) >= set(ThreadStatus):
        return _move(None).change(connection, its | new) == 1
    was = {f"was_{at}": each.value for at, each in enumerate(come_from)}
    return _move(len(was)).change(connection, its | new | was) == 1


_GET = Prepared(
    select(THREAD).where(THREAD.c.source == bindparam("source"), THREAD.c.thread_id == bindparam("thread_id"))
)


@lru_cache(maxsize=16)
def _move(statuses: int | None) -> Prepared:
    """By how many statuses it may come from; None: from any."""
    query = (
        update(THREAD)
        .where(THREAD.c.source == bindparam("its_source"), THREAD.c.thread_id == bindparam("its_thread_id"))
        .values(
            status=bindparam("new_status"),
            error=bindparam("new_error"),
            updated_at=bindparam("new_updated_at"),
        )
    )
    if statuses is not None:
        query = query.where(
            or_(false(), *(THREAD.c.status == bindparam(f"was_{at}") for at in range(statuses)))
        )
    return Prepared(query)


def sources(connection: Connection) -> list[str]:
    """Every source that ever had a thread here, also those that are configured no more."""
    return list(connection.execute(select(THREAD.c.source).distinct()).scalars())


def with_status(connection: Connection, status: ThreadStatus) -> list[RowMapping]:
    return list(connection.execute(select(THREAD).where(THREAD.c.status == status.value)).mappings())
