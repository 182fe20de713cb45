"""Handlers as somebody in a hurry might write them. Tests import them, so the product never has them."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_base.event import Event
from reflex_base.utils.format import format_event_handler

from console.domain.access import Permission
from console.features.queue.state import Queue
from console.live.broadcast import BROADCASTER
from console.live.permit import guarded

SEEN: list[str] = []


class Careless(rx.State):
    opened: int = 0

    @rx.event
    async def undeclared(self) -> None:
        self.opened += 1

    def forgotten(self) -> None:
        self.opened += 1

    @guarded(Permission.VIEW)
    async def whose(self) -> None:
        """Notes whose headers this event came with."""
        SEEN.append(self.router.headers.cookie)

    @guarded(Permission.VIEW)
    async def poke_naively(self, to: str) -> None:
        """Tells another tab from inside this one's event, the wrong way."""
        processor: Any = BROADCASTER._app.event_processor
        await processor.enqueue(to, Event(name=format_event_handler(Queue.refresh), payload={}))

    @guarded(Permission.VIEW)
    async def poke(self, to: str) -> None:
        """Tells another tab from inside this one's event, by the broadcaster."""
        await BROADCASTER._enqueue(to, format_event_handler(Careless.whose))

    @guarded(Permission.VIEW)
    async def stumble(self) -> None:
        raise RuntimeError("a secret detail")
