"""The sign-ins of a person: where from, when used last, and ending them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from console.domain.access import Actor, Permission, require
from console.domain.errors import NotFound
from console.domain.ledger import Kind
from console.services.changes import Change
from console.services.deps import Deps
from console.services.people import named
from console.store import ledger, sessions
from console.store.engine import read, write


@dataclass(frozen=True)
class SessionRow:
    """`id` names the session as the log does and only serves to end it. `current`: the caller's own."""

    id: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    address: str
    agent: str
    current: bool


def of_user(deps: Deps, actor: Actor, user_name: str) -> list[SessionRow]:
    """Those in force, last used first, at most 200: one's own, or anybody's for an admin."""
    _own_or_admin(actor, user_name)
    with read(deps.engine) as connection:
        user_id = named(connection, user_name)["id"]
        seen_after = datetime.now(UTC) - deps.settings.sessions.idle
        rows = sessions.in_force(connection, user_id, seen_after)
    return [
        SessionRow(
            row["digest"][: sessions.SHORT],
            row["created_at"],
            row["seen_at"],
            row["expires_at"],
            row["address"],
            row["agent"],
            row["digest"].startswith(actor.session_digest or "-"),
        )
        for row in rows
    ]


def revoke(deps: Deps, actor: Actor, user_name: str, session_id: str) -> None:
    """One of them; `NotFound` also when it is another person's."""
    _own_or_admin(actor, user_name)
    whole = len(session_id) == sessions.SHORT and session_id.isalnum() and session_id.isascii()
    with write(deps.engine) as connection:
        row = named(connection, user_name)
        if not whole or not sessions.revoke_short(connection, row["id"], session_id):
            raise NotFound("There is no such session in force.")
        more = {"user": user_name, "session": session_id}
        ledger.append(connection, ledger.Entry(Kind.SESSIONS_REVOKED, actor, more=more))
    deps.changes.publish(Change("session"))


def revoke_all(deps: Deps, actor: Actor, user_name: str) -> int:
    """Sign out everywhere; how many sessions that ended."""
    _own_or_admin(actor, user_name)
    with write(deps.engine) as connection:
        ended = sessions.revoke_all(connection, named(connection, user_name)["id"])
        if ended:
            more = {"user": user_name, "sessions": ended}
            ledger.append(connection, ledger.Entry(Kind.SESSIONS_REVOKED, actor, more=more))
    deps.changes.publish(Change("session"))
    return ended


def _own_or_admin(actor: Actor, user_name: str) -> None:
    if actor.name != user_name or actor.via == "cli":
        require(actor, Permission.ADMINISTER)
