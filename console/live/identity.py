"""Who is at the other end of an event: the cookie of the live socket, looked up anew for every event.

`self.router.headers` is not asked. An event that is enqueued for one tab from anything that descends from
another tab's handler inherits that handler's headers, so it would answer with the wrong person.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from http.cookies import CookieError, SimpleCookie
from typing import Any

from console.domain.access import Actor
from console.domain.errors import Unauthenticated
from console.services import accounts, deps

# Set by the guard before each event, in the task that then runs the handler.
ACTING: ContextVar[Actor | None] = ContextVar("acting", default=None)


def acting() -> Actor:
    """The person whose event is being handled."""
    actor = ACTING.get()
    if actor is None:
        raise Unauthenticated("Sign in first.")
    return actor


def sid_of(app: Any, token: str) -> str | None:
    """The socket that holds this tab now."""
    names = app.event_namespace
    record = names._token_manager.token_to_socket.get(token) if names is not None else None
    return None if record is None else str(record.sid)


def socket_of(app: Any, token: str) -> tuple[str | None, str]:
    """Cookie header and address of the socket that holds this tab; (None, "") when there is none."""
    names = app.event_namespace
    record = names._token_manager.token_to_socket.get(token) if names is not None else None
    if record is None:
        return None, ""
    known = names._static_router_data.get(record.sid, {})
    return known.get("headers", {}).get("cookie"), str(known.get("ip", ""))


def session_in(cookie_header: str | None) -> str | None:
    try:
        jar: SimpleCookie = SimpleCookie(cookie_header or "")
    except CookieError:
        return None
    return jar[accounts.COOKIE].value if accounts.COOKIE in jar else None


async def actor_of(app: Any, token: str) -> Actor | None:
    """Reads the session from the database: a changed role or a sign-out holds from the next event on."""
    session = session_in(socket_of(app, token)[0])
    if session is None:
        return None
    return await asyncio.to_thread(accounts.actor_of_session, deps.current(), session)


def owner_key(actor: Actor | None) -> str:
    """What a tab's state is filled for: one session of one person in one role."""
    return f"{actor.id}:{actor.role}:{actor.session_digest}" if actor else ""
