"""Connections of answers that came before the request was read to its end."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


def closes_unread(app: ASGIApp) -> ASGIApp:
    """Say `Connection: close` with an answer that leaves some of the request's body unread.

    The server closes such a connection, but says so only when it already knows. A client that was not told
    would send its next request into the closing connection, and see it lost.
    """

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["http_version"] not in ("1.0", "1.1") or not _has_body(scope):
            await app(scope, receive, send)
            return
        unread = True

        async def reading() -> Message:
            nonlocal unread
            message = await receive()
            unread = unread and bool(message.get("more_body", False))
            return message

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start" and unread:
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        await app(scope, reading, answering)

    return watched


def _has_body(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    return headers.get(b"content-length", b"0").strip() != b"0" or b"transfer-encoding" in headers
