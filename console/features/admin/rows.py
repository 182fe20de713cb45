"""People, sessions and tokens as the page draws them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from console.domain.text import escape
from console.features.drawn import stamp
from console.services.people import UserView
from console.services.sessions import SessionRow
from console.services.tokens import TokenView

ROUTE = "/admin"


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    role: str
    enabled: bool
    seen: str
    sessions: str
    tokens: str
    own: bool
    href: str
    acts: str
    made: str


@dataclass(frozen=True)
class SignIn:
    id: str
    made: str
    seen: str
    address: str
    agent: str
    current: bool


@dataclass(frozen=True)
class Token:
    """`state` is empty while it is in force."""

    id: str
    name: str
    scope: str
    made: str
    used: str
    ends: str
    state: str


def address(cursor: str = "", user: str = "") -> str:
    asked = {name: value for name, value in (("cursor", cursor), ("user", user)) if value}
    return f"{ROUTE}?{urlencode(asked)}" if asked else ROUTE


def person(view: UserView, own_id: str, cursor: str) -> Person:
    return Person(
        id=view.id,
        name=escape(view.name),
        role=view.role,
        enabled=view.enabled,
        seen=stamp(view.seen_at),
        sessions=f"{view.sessions:,}",
        tokens=f"{view.tokens:,}",
        own=view.id == own_id,
        href=address(cursor, view.id),
        acts="/audit?" + urlencode({"actor": view.name}),
        made=stamp(view.created_at),
    )


NO_PERSON = Person("", "", "", False, "", "", "", False, ROUTE, "/audit", "")


def sign_in(row: SessionRow) -> SignIn:
    agent = escape(row.agent) or "No name given"
    return SignIn(row.id, stamp(row.created_at), stamp(row.seen_at), escape(row.address), agent, row.current)


def token(view: TokenView, now: str) -> Token:
    ends = stamp(view.expires_at)
    over = "Revoked" if view.revoked_at else "Expired" if ends and ends <= now else ""
    name = escape(view.name) or "Without a name"
    return Token(view.id, name, view.scope, stamp(view.created_at), stamp(view.used_at), ends, over)
