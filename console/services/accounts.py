"""Signing in and out, and who a request comes from."""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from console.domain.access import Actor, Role
from console.domain.errors import Conflict, Invalid, NotFound, Problem, TooMany, Unauthenticated, Unavailable
from console.domain.ledger import Kind
from console.domain.text import findable
from console.services.address import short
from console.services.changes import Change
from console.services.deps import Deps
from console.services.throttle import Throttle
from console.store import ledger, users
from console.store.engine import RowMapping, read, write

log = logging.getLogger(__name__)
COOKIE = "console_session"
LIFETIME = timedelta(days=7)
IDLE = timedelta(hours=12)
_TOUCH, _TOUCH_PATIENCE_MS = timedelta(minutes=5), 200
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


@cache
def _hasher() -> PasswordHash:
    return PasswordHash((Argon2Hasher(),))


@cache
def nobodys_hash() -> str:
    """Of a password that nobody has: for unknown names, and for people who sign in elsewhere."""
    return _hasher().hash(secrets.token_hex(8))


def _bytes(password: str) -> bytes:
    """Half a character, too, has bytes that can be hashed."""
    return password.encode("utf-8", "surrogatepass")


def fits(password: str, password_hash: str) -> bool:
    return _hasher().verify(_bytes(password[:1000]), password_hash)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def sign_in(deps: Deps, name: str, password: str, address: str) -> SignedIn:
    """Check the password and begin a session; `Unauthenticated` says the same for every wrong part."""
    address = short(address)
    user = _checked(deps, name, password, address)
    if user is None:
        record_failure(deps, address)
        raise Unauthenticated(_WRONG)
    token = secrets.token_urlsafe(32)
    expires_at = datetime.now(UTC) + LIFETIME
    actor = Actor(user["id"], user["name"], Role(user["role"]), session_digest=digest_of(token)[:16])
    with write(deps.engine) as connection:
        users.add_session(connection, digest_of(token), user["id"], expires_at)
        ledger.append(connection, ledger.Entry(Kind.LOGIN, actor, more={"address": address}))
    return SignedIn(token, actor, expires_at)


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
        users.revoke_session(connection, digest_of(token))
        ledger.append(connection, ledger.Entry(Kind.LOGOUT, actor))
    deps.changes.publish(Change("session"))


def actor_of_session(deps: Deps, token: str | None, via: str = "web") -> Actor | None:
    """Whose cookie it is now, by the database: revoking takes effect at once."""
    if not token or len(token) > 200:
        return None
    digest = digest_of(token)
    with read(deps.engine) as connection:
        row = users.of_session(connection, digest)
    if row is None or datetime.now(UTC) - row["seen_at"] > IDLE:
        return None
    if datetime.now(UTC) - row["seen_at"] > _TOUCH:
        _touch(deps, digest)
    return Actor(row["id"], row["name"], Role(row["role"]), via=via, session_digest=digest[:16])


_touching = threading.Lock()


def _touch(deps: Deps, digest: str) -> None:
    """Note that the session is in use. Reading must not wait for writers: the next call tries again."""
    if not _touching.acquire(blocking=False):
        return
    try:
        with write(deps.engine, _TOUCH_PATIENCE_MS) as connection:
            users.touch_session(connection, digest)
    except Unavailable:
        log.warning("a session could not be noted as in use")
    finally:
        _touching.release()


def actor_of_token(deps: Deps, bearer: str) -> Actor | None:
    if not bearer or len(bearer) > 200:
        return None
    digest = digest_of(bearer)
    with read(deps.engine) as connection:
        row = users.of_token(connection, digest)
    return (
        Actor(row["id"], row["name"], Role(row["role"]), via="api", session_digest=digest[:16])
        if row
        else None
    )


def demo_accounts(deps: Deps) -> Sequence[DemoAccount]:
    """The cast of the demo; empty outside it, so that the login page offers nothing it should not."""
    return DEMO if deps.settings.demo else ()


