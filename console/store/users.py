"""People."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, insert, or_, select, update

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


def _summaries(seen_after: datetime) -> Select[Any]:
    """Each person with the sessions and tokens in force, counted, and when any session was last used."""
    now = datetime.now(UTC)
    of_sessions, of_tokens = SESSION.c.user_id == USER.c.id, TOKEN.c.user_id == USER.c.id
    alive = SESSION.c.revoked_at.is_(None) & (SESSION.c.expires_at > now) & (SESSION.c.seen_at >= seen_after)
    valid = TOKEN.c.revoked_at.is_(None) & or_(TOKEN.c.expires_at.is_(None), TOKEN.c.expires_at > now)
    seen = select(func.max(SESSION.c.seen_at)).where(of_sessions)
    signed_in = select(func.count()).select_from(SESSION).where(of_sessions, alive)
    held = select(func.count()).select_from(TOKEN).where(of_tokens, valid)
    return select(
        USER.c.id,
        USER.c.name,
        USER.c.role,
        USER.c.created_at,
        USER.c.disabled_at,
        seen.scalar_subquery().label("seen_at"),
        signed_in.scalar_subquery().label("sessions"),
        held.scalar_subquery().label("tokens"),
    )


def page(connection: Connection, after: str, limit: int, seen_after: datetime) -> list[RowMapping]:
    query = _summaries(seen_after).where(USER.c.name > after).order_by(USER.c.name).limit(limit)
    return list(connection.execute(query).mappings())


def summary(connection: Connection, user_id: str, seen_after: datetime) -> RowMapping | None:
    return connection.execute(_summaries(seen_after).where(USER.c.id == user_id)).mappings().first()


def count(connection: Connection, cap: int) -> int:
    few = select(USER.c.id).limit(cap).subquery()
    return int(connection.execute(select(func.count()).select_from(few)).scalar_one())


def other_admins(connection: Connection, user_id: str) -> int:
    """How many enabled admins there are besides this user."""
    query = select(func.count()).where(
        USER.c.role == "admin", USER.c.disabled_at.is_(None), USER.c.id != user_id
    )
    return int(connection.execute(query).scalar_one())


def change(connection: Connection, user_id: str, **values: Any) -> bool:
    return connection.execute(update(USER).where(USER.c.id == user_id).values(**values)).rowcount == 1


def revoke_everything(connection: Connection, user_id: str) -> None:
    """Sessions and tokens of one user, at once: a role change or disabling must not wait for an expiry."""
    now = datetime.now(UTC)
    for table in (SESSION, TOKEN):
        connection.execute(
            update(table)
            .where(table.c.user_id == user_id, table.c.revoked_at.is_(None))
            .values(revoked_at=now)
        )
