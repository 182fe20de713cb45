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
from console.live.incoming import COMPLAINT, FRAMEWORK, drop_unknown_events
from console.live.outgoing import HEARER, Hearer
from console.live.pace import PACE
from console.live.permit import Anyone, Need
from console.live.refusals import REFUSALS
from console.live.strangers import Strangers
from console.live.tab import Tab

__all__ = ["STRANGERS", "Guard", "drop_unknown_events", "may_call", "need_of"]

STRANGERS = Strangers(REFUSALS)


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
        # Before the database is asked: this is the socket whose cookie is looked up.
        sid = identity.sid_of(app, token)
        actor = await identity.actor_of(app, token)
        if sid is not None:
            PACE.heard_from(sid, actor is not None)
        identity.ACTING.set(actor)
        HEARER.set(Hearer(token, sid, identity.owner_key(actor)))
        root = state._get_root_state()
        tab = await root.get_state(Tab)
        if tab._owner != (owner := identity.owner_key(actor)):
            root.reset()
            tab._fill(actor, owner)
        if actor is not None:
            tab._heed()
        if event.name == COMPLAINT and actor is None:
            return StateUpdate()
        if event.name in FRAMEWORK:
            return None
        need = need_of(event.name)
        if may_call(actor, need):
            return None
        if actor is not None:
            await _refuse(actor, need, event.name, identity.socket_of(app, token)[1])
            tab._say("Not allowed", f"{access.rule(need)}." if isinstance(need, Permission) else "", "amber")
        elif _sent_by_a_client(event):
            await STRANGERS.refused(_last_part(event.name), identity.socket_of(app, token)[1])
        delta = await root._get_resolved_delta()
        root._clean()
        # Navigates softly: under the CSP there is no full navigation from here.
        events = [] if actor else Event.from_event_type(rx.redirect("/login"))
        return StateUpdate(delta=delta, events=events)


def _sent_by_a_client(event: Event) -> bool:
    """Not what the opening of a page leads to, nor what the broadcaster asks of a tab: those try nothing."""
    return EventContext.get().parent_txid is None and bool(event.router_data)


def _last_part(event_name: str) -> str:
    return event_name.rsplit(".", 1)[-1][:80]


async def _refuse(actor: Actor, need: Need | None, event_name: str, address: str) -> None:
    permission = need.value if need else "undeclared"
    await REFUSALS.record(actor, permission, f"called {_last_part(event_name)} in the page", address)
