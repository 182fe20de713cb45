"""A client's packets as text, handed to the app's own socket.io server where engine.io would do so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from reflex.state import StateUpdate
from socketio.packet import EVENT, Packet  # type: ignore[import-untyped]

from console.services import accounts
from tests.ui.pipeline import Pipeline

NAMESPACE = "/_event"


@dataclass
class RawSocket:
    """`sent` is what the server sent to this socket; `closed` whether it was closed by it."""

    app: Any
    eio_sid: str
    cookie: str = ""
    address: str = "192.0.2.1"
    sent: list[str] = field(default_factory=list)
    closed: bool = False

    async def open(self, query: str = "token=tab", auth: Any = None, version: str = "") -> RawSocket:
        headers = [(b"cookie", self.cookie.encode()), (b"origin", b"http://localhost:3000")]
        scope = {"type": "websocket", "headers": headers, "client": (self.address, 5000)}
        environ = {"QUERY_STRING": query, "HTTP_SEC_WEBSOCKET_PROTOCOL": version, "asgi.scope": scope}
        await self.app.sio._handle_eio_connect(self.eio_sid, environ)
        await self.packet("0" + NAMESPACE + "," + ("" if auth is None else json.dumps(auth)))
        return self

    async def packet(self, sent: str | bytes) -> None:
        await self.app.sio.eio._trigger_event("message", self.eio_sid, sent)

    async def emit(self, *parts: Any) -> None:
        """Bytes among the parts travel as attachments, as any client may send them."""
        encoded = Packet(EVENT, data=list(parts), namespace=NAMESPACE).encode()
        for sent in encoded if isinstance(encoded, list) else [encoded]:
            await self.packet(sent)

    async def close(self) -> None:
        await self.app.sio.eio._trigger_event("disconnect", self.eio_sid, "transport close")

    @property
    def sid(self) -> str | None:
        found: str | None = self.app.sio.manager.sid_from_eio_sid(self.eio_sid, NAMESPACE)
        return found

    @property
    def said(self) -> str:
        return "\n".join(self.sent)


Opener = Callable[..., Awaitable[RawSocket]]


def place(path: str = "/") -> dict[str, Any]:
    return {"pathname": path, "asPath": path, "query": {}}


def event(name: str, **payload: Any) -> dict[str, Any]:
    return {"name": name, "payload": payload, "router_data": place()}


@pytest_asyncio.fixture
async def opened(pages: Any, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opener]:
    """Opens raw sockets; their events run through the pipeline's processor."""
    sockets: dict[str, RawSocket] = {}

    async def send(eio_sid: str, text: str) -> None:
        sockets[eio_sid].sent.append(text)

    async def send_packet(eio_sid: str, packet: Any) -> None:
        await send(eio_sid, packet.data)

    async def disconnect(eio_sid: str) -> None:
        sockets[eio_sid].closed = True

    monkeypatch.setattr(pages.sio.eio, "send_packet", send_packet)
    monkeypatch.setattr(pages.sio.eio, "send", send)
    monkeypatch.setattr(pages.sio.eio, "disconnect", disconnect)

    async def open_one(who: str = "nobody", **given: Any) -> RawSocket:
        session = pipeline.sessions.get(who, "")
        cookie = f"{accounts.COOKIE}={session}" if session else ""
        eio_sid = f"eio-{len(sockets)}"
        sockets[eio_sid] = RawSocket(pages, eio_sid, cookie)
        return await sockets[eio_sid].open(**given)

    yield open_one
    for socket in sockets.values():
        await socket.close()


@pytest.fixture
def answering(pages: Any, pipeline: Pipeline) -> None:
    """Answers go to the sockets themselves, by the way they really take, and not to the pipeline's lists."""
    names = pages.event_namespace

    async def emit_delta(token: str, delta: Any) -> None:
        await names.emit_update(update=StateUpdate(delta=delta), token=token)

    async def emit_event(token: str, *events: Any) -> None:
        await names.emit_update(update=StateUpdate(events=list(events)), token=token)

    # Forks of the root take over what is put there.
    for impl, way in (("emit_delta_impl", emit_delta), ("emit_event_impl", emit_event)):
        object.__setattr__(pipeline.processor._root_context, impl, way)


async def settled(pipeline: Pipeline) -> None:
    """Everything that was let through has been handled."""
    async with asyncio.timeout(20):
        while pipeline.processor._futures or pipeline.processor._tasks:  # noqa: ASYNC110
            await asyncio.sleep(0.003)
