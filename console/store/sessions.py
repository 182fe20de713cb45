"""Sign-ins."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, RowMapping, insert, select, update

from console.store.tables import Session, User

USER, SESSION = User.__table__, Session.__table__  # type: ignore[attr-defined]
MOST = 200
# What an entry of the log and a page call a session by; the cookie's value cannot be made from it.
SHORT = 16


def add(
    connection: Connection,
    digest: str,
    user_id: str,
    expires_at: datetime,
    address: str = "",
    agent: str = "",
) -> None:
    now = datetime.now(UTC)
    connection.execute(
        insert(SESSION).values(
            digest=digest,
            user_id=user_id,
            created_at=now,
            seen_at=now,
            expires_at=expires_at,
            address=address,
            agent=agent,
        )
    )


def owner(connection: Connection, digest: str) -> RowMapping | None:
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


def in_force(connection: Connection, user_id: str, seen_after: datetime) -> list[RowMapping]:
    """Last used first."""
    query = (
        select(SESSION)
        .where(
            SESSION.c.user_id == user_id,
            SESSION.c.revoked_at.is_(None),
            SESSION.c.expires_at > datetime.now(UTC),
            SESSION.c.seen_at >= seen_after,
        )
        .order_by(SESSION.c.seen_at.desc(), SESSION.c.digest)
        .limit(MOST)
    )
    return list(connection.execute(query).mappings())


def touch(connection: Connection, digest: str) -> None:
    connection.execute(update(SESSION).where(SESSION.c.digest == digest).values(seen_at=datetime.now(UTC)))


def revoke(connection: Connection, digest: str) -> bool:
    done = connection.execute(
        update(SESSION)
        .where(SESSION.c.digest == digest, SESSION.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
    )
    return done.rowcount == 1


def revoke_short(connection: Connection, user_id: str, short: str) -> bool:
    """By the beginning of its digest, and only of this user."""
    done = connection.execute(
        update(SESSION)
        .where(
            SESSION.c.user_id == user_id,
            SESSION.c.revoked_at.is_(None),
            SESSION.c.digest.startswith(short, autoescape=True),
        )
        .values(revoked_at=datetime.now(UTC))
    )
    return done.rowcount == 1


def revoke_all(connection: Connection, user_id: str) -> int:
    done = connection.execute(
        update(SESSION)
        .where(SESSION.c.user_id == user_id, SESSION.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
    )
    return int(done.rowcount)
