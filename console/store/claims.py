"""Claims: who has taken a review to look at. One row per review, and the database says who was first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from console.domain.review import Status
from console.store.prepared import Prepared
from console.store.tables import Claim, Review

CLAIM, REVIEW = Claim.__table__, Review.__table__  # type: ignore[attr-defined]
# What a person can still do something about. An alarm is an admin's, who decides nothing.
CLAIMABLE = (Status.OPEN, Status.AWAITING_SECOND, Status.STUCK)
_DROP = Prepared(delete(CLAIM).where(CLAIM.c.review_id == bindparam("review")))


def of_review(connection: Connection, review_id: str) -> RowMapping | None:
    return connection.execute(select(CLAIM).where(CLAIM.c.review_id == review_id)).mappings().first()


def of_reviews(connection: Connection, ids: Sequence[str]) -> dict[str, RowMapping]:
    query = select(CLAIM).where(CLAIM.c.review_id.in_(ids))
    return {row["review_id"]: row for row in connection.execute(query).mappings()}


def take(
    connection: Connection,
    review_id: str,
    actor_id: str,
    actor_name: str,
    at: datetime,
    instead_of: RowMapping | None,
) -> bool:
    """Put the actor's claim where there is none, or where `instead_of` still stands; else False.

    The review has to be one that a person can do something about when the row is written, not only before.
    """
    wanted = exists().where(REVIEW.c.id == review_id, REVIEW.c.status.in_([each.value for each in CLAIMABLE]))
    if instead_of is not None:
        now = {"actor_id": actor_id, "actor_name": actor_name, "at": at}
        return connection.execute(update(CLAIM).where(_same(instead_of), wanted).values(now)).rowcount == 1
    values = select(
        literal(review_id), literal(actor_id), literal(actor_name), literal(at, CLAIM.c.at.type)
    ).where(wanted)
    try:
        with connection.begin_nested():
            put = insert(CLAIM).from_select(["review_id", "actor_id", "actor_name", "at"], values)
            return connection.execute(put).rowcount == 1
    except IntegrityError:
        return False  # someone took it since it was looked at


def give_back(connection: Connection, held: RowMapping) -> bool:
    """Remove exactly this claim; False when it is no longer the one that stands."""
    return connection.execute(delete(CLAIM).where(_same(held))).rowcount == 1


def drop(connection: Connection, review_id: str) -> None:
    """A decided review is nobody's any more."""
    _DROP.change(connection, {"review": review_id})


def _same(held: RowMapping) -> ColumnElement[bool]:
    return and_(
        CLAIM.c.review_id == held["review_id"],
        CLAIM.c.actor_id == held["actor_id"],
        CLAIM.c.at == held["at"],
    )