def ensure_demo_accounts(deps: Deps) -> None:
    for account in demo_accounts(deps):
        with read(deps.engine) as connection:
            known = users.by_name(connection, account.name)
        if known is None:
            add_user(deps, OPERATOR, account.name, account.role, DEMO_PASSWORD)


def find(deps: Deps, name: str, via: str = "api") -> Actor | None:
    """The person of this name as an actor, for work begun on their behalf by the demo itself."""
    with read(deps.engine) as connection:
        row = users.by_name(connection, name)
    return Actor(row["id"], row["name"], Role(row["role"]), via=via) if row else None


def add_user(deps: Deps, actor: Actor, name: str, role: str, password: str) -> str:
    """Add a person and return their id; `Conflict` when the name is taken."""
    problems = []
    if not name or len(name) > 64 or not name.isprintable() or name != name.strip():
        problems.append(Problem("a name is 1 to 64 printable characters", pointer="/name"))
    if role not in list(Role):
        problems.append(Problem(f"role is one of {', '.join(Role)}", pointer="/role"))
    if len(password) < 4:
        problems.append(Problem("a password has at least 4 characters", pointer="/password"))
    if problems:
        raise Invalid(problems)
    user_id, hashed = uuid.uuid4().hex, _hasher().hash(_bytes(password))
    with write(deps.engine) as connection:
        if users.by_name(connection, name) is not None:
            raise Conflict(f"There is a user {name} already.", kind="name-taken")
        users.add(connection, user_id, name, role, hashed)
        ledger.append(connection, ledger.Entry(Kind.USER_ADDED, actor, more={"user": name, "role": role}))
    return user_id


def list_users(deps: Deps) -> list[tuple[str, str, bool]]:
    """(name, role, enabled) of everyone, by name."""
    with read(deps.engine) as connection:
        return [(row["name"], row["role"], row["disabled_at"] is None) for row in users.everyone(connection)]


def change_role(deps: Deps, actor: Actor, name: str, role: str) -> None:
    """Give another role and end every session and token of the user at once."""
    if role not in list(Role):
        raise Invalid([Problem(f"role is one of {', '.join(Role)}", pointer="/role")])
    with write(deps.engine) as connection:
        user = users.by_name(connection, name)
        if user is None:
            raise NotFound(f"There is no user {name}.")
        users.change(connection, user["id"], role=role)
        users.revoke_everything(connection, user["id"])
        ledger.append(connection, ledger.Entry(Kind.ROLE_CHANGED, actor, more={"user": name, "role": role}))
    deps.changes.publish(Change("session"))


def disable_user(deps: Deps, actor: Actor, name: str) -> None:
    with write(deps.engine) as connection:
        user = users.by_name(connection, name)
        if user is None:
            raise NotFound(f"There is no user {name}.")
        users.change(connection, user["id"], disabled_at=datetime.now(UTC))
        users.revoke_everything(connection, user["id"])
        ledger.append(connection, ledger.Entry(Kind.USER_DISABLED, actor, more={"user": name}))
    deps.changes.publish(Change("session"))


def create_token(deps: Deps, actor: Actor, user_name: str, label: str) -> tuple[str, str]:
    """(token id, token); the token is shown this once and kept as a digest only."""
    token, token_id = "rc_" + secrets.token_urlsafe(32), uuid.uuid4().hex
    with write(deps.engine) as connection:
        user = users.by_name(connection, user_name)
        if user is None:
            raise NotFound(f"There is no user {user_name}.")
        users.add_token(connection, token_id, digest_of(token), user["id"], label)
        ledger.append(
            connection, ledger.Entry(Kind.TOKEN_CREATED, actor, more={"user": user_name, "token": token_id})
        )
    return token_id, token


def revoke_token(deps: Deps, actor: Actor, token_id: str) -> None:
    with write(deps.engine) as connection:
        if not users.revoke_token(connection, token_id):
            raise NotFound(f"There is no token {token_id} in force.")
        ledger.append(connection, ledger.Entry(Kind.TOKEN_REVOKED, actor, more={"token": token_id}))
