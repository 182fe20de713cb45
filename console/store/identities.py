"""Who a person is at the identity provider, and the sign-ins from there that were used already."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, RowMapping, delete, func, insert, select
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore

from console.store.identity_tables import Identity, SignOnUsed
from console.store.tables import User

USER, IDENTITY, USED = User.__table__, Identity.__table__, SignOnUsed.__table__  # type: ignore[attr-defined]


def user_of(connection: Connection, issuer: str, subject: str) -> RowMapping | None:
    """The person linked to this subject of this issuer, disabled or not."""
    query = (
        select(USER)
        .join(IDENTITY, IDENTITY.c.user_id == USER.c.id)
        .where(IDENTITY.c.issuer == issuer, IDENTITY.c.subject == subject)
    )
    return connection.execute(query).mappings().first()


def link(connection: Connection, issuer: str, subject: str, user_id: str) -> None:
    connection.execute(
        insert(IDENTITY).values(issuer=issuer, subject=subject, user_id=user_id, created_at=datetime.now(UTC))
    )


def is_taken(connection: Connection, name: str) -> bool:
    """Also in other letter case: two people whose names differ only by it are one person to a reader."""
    query = select(USER.c.id).where(func.lower(USER.c.name) == name.lower()).limit(1)
    return connection.execute(query).first() is not None


def use(connection: Connection, digest: str, forget_before: datetime) -> bool:
    """Mark an answer of the provider as used; False when it was already."""
    connection.execute(delete(USED).where(USED.c.at < forget_before))
    values = {"digest": digest, "at": datetime.now(UTC)}
    statement = insert_or_ignore(USED).values(**values).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1
