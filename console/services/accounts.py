"""Signing in and out, and who a request comes from."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from console.domain.access import Actor, Role
from console.domain.errors import Invalid, TooMany, Unauthenticated, Unavailable
from console.domain.ledger import Kind
from console.domain.text import findable
from console.services import people
from console.services.address import short
from console.services.changes import Change
from console.services.credentials import digest_of, fits, new_token, nobodys_hash
from console.services.deps import Deps
from console.services.throttle import Throttle
from console.store import ledger, sessions, users
from console.store.engine import RowMapping, read, write

log = logging.getLogger(__name__)
COOKIE = "console_session"
_TOUCH, _TOUCH_PATIENCE_MS = timedelta(minutes=5), 200
_AGENT_CAP = 120
DEMO_PASSWORD = "demo"  # noqa: S105 - known to everyone, and refused off loopback
NOBODY = Actor(id="", name="nobody", role=Role.NONE)
OPERATOR = Actor(id="cli", name="operator", role=Role.ADMIN, via="cli")
_WRONG = "Name or password is wrong."
_by_user, _by_address = Throttle(burst=8, seconds=15), Throttle(burst=40, seconds=3)


@dataclass(frozen=True)
class SignedIn:
    """`token` is the cookie's value; it exists nowhere else in clear."""

    token: str
    actor: Actor
    expires_at: datetime


@dataclass(frozen=True)
class DemoAccount:
    name: str
    role: str
    says: str


DEMO = (
    DemoAccount("sam", "supervisor", "works the queue, decides"),
    DemoAccount("sue", "supervisor", "second person for high risk"),
    DemoAccount("quinn", "qa", "replays and grades, never decides"),
    DemoAccount("ada", "admin", "policy, users, log; never decides"),
)


def sign_in(deps: Deps, name: str, password: str, address: str, agent: str = "") -> SignedIn:
    """Check the password and begin a session; `Unauthenticated` says the same for every wrong part."""
    address = short(address)
    user = _checked(deps, name, password, address)
    signed_in = _begin(deps, user, address, agent) if user is not None else None
    if signed_in is None:
        record_failure(deps, address)
        raise Unauthenticated(_WRONG)
    return signed_in


def _begin(deps: Deps, user: RowMapping, address: str, agent: str) -> SignedIn | None:
    """None when the account was disabled or given another password while this one was checked."""
    token = new_token()
    expires_at = datetime.now(UTC) + deps.settings.sessions.lifetime
    with write(deps.engine) as connection:
        now = users.by_name(connection, user["name"])
        if now is None or now["disabled_at"] is not None or now["password_hash"] != user["password_hash"]:
            return None
        actor = Actor(now["id"], now["name"], Role(now["role"]), session_digest=digest_of(token)[:16])
        sessions.add(connection, digest_of(token), now["id"], expires_at, address, tidy(agent))
        ledger.append(connection, ledger.Entry(Kind.LOGIN, actor, more={"address": address}))
    return SignedIn(token, actor, expires_at)


def tidy(agent: str) -> str:
    """What a browser calls itself, short and printable: it may say anything."""
    return "".join(char for char in agent[:_AGENT_CAP] if char.isprintable() and findable(char))


def _checked(deps: Deps, name: str, password: str, address: str) -> RowMapping | None:
    """The user whose password it is, within the throttles. Only a wrong one costs anything."""
    _by_user.take(name[:200])
    try:
        _by_address.take(address)
    except TooMany:
        _by_user.give_back(name[:200])
        raise
    wrong = False
    try:
        user = _user_with(deps, name, password)
        wrong = user is None
        return user
    finally:
        if not wrong:
            _by_user.give_back(name[:200])
            _by_address.give_back(address)


def _user_with(deps: Deps, name: str, password: str) -> RowMapping | None:
    with read(deps.engine) as connection:
        user = users.by_name(connection, name) if findable(name) else None
    # The hash is computed for unknown names, too, so that the time taken tells nothing.
    right = fits(password, user["password_hash"] if user else nobodys_hash())
    return user if right and user is not None and user["disabled_at"] is None else None


_last_failures: dict[str, tuple[int, int]] = {}


def record_failure(deps: Deps, address: str) -> None:
    """One row per address and minute, with the number left out since: a flood must not fill the log."""
    address = short(address)
    minute = int(datetime.now(UTC).timestamp() // 60)
    before, left_out = _last_failures.get(address, (0, 0))
    if before == minute:
        _last_failures[address] = (minute, left_out + 1)
        return
    if len(_last_failures) > 10_000:
        _last_failures.clear()
    _last_failures[address] = (minute, 0)
    with write(deps.engine) as connection:
        more = {"address": address, "left_out": left_out}
        ledger.append(connection, ledger.Entry(Kind.LOGIN_FAILED, NOBODY, more=more))


def sign_out(deps: Deps, token: str | None) -> None:
    """End the session at once, everywhere; an unknown token is no error."""
    actor = actor_of_session(deps, token)
    if token is None or actor is None:
        return
    with write(deps.engine) as connection:
        sessions.revoke(connection, digest_of(token))
        ledger.append(connection, ledger.Entry(Kind.LOGOUT, actor))
    deps.changes.publish(Change("session"))


def actor_of_session(deps: Deps, token: str | None, via: str = "web") -> Actor | None:
    """Whose cookie it is now, by the database: revoking takes effect at once."""
    if not token or len(token) > 200:
        return None
    digest = digest_of(token)
    with read(deps.engine) as connection:
        row = sessions.owner(connection, digest)
    idle = deps.settings.sessions.idle
    if row is None or datetime.now(UTC) - row["seen_at"] > idle:
        return None
    if datetime.now(UTC) - row["seen_at"] > min(_TOUCH, idle / 4):
        _touch(deps, digest)
    return Actor(row["id"], row["name"], Role(row["role"]), via=via, session_digest=digest[:16])


_touching = threading.Lock()


def _touch(deps: Deps, digest: str) -> None:
    """Note that the session is in use. Reading must not wait for writers: the next call tries again."""
    if not _touching.acquire(blocking=False):
        return
    try:
        with write(deps.engine, _TOUCH_PATIENCE_MS) as connection:
            sessions.touch(connection, digest)
    except Unavailable:
        log.warning("a session could not be noted as in use")
    finally:
        _touching.release()


def change_password(deps: Deps, actor: Actor, current: str, password: str) -> None:
    """One's own. A wrong current one counts like a sign-in that failed."""
    _by_user.take(actor.name)
    guessed = False
    try:
        people.change_own_password(deps, actor, current, password)
    except Invalid as wrong:
        guessed = any(each.pointer == "/current" for each in wrong.problems)
        raise
    finally:
        if not guessed:
            _by_user.give_back(actor.name)


def demo_accounts(deps: Deps) -> Sequence[DemoAccount]:
    """The cast of the demo; empty outside it, so that the login page offers nothing it should not."""
    return DEMO if deps.settings.demo else ()


def ensure_demo_accounts(deps: Deps) -> None:
    for account in demo_accounts(deps):
        with read(deps.engine) as connection:
            known = users.by_name(connection, account.name)
        if known is None:
            people.add_user(deps, OPERATOR, account.name, account.role, DEMO_PASSWORD)


def find(deps: Deps, name: str, via: str = "api") -> Actor | None:
    """The person of this name as an actor, for work begun on their behalf by the demo itself."""
    with read(deps.engine) as connection:
        row = users.by_name(connection, name)
    return Actor(row["id"], row["name"], Role(row["role"]), via=via) if row else None
