"""Accounts: who there is, in which role, and whether they may sign in.

There is always somebody who may administer: an admin can neither disable nor demote the last one. Whoever
runs commands on the data folder can, since they can make another.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from console.domain.access import Actor, Permission, Role, require
from console.domain.errors import Conflict, Invalid, NotFound, Problem
from console.domain.ledger import Kind
from console.domain.text import findable
from console.services import credentials
from console.services.changes import Change
from console.services.deps import Deps
from console.services.paging import COUNT_CAP, PAGE, bounded, from_cursor, to_cursor
from console.services.views import Page
from console.store import ledger, sessions, users
from console.store.engine import Connection, RowMapping, read, write

# Names by which the log speaks of something that is no account.
RESERVED = frozenset({"operator", "nobody", "policy", "worker", "agent", "system", "identity provider"})


@dataclass(frozen=True)
class UserView:
    """`sessions` and `tokens` are those in force, `seen_at` is the last use of any session."""

    id: str
    name: str
    role: str
    enabled: bool
    created_at: datetime
    seen_at: datetime | None
    sessions: int
    tokens: int


def add_user(deps: Deps, actor: Actor, name: str, role: str, password: str) -> str:
    """Add a person and return their id; `Conflict` when the name is taken."""
    require(actor, Permission.ADMINISTER)
    problems = []
    if not name or len(name) > 64 or not name.isprintable() or name != name.strip():
        problems.append(Problem("a name is 1 to 64 printable characters", pointer="/name"))
    if name.lower() in RESERVED:
        problems.append(Problem("the log speaks of no person by this name", pointer="/name"))
    if role not in list(Role):
        problems.append(_no_role())
    if wrong := credentials.wrong_length(password):
        problems.append(Problem(wrong, pointer="/password"))
    if problems:
        raise Invalid(problems)
    user_id, hashed = uuid.uuid4().hex, credentials.hashed(password)
    with write(deps.engine) as connection:
        if users.by_name(connection, name) is not None:
            raise Conflict(f"There is a user {name} already.", kind="name-taken")
        users.add(connection, user_id, name, role, hashed)
        ledger.append(connection, ledger.Entry(Kind.USER_ADDED, actor, more={"user": name, "role": role}))
    return user_id


def _no_role() -> Problem:
    return Problem(f"role is one of {', '.join(Role)}", pointer="/role")


def list_users(deps: Deps) -> list[tuple[str, str, bool]]:
    """(name, role, enabled) of everyone, by name."""
    with read(deps.engine) as connection:
        return [(row["name"], row["role"], row["disabled_at"] is None) for row in users.everyone(connection)]


def page(deps: Deps, actor: Actor, limit: int = PAGE, cursor: str | None = None) -> Page[UserView]:
    """By name; a cursor is the last name of the page before."""
    require(actor, Permission.ADMINISTER)
    after = from_cursor(cursor, str)[0] if cursor else ""
    limit = bounded(limit)
    idle = datetime.now(UTC) - deps.settings.sessions.idle
    with read(deps.engine) as connection:
        rows = users.page(connection, after, limit + 1, idle)
        total = users.count(connection, COUNT_CAP + 1)
    more = to_cursor(rows[limit - 1]["name"]) if len(rows) > limit else None
    return Page([_view(row) for row in rows[:limit]], more, min(total, COUNT_CAP), total > COUNT_CAP)


def user(deps: Deps, actor: Actor, user_id: str) -> UserView:
    require(actor, Permission.ADMINISTER)
    idle = datetime.now(UTC) - deps.settings.sessions.idle
    with read(deps.engine) as connection:
        row = users.summary(connection, user_id, idle) if findable(user_id) else None
    if row is None:
        raise NotFound("There is no such user.")
    return _view(row)


def _view(row: RowMapping) -> UserView:
    return UserView(
        row["id"],
        row["name"],
        row["role"],
        row["disabled_at"] is None,
        row["created_at"],
        row["seen_at"],
        row["sessions"],
        row["tokens"],
    )


def named(connection: Connection, name: str) -> RowMapping:
    found = users.by_name(connection, name) if findable(name) else None
    if found is None:
        raise NotFound(f"There is no user {name}.")
    return found


def change_role(deps: Deps, actor: Actor, name: str, role: str) -> None:
    """Give another role and end every session and token of the user at once."""
    require(actor, Permission.ADMINISTER)
    if role not in list(Role):
        raise Invalid([_no_role()])
    with write(deps.engine) as connection:
        row = named(connection, name)
        if row["role"] == role:
            return
        _leave_an_admin(connection, actor, row)
        users.change(connection, row["id"], role=role)
        users.revoke_everything(connection, row["id"])
        ledger.append(connection, ledger.Entry(Kind.ROLE_CHANGED, actor, more={"user": name, "role": role}))
    deps.changes.publish(Change("session"))


def disable_user(deps: Deps, actor: Actor, name: str) -> None:
    """Refuse further sign-ins and end every session and token at once."""
    require(actor, Permission.ADMINISTER)
    with write(deps.engine) as connection:
        row = named(connection, name)
        if row["disabled_at"] is not None:
            return
        _leave_an_admin(connection, actor, row)
        users.change(connection, row["id"], disabled_at=datetime.now(UTC))
        users.revoke_everything(connection, row["id"])
        ledger.append(connection, ledger.Entry(Kind.USER_DISABLED, actor, more={"user": name}))
    deps.changes.publish(Change("session"))


def _leave_an_admin(connection: Connection, actor: Actor, row: RowMapping) -> None:
    if row["role"] != Role.ADMIN or row["disabled_at"] is not None or actor.via == "cli":
        return
    if users.other_admins(connection, row["id"]) == 0:
        raise Conflict(
            f"{row['name']} is the last admin. Make another person an admin first.", kind="last-admin"
        )


def enable_user(deps: Deps, actor: Actor, name: str) -> None:
    """Let the person sign in again; what was revoked stays revoked."""
    require(actor, Permission.ADMINISTER)
    with write(deps.engine) as connection:
        row = named(connection, name)
        if row["disabled_at"] is None:
            return
        users.change(connection, row["id"], disabled_at=None)
        ledger.append(connection, ledger.Entry(Kind.USER_ENABLED, actor, more={"user": name}))


def set_password(deps: Deps, actor: Actor, name: str, password: str) -> None:
    """For those who forgot theirs. Ends every session of the person; tokens go on."""
    require(actor, Permission.ADMINISTER)
    _must_fit(password)
    hashed = credentials.hashed(password)
    with write(deps.engine) as connection:
        row = named(connection, name)
        _store_password(connection, actor, row, hashed)
    deps.changes.publish(Change("session"))


def change_own_password(deps: Deps, actor: Actor, current: str, password: str) -> None:
    """With the one it had. Ends every session of the person, this one, too.

    The caller slows guessing down, as for a sign-in.
    """
    _must_fit(password)
    with read(deps.engine) as connection:
        before = named(connection, actor.name)
    if not credentials.fits(current, before["password_hash"]):
        raise Invalid([Problem("this is not your password", pointer="/current")])
    hashed = credentials.hashed(password)
    with write(deps.engine) as connection:
        row = named(connection, actor.name)
        if row["password_hash"] != before["password_hash"]:
            raise Conflict("Your password was changed meanwhile.", kind="password-changed")
        _store_password(connection, actor, row, hashed)
    deps.changes.publish(Change("session"))


def _must_fit(password: str) -> None:
    if wrong := credentials.wrong_length(password):
        raise Invalid([Problem(wrong, pointer="/password")])


def _store_password(connection: Connection, actor: Actor, row: RowMapping, hashed: str) -> None:
    users.change(connection, row["id"], password_hash=hashed)
    sessions.revoke_all(connection, row["id"])
    ledger.append(connection, ledger.Entry(Kind.PASSWORD_CHANGED, actor, more={"user": row["name"]}))
