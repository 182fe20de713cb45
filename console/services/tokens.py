"""Tokens for scripts: shown once, kept as a digest, narrowed to reading where that is enough.

A token that decides stands for its owner. So nobody makes one for another person in the page or over REST:
an admin, who may not decide, could decide in a supervisor's name.
"""

from __future__ import annotations

import logging
import threading
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from console.domain.access import Actor, Permission, Role, Scope, allows, require
from console.domain.errors import Conflict, ConsoleError, Forbidden, Invalid, NotFound, Problem
from console.domain.ledger import Kind
from console.domain.text import findable
from console.services.credentials import digest_of, new_token
from console.services.deps import Deps
from console.services.people import named
from console.store import ledger, tokens
from console.store.engine import RowMapping, read, write

log = logging.getLogger(__name__)
LONGEST_LABEL, MOST_TOKENS = 64, 100
_NOTED_EVERY, _PATIENCE_MS = timedelta(minutes=1), 200


@dataclass(frozen=True)
class TokenView:
    """`used_at` is exact to the minute; the token itself is kept nowhere."""

    id: str
    user: str
    name: str
    scope: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None


def create_token(
    deps: Deps,
    actor: Actor,
    user_name: str,
    label: str,
    scope: str = Scope.DECIDE,
    expires_at: datetime | None = None,
) -> tuple[str, str]:
    """(token id, token); the token is shown this once."""
    _may_make(actor, user_name, scope)
    _must_be_right(label, scope, expires_at)
    token, token_id = new_token("rc_"), uuid.uuid4().hex
    with write(deps.engine) as connection:
        row = named(connection, user_name)
        if row["disabled_at"] is not None:
            raise Conflict(f"{user_name} is disabled.", kind="disabled")
        if tokens.count(connection, row["id"]) >= MOST_TOKENS:
            raise Conflict(f"{user_name} has {MOST_TOKENS} tokens. Revoke one first.", kind="too-many")
        tokens.add(connection, token_id, digest_of(token), row["id"], label, scope, expires_at)
        more = {"user": user_name, "token": token_id, "scope": str(scope)}
        ledger.append(connection, ledger.Entry(Kind.TOKEN_CREATED, actor, more=more))
    return token_id, token


def _must_not_only_read(actor: Actor) -> None:
    if actor.scope is Scope.READ:
        raise Forbidden("This token may only read.", permission=Permission.SIGNED_IN.value)


def _may_make(actor: Actor, user_name: str, scope: str) -> None:
    _must_not_only_read(actor)
    if actor.name == user_name and actor.via != "cli":
        return
    require(actor, Permission.ADMINISTER)
    if scope != Scope.READ and actor.via != "cli":
        raise Forbidden(
            "A token that decides is made by its owner, or by `console tokens create`.",
            permission=Permission.ADMINISTER.value,
        )


def _must_be_right(label: str, scope: str, expires_at: datetime | None) -> None:
    problems = []
    if len(label) > LONGEST_LABEL or not (label.isprintable() and findable(label)):
        problems.append(Problem(f"a name is at most {LONGEST_LABEL} printable characters", pointer="/name"))
    if scope not in list(Scope):
        problems.append(Problem(f"scope is one of {', '.join(Scope)}", pointer="/scope"))
    if expires_at is not None and expires_at <= datetime.now(UTC):
        problems.append(Problem("this time is over already", pointer="/expires_at"))
    if problems:
        raise Invalid(problems)


def of_user(deps: Deps, actor: Actor, user_name: str) -> list[TokenView]:
    """Newest first, revoked ones, too, at most 200: one's own, or anybody's for an admin."""
    if actor.name != user_name or actor.via == "cli":
        require(actor, Permission.ADMINISTER)
    with read(deps.engine) as connection:
        rows = tokens.of_user(connection, named(connection, user_name)["id"])
    return [_view(row) for row in rows]


def everyones(deps: Deps, actor: Actor) -> list[TokenView]:
    """Those in force, by person, at most 1,000."""
    require(actor, Permission.ADMINISTER)
    with read(deps.engine) as connection:
        return [_view(row) for row in tokens.in_force(connection)]


def _view(row: RowMapping) -> TokenView:
    return TokenView(
        row["id"],
        row["user"],
        row["name"],
        row["scope"],
        row["created_at"],
        row["expires_at"],
        row["used_at"],
        row["revoked_at"],
    )


def revoke_token(deps: Deps, actor: Actor, token_id: str) -> None:
    """One's own, or anybody's for an admin; another person's does not exist for the rest."""
    missing = NotFound(f"There is no token {token_id} in force.")
    with write(deps.engine) as connection:
        row = tokens.by_id(connection, token_id) if findable(token_id) else None
        own = row is not None and row["user_id"] == actor.id
        if row is None or not (own or allows(actor.role, Permission.ADMINISTER)):
            raise missing
        _must_not_only_read(actor)
        if not tokens.revoke(connection, token_id):
            raise missing
        more = {"token": token_id, "user": row["user"]}
        ledger.append(connection, ledger.Entry(Kind.TOKEN_REVOKED, actor, more=more))


def actor_of_token(deps: Deps, bearer: str) -> Actor | None:
    """Whose token it is now, by the database: revoking takes effect at once."""
    if not bearer or len(bearer) > 200:
        return None
    digest, now = digest_of(bearer), datetime.now(UTC)
    with read(deps.engine) as connection:
        row = tokens.owner(connection, digest, now)
    if row is None:
        return None
    if row["used_at"] is None or now - row["used_at"] >= _NOTED_EVERY:
        _note_later(deps, row["token_id"])
    return Actor(
        row["id"],
        row["name"],
        Role(row["role"]),
        via="api",
        session_digest=digest[:16],
        scope=Scope(row["scope"]),
    )


_noting = threading.Lock()


def _note_later(deps: Deps, token_id: str) -> None:
    """Beside the call, which must not wait for writers. One at a time: the next call tries again."""
    if _noting.acquire(blocking=False):
        threading.Thread(target=_note, args=(deps, token_id), daemon=True).start()


def _note(deps: Deps, token_id: str) -> None:
    try:
        note_use(deps, token_id)
    except ConsoleError:
        log.warning("the use of a token could not be noted")
    finally:
        _noting.release()


def note_use(deps: Deps, token_id: str) -> bool:
    """False when it was noted within the minute."""
    now = datetime.now(UTC)
    with write(deps.engine, _PATIENCE_MS) as connection:
        return tokens.note(connection, token_id, now, now - _NOTED_EVERY)
