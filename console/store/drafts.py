"""What people have begun to say of a review: one row per review and person, only while it is undecided."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, RowMapping, bindparam, delete, exists, insert, literal, or_, select, update

from console.domain.review import UNDECIDED
from console.store.prepared import Prepared
from console.store.tables import Draft, Review

DRAFT, REVIEW = Draft.__table__, Review.__table__  # type: ignore[attr-defined]
_UNDECIDED = REVIEW.c.status.in_([each.value for each in UNDECIDED])
_DROP_ALL = Prepared(delete(DRAFT).where(DRAFT.c.review_id == bindparam("review")))


def of_person(connection: Connection, review_id: str, actor_id: str) -> RowMapping | None:
    """None also when the review is closed by now."""
    query = (
        select(DRAFT)
        .join(REVIEW, REVIEW.c.id == DRAFT.c.review_id)
        .where(DRAFT.c.review_id == review_id, DRAFT.c.actor_id == actor_id, _UNDECIDED)
    )
    return connection.execute(query).mappings().first()


def put(connection: Connection, review_id: str, actor_id: str, version: int, text: str, at: datetime) -> bool:
    """Keep the text in place of the one before; False when the review is closed, or in another version.

    Within a write transaction, so that no second tab of the person comes between the two statements.
    """
    current = exists().where(REVIEW.c.id == review_id, REVIEW.c.version == version, _UNDECIDED)
    mine = (DRAFT.c.review_id == review_id) & (DRAFT.c.actor_id == actor_id)
    again = update(DRAFT).where(mine, current).values(version=version, text=text, saved_at=at)
    if connection.execute(again).rowcount == 1:
        return True
    row = select(
        literal(review_id),
        literal(actor_id),
        literal(version),
        literal(text),
        literal(at, DRAFT.c.saved_at.type),
    ).where(current)
    first = insert(DRAFT).from_select(["review_id", "actor_id", "version", "text", "saved_at"], row)
    return connection.execute(first).rowcount == 1


def drop(connection: Connection, review_id: str, actor_id: str) -> None:
    connection.execute(delete(DRAFT).where(DRAFT.c.review_id == review_id, DRAFT.c.actor_id == actor_id))


def drop_all(connection: Connection, review_id: str) -> None:
    """Everybody's, with the review that they were for."""
    _DROP_ALL.change(connection, {"review": review_id})


def purge(connection: Connection, before: datetime) -> int:
    """Remove those last saved before then, and those of closed reviews; how many there were."""
    open_ids = select(REVIEW.c.id).where(_UNDECIDED)
    old = or_(DRAFT.c.saved_at < before, DRAFT.c.review_id.not_in(open_ids))
    return connection.execute(delete(DRAFT).where(old)).rowcount
