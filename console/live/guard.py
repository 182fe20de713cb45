"""Default deny: an event handler without a declared permission cannot be called, by nobody and by no way.

Reflex makes every public method of every state a call that any browser may send, and adds a `setvar` to each.
So the permission is declared beside the handler, and a middleware asks for it before anything runs.
"""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex.state import StateUpdate
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext

from console.domain import access
from console.domain.access import Actor, Permission
from console.live import identity
from console.live.permit import Anyone, Need
from console.live.refusals import REFUSALS
from console.live.tab import Tab

_ROOT = "reflex___state____state"
FRAMEWORK = frozenset(
    f"{_ROOT}.{name}"
    for name in (
        "hydrate",
        "hydrate_and_load",
        "set_is_hydrated",
        "reflex___state____on_load_internal_state.on_load_internal",
        "reflex___state____on_load_internal_state.set_is_hydrated",
        "reflex___state____frontend_event_exception_state.handle_frontend_exception",
    )
)


def need_of(event_name: str) -> Need | None:
    registered = RegistrationContext.ensure_context().event_handlers.get(event_name)
    return getattr(registered.handler.fn, "__permission__", None) if registered else None


def may_call(actor: Actor | None, need: Need | None) -> bool:
    if isinstance(need, Anyone):
        return True
    return actor is not None and need is not None and access.allows(actor.role, need)


class Guard(rx.Middleware):
    """Empties a tab that changed hands, then lets an event through or refuses it."""

    async def preprocess(self, app: Any, state: Any, event: Event) -> StateUpdate | None:
        token = EventContext.get().token
        actor = await identity.actor_of(app, token)
        identity.ACTING.set(actor)
        root = state._get_root_state()
        tab = await root.get_state(Tab)
        if tab._owner != (owner := identity.owner_key(actor)):
            root.reset()
            tab._fill(actor, owner)
        if event.name in FRAMEWORK:
            return None
        need = need_of(event.name)
        if may_call(actor, need):
            return None
        if actor is not None:
            await _refuse(actor, need, event.name, identity.socket_of(app, token)[1])
            tab._say("Not allowed", f"{access.rule(need)}." if isinstance(need, Permission) else "", "amber")
        delta = await root._get_resolved_delta()
        root._clean()
        # Navigates softly: under the CSP there is no full navigation from here.
        events = [] if actor else Event.from_event_type(rx.redirect("/login"))
        return StateUpdate(delta=delta, events=events)


async def _refuse(actor: Actor, need: Need | None, event_name: str, address: str) -> None:
    short = event_name.rsplit(".", 1)[-1][:80]
    permission = need.value if need else "undeclared"
    await REFUSALS.record(actor, permission, f"called {short} in the page", address)


def drop_unknown_events(namespace: Any) -> None:
    """Reflex logs an event it does not know with all its headers, the session cookie included."""
    on_event = namespace.on_event
    known = RegistrationContext.ensure_context().event_handlers

    async def known_event(sid: str, data: Any) -> None:
        if _well_formed(data) and data["name"] in known:
            await on_event(sid, data)

    namespace.on_event = known_event


def _well_formed(data: Any) -> bool:
    return (
        isinstance(data, dict)
        and isinstance(data.get("name"), str)
        and isinstance(data.get("payload", {}), dict)
        and isinstance(data.get("router_data", {}), dict)
    )
