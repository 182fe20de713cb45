"""The person behind an identity provider's answer: found or made, given the claim's role, signed in."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.services import credentials, people
from console.services.accounts import SignedIn
from console.services.changes import Change
from console.services.deps import Deps
from console.store import identities, ledger, sessions, users
from console.store.engine import Connection, RowMapping, write

LONGEST_NAME = 64
# Who acts when a claim, and no person of this console, decides about an account.
SIGN_ON = Actor(id="oidc", name="identity provider", role=Role.NONE)


@dataclass(frozen=True)
class Person:
    """As the provider names them; `wish` is what they would like to be called, `role` follows the claim."""

    issuer: str
    subject: str
    wish: str
    role: str


def sign_in(deps: Deps, person: Person, once: str, kept_seconds: int, address: str) -> SignedIn | None:
    """One transaction: link or make the account, follow the role, begin a session. None: refused.

    Refused are an answer that was used before (`once` is its digest) and an account that is disabled here,
    whatever the provider says.
    """
    token, now = secrets.token_urlsafe(32), datetime.now(UTC)
    # Twice as long as an answer may take, so that it is too old before it is forgotten.
    forget_before = now - timedelta(seconds=2 * kept_seconds)
    # Here, since its first making is slow and the transaction should be short.
    unusable = credentials.nobodys_hash()
    with write(deps.engine) as connection:
        if not identities.use(connection, once, forget_before):
            return None
        user = _linked(connection, person, unusable)
        if user is None or user["disabled_at"] is not None:
            return None
        changed = _follow(connection, user, person.role)
        actor = Actor(
            user["id"], user["name"], Role(person.role), session_digest=credentials.digest_of(token)[:16]
        )
        expires_at = now + deps.settings.sessions.lifetime
        sessions.add(connection, credentials.digest_of(token), user["id"], expires_at, address)
        more = {"address": address, "issuer": person.issuer}
        ledger.append(connection, ledger.Entry(Kind.LOGIN, actor, more=more))
    if changed:
        deps.changes.publish(Change("session"))
    return SignedIn(token, actor, expires_at)


def _linked(connection: Connection, person: Person, unusable: str) -> RowMapping | None:
    """By issuer and subject alone. A new person gets an account of their own, also when the name is known."""
    known = identities.user_of(connection, person.issuer, person.subject)
    if known is not None:
        return known
    name = next((each for each in names_for(person) if not identities.is_taken(connection, each)), None)
    if name is None:
        return None
    user_id = uuid.uuid4().hex
    users.add(connection, user_id, name, person.role, unusable)
    identities.link(connection, person.issuer, person.subject, user_id)
    more = {"user": name, "role": person.role, "issuer": person.issuer, "subject": person.subject}
    ledger.append(connection, ledger.Entry(Kind.USER_ADDED, SIGN_ON, more=more))
    return identities.user_of(connection, person.issuer, person.subject)


def _follow(connection: Connection, user: RowMapping, role: str) -> bool:
    """A changed role ends every session and token that was given under the former one."""
    if user["role"] == role:
        return False
    users.change(connection, user["id"], role=role)
    users.revoke_everything(connection, user["id"])
    more = {"user": user["name"], "role": role}
    ledger.append(connection, ledger.Entry(Kind.ROLE_CHANGED, SIGN_ON, more=more))
    return True


def names_for(person: Person) -> Iterator[str]:
    """The wish; with the provider's host when an account has that name; with a piece of the subject's digest.

    Only letters a person can see and tell apart from nothing: no control or format characters.
    """
    whole = unicodedata.normalize("NFKC", person.wish)
    wish = " ".join("".join(char if char.isprintable() else " " for char in whole).split())
    wish = wish[:LONGEST_NAME].strip() or "person"
    if wish.lower() not in people.RESERVED:
        yield wish
    host = (urlsplit(person.issuer).hostname or "provider")[:40]
    digest = hashlib.sha256(f"{person.issuer}\n{person.subject}".encode("utf-8", "surrogatepass")).hexdigest()
    for end in (f"@{host}", f"@{host}#{digest[:6]}"):
        yield wish[: LONGEST_NAME - len(end)] + end
