"""Tokens for scripts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, insert, or_, select, update

from console.store.tables import ApiToken, User

USER, TOKEN = User.__table__, ApiToken.__table__  # type: ignore[attr-defined]
MOST_OF_ONE, MOST_OF_ALL = 200, 1_000


def add(
    connection: Connection,
    token_id: str,
    digest: str,
    user_id: str,
    name: str,
    scope: str,
    expires_at: datetime | None,
) -> None:
    connection.execute(
        insert(TOKEN).values(
            id=token_id,
            digest=digest,
            user_id=user_id,
            name=name,
            scope=scope,
            created_at=datetime.now(UTC),
            expires_at=expires_at,
        )
    )


def _in_force(now: datetime) -> Any:
    return TOKEN.c.revoked_at.is_(None) & or_(TOKEN.c.expires_at.is_(None), TOKEN.c.expires_at > now)


def owner(connection: Connection, digest: str, now: datetime) -> RowMapping | None:
    """The user behind a token in force, with its id, scope and last use."""
    query = (
        select(
            USER.c.id, USER.c.name, USER.c.role, TOKEN.c.id.label("token_id"), TOKEN.c.scope, TOKEN.c.used_at
        )
        .join(USER, USER.c.id == TOKEN.c.user_id)
        .where(TOKEN.c.digest == digest, _in_force(now), USER.c.disabled_at.is_(None))
    )
    return connection.execute(query).mappings().first()


def _with_user() -> Select[Any]:
    return select(TOKEN, USER.c.name.label("user")).join(USER, USER.c.id == TOKEN.c.user_id)


def by_id(connection: Connection, token_id: str) -> RowMapping | None:
    return connection.execute(_with_user().where(TOKEN.c.id == token_id)).mappings().first()


def of_user(connection: Connection, user_id: str) -> list[RowMapping]:
    query = _with_user().where(TOKEN.c.user_id == user_id)
    query = query.order_by(TOKEN.c.created_at.desc(), TOKEN.c.id).limit(MOST_OF_ONE)
    return list(connection.execute(query).mappings())


def in_force(connection: Connection) -> list[RowMapping]:
    query = _with_user().where(_in_force(datetime.now(UTC)), USER.c.disabled_at.is_(None))
    query = query.order_by(USER.c.name, TOKEN.c.created_at.desc()).limit(MOST_OF_ALL)
    return list(connection.execute(query).mappings())


def count(connection: Connection, user_id: str) -> int:
    """Those in force."""
    query = select(func.count()).where(TOKEN.c.user_id == user_id, _in_force(datetime.now(UTC)))
    return int(connection.execute(query).scalar_one())


def note(connection: Connection, token_id: str, now: datetime, unless_after: datetime) -> bool:
    done = connection.execute(
        update(TOKEN)
        .where(TOKEN.c.id == token_id, or_(TOKEN.c.used_at.is_(None), TOKEN.c.used_at <= unless_after))
        .values(used_at=now)
    )
    return done.rowcount == 1


def revoke(connection: Connection, token_id: str) -> bool:
    now = datetime.now(UTC)
    done = connection.execute(
        update(TOKEN).where(TOKEN.c.id == token_id, _in_force(now)).values(revoked_at=now)
    )
    return done.rowcount == 1
