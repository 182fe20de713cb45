"""Tells open tabs that something changed; each then reads again with its own permissions.

Changes arrive from any thread and only set marks here. One task, started by the lifespan, turns marks into
events: its context holds no event of any tab, so nothing of one person can travel into another's event.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reflex_base.event import Event
from reflex_base.utils.format import format_event_handler

from console.services import deps
from console.services.changes import Change

PACE_SECONDS = 0.1
FORGET_SECONDS = 3600.0
# What a change of each kind makes a tab read again.
ASKS = {
    "queue": ("queue",),
    "review": ("queue", "thread"),
    "thread": ("thread",),
    "token": ("draft",),
    "audit": ("audit",),
    "session": ("queue",),
    "health": ("health",),
    # Another process wrote something; what it was is found by reading.
    "elsewhere": ("queue", "thread", "audit"),
}
EVERYWHERE = frozenset({"queue", "health"})
OF_ONE_THREAD = frozenset({"thread", "draft"})


@dataclass
class Watch:
    """What one tab looks at. `dirty` holds the kinds it has not been told yet."""

    page: str
    source: str = ""
    thread_id: str = ""
    dirty: set[str] = field(default_factory=set)
    flying: dict[str, Any] = field(default_factory=dict)
    seen_at: float = field(default_factory=time.monotonic)

    def wants(self, kind: str, change: Change) -> bool:
        if kind in OF_ONE_THREAD:
            here = (self.source, self.thread_id) == (change.source, change.thread_id)
            return self.page == "desk" and (here or change.kind == "elsewhere")
        return kind in EVERYWHERE or self.page == kind

    def free(self) -> set[str]:
        """Dirty kinds with no event of the same kind on its way: a slow tab gets one, then the newest."""
        return {kind for kind in self.dirty if kind not in self.flying or self.flying[kind].done()}


class Broadcaster:
    """Lives in the web loop; `take` and everything else but `_hop` runs there."""

    def __init__(self) -> None:
        self._app: Any = None
        self._names: dict[str, str] = {}
        self._watching: dict[str, Watch] = {}
        self._wake = asyncio.Event()
        self.closing = False

    def bind(self, app: Any) -> None:
        self._app = app

    def listen(self, **handlers: Any) -> None:
        """Which handler of the tab each kind calls: queue, thread, draft, audit, health."""
        self._names = {kind: format_event_handler(handler) for kind, handler in handlers.items()}

    def watch(self, token: str, page: str, source: str = "", thread_id: str = "") -> None:
        self._watching[token] = Watch(page, source, thread_id)

    def forget(self, token: str) -> None:
        """The tab shows nothing that changes, such as the sign-in page."""
        self._watching.pop(token, None)

    def close_streams(self) -> None:
        """Ends `run`; called before the server stops."""
        self.closing = True
        self._wake.set()

    def take(self, change: Change) -> None:
        for watch in self._watching.values():
            watch.dirty.update(kind for kind in ASKS.get(change.kind, ()) if watch.wants(kind, change))
        self._wake.set()

    async def run(self) -> None:
        """Until `close_streams`: at once after a quiet time, then at most every 100 ms.

        A tab without a socket is passed over. When it connects again it loads its page anew, and with that
        watches and reads everything again.
        """
        self._wake = asyncio.Event()
        unsubscribe = deps.current().changes.subscribe(self._hop(asyncio.get_running_loop()))
        try:
            while not self.closing:
                await self._wake.wait()
                self._wake.clear()
                await self._tell_all()
                await asyncio.sleep(PACE_SECONDS)
        finally:
            unsubscribe()

    def _hop(self, loop: asyncio.AbstractEventLoop) -> Callable[[Change], None]:
        def from_any_thread(change: Change) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self.take, change, context=contextvars.Context())

        return from_any_thread

    async def _tell_all(self) -> None:
        sockets = self._app.event_namespace._token_manager.token_to_socket
        now = time.monotonic()
        for token, watch in list(self._watching.items()):
            if token in sockets:
                watch.seen_at = now
                await self._tell(token, watch)
            elif now - watch.seen_at > FORGET_SECONDS:
                del self._watching[token]

    async def _tell(self, token: str, watch: Watch) -> None:
        for kind in watch.free():
            if kind in self._names:
                watch.flying[kind] = await self._enqueue(token, self._names[kind])
            watch.dirty.discard(kind)
        if watch.dirty:
            self._wake.set()

    async def _enqueue(self, token: str, name: str) -> Any:
        # A fork of the root: no headers, no parent event, nothing of whoever caused the change.
        processor = self._app.event_processor
        context = processor._root_context.fork(token=token)
        return await processor.enqueue(token, Event(name=name, payload={}), context)


BROADCASTER = Broadcaster()
