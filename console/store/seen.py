"""Which person was shown which version of a review, and when first."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from console.store.prepared import Prepared
from console.store.tables import ReviewViewed

VIEWED = ReviewViewed.__table__  # type: ignore[attr-defined]
_FIRST = Prepared(
    select(VIEWED.c.at).where(
        VIEWED.c.review_id == bindparam("review"),
        VIEWED.c.version == bindparam("its_version"),
        VIEWED.c.actor_id == bindparam("actor"),
    )
)


def first_at(connection: Connection, review_id: str, version: int, actor_id: str) -> datetime | None:
    found: datetime | None = _FIRST.value(
        connection, {"review": review_id, "its_version": version, "actor": actor_id}
    )
    return found


def add(connection: Connection, review_id: str, version: int, actor_id: str, at: datetime) -> bool:
    """False when the person had been shown this version before."""
    values = {"review_id": review_id, "version": version, "actor_id": actor_id, "at": at}
    try:
        with connection.begin_nested():
            connection.execute(insert(VIEWED).values(values))
    except IntegrityError:
        return False
    return True
