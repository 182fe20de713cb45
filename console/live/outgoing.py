"""What an event has to say goes to the person who sent it, or to nobody.

Between an event and its answer a tab can change hands: the socket closes while a handler waits, and the next
one comes with the same tab and another person's cookie. Reflex sends to whoever holds the tab by then.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from console.live import identity


@dataclass(frozen=True)
class Hearer:
    """The socket that held the tab when its event was let through, and whose it was."""

    token: str
    sid: str | None
    owner: str


# Set by the guard before each event, in the task that then runs the handler and sends its answers.
HEARER: ContextVar[Hearer | None] = ContextVar("hearer", default=None)


def answer_only_who_asked(app: Any) -> None:
    """All of Reflex's deltas and browser events leave by this one method of the namespace."""
    names = app.event_namespace
    emit_update = names.emit_update

    async def to_the_hearer(update: Any, token: str) -> None:
        hearer = HEARER.get()
        if hearer is not None and await _still_there(app, hearer, token):
            await emit_update(update=update, token=token)

    names.emit_update = to_the_hearer


async def _still_there(app: Any, hearer: Hearer, token: str) -> bool:
    """The same tab on the same socket, whose session is still the same person's in the same role."""
    if hearer.sid is None or hearer.token != token or identity.sid_of(app, token) != hearer.sid:
        return False
    owner = identity.owner_key(await identity.actor_of(app, token))
    # Once more, since the socket may have gone while the database was asked.
    return owner == hearer.owner and identity.sid_of(app, token) == hearer.sid
