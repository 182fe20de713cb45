"""People, their sign-ins and tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select, update

from console.store.tables import ApiToken, Session, User

USER, SESSION, TOKEN = User.__table__, Session.__table__, ApiToken.__table__  # type: ignore[attr-defined]


def add(connection: Connection, user_id: str, name: str, role: str, password_hash: str) -> None:
    connection.execute(
        insert(USER).values(
            id=user_id, name=name, role=role, password_hash=password_hash, created_at=datetime.now(UTC)
        )
    )


def by_name(connection: Connection, name: str) -> RowMapping | None:
    return connection.execute(select(USER).where(USER.c.name == name)).mappings().first()


def everyone(connection: Connection) -> list[RowMapping]:
    return list(connection.execute(select(USER).order_by(USER.c.name)).mappings())


def change(connection: Connection, user_id: str, **values: Any) -> bool:
    return connection.execute(update(USER).where(USER.c.id == user_id).values(**values)).rowcount == 1


def add_session(connection: Connection, digest: str, user_id: str, expires_at: datetime) -> None:
    now = datetime.now(UTC)
    connection.execute(
        insert(SESSION).values(
            digest=digest, user_id=user_id, created_at=now, seen_at=now, expires_at=expires_at
        )
    )


def of_session(connection: Connection, digest: str) -> RowMapping | None:
    """The user and the session's times, unless the session is revoked or expired or the user disabled."""
    query = (
        select(USER.c.id, USER.c.name, USER.c.role, SESSION.c.seen_at, SESSION.c.expires_at)
        .join(USER, USER.c.id == SESSION.c.user_id)
        .where(
            SESSION.c.digest == digest,
            SESSION.c.revoked_at.is_(None),
            SESSION.c.expires_at > datetime.now(UTC),
            USER.c.disabled_at.is_(None),
        )
    )
    return connection.execute(query).mappings().first()


def touch_session(connection: Connection, digest: str) -> None:
    connection.execute(update(SESSION).where(SESSION.c.digest == digest).values(seen_at=datetime.now(UTC)))


def revoke_session(connection: Connection, digest: str) -> bool:
    done = connection.execute(
        update(SESSION)
        .where(SESSION.c.digest == digest, SESSION.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
    )
    return done.rowcount == 1


def revoke_everything(connection: Connection, user_id: str) -> None:
    """Sessions and tokens of one user, at once: a role change or disabling must not wait for an expiry."""
    now = datetime.now(UTC)
    for table in (SESSION, TOKEN):
        connection.execute(
            update(table)
            .where(table.c.user_id == user_id, table.c.revoked_at.is_(None))
            .values(revoked_at=now)
        )


def add_token(connection: Connection, token_id: str, digest: str, user_id: str, name: str) -> None:
    connection.execute(
        insert(TOKEN).values(
            id=token_id, digest=digest, user_id=user_id, name=name, created_at=datetime.now(UTC)
        )
    )


def of_token(connection: Connection, digest: str) -> RowMapping | None:
    query = (
        select(USER.c.id, USER.c.name, USER.c.role)
        .join(USER, USER.c.id == TOKEN.c.user_id)
        .where(TOKEN.c.digest == digest, TOKEN.c.revoked_at.is_(None), USER.c.disabled_at.is_(None))
    )
    return connection.execute(query).mappings().first()


def revoke_token(connection: Connection, token_id: str) -> bool:
    done = connection.execute(
        update(TOKEN)
        .where(TOKEN.c.id == token_id, TOKEN.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
    )
    return done.rowcount == 1
