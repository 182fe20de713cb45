"""Which person was shown which version of a review, and when first."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from console.store.tables import ReviewViewed

VIEWED = ReviewViewed.__table__  # type: ignore[attr-defined]


def first_at(connection: Connection, review_id: str, version: int, actor_id: str) -> datetime | None:
    query = select(VIEWED.c.at).where(
        VIEWED.c.review_id == review_id, VIEWED.c.version == version, VIEWED.c.actor_id == actor_id
    )
    return connection.execute(query).scalar_one_or_none()


def add(connection: Connection, review_id: str, version: int, actor_id: str, at: datetime) -> bool:
    """False when the person had been shown this version before."""
    values = {"review_id": review_id, "version": version, "actor_id": actor_id, "at": at}
    try:
        with connection.begin_nested():
            connection.execute(insert(VIEWED).values(values))
    except IntegrityError:
        return False
    return True
