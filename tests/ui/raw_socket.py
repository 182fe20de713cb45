"""A client's packets as text, handed to the app's own socket.io server where engine.io would do so."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from socketio.packet import EVENT, Packet  # type: ignore[import-untyped]

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
