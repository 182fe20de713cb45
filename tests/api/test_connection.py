"""A client learns that its connection ends here, before it sends the next request into it."""

from __future__ import annotations

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from console.api.connection import closes_unread


async def reads(scope: Scope, receive: Receive, send: Send) -> None:
    await Request(scope, receive).body()
    await PlainTextResponse("read")(scope, receive, send)


async def refuses(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("no", 415)(scope, receive, send)


async def gives_up(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await PlainTextResponse("too much", 413)(scope, receive, send)


async def parts() -> object:
    for _ in range(3):
        yield b"x" * 10


@pytest.mark.parametrize(
    ("app", "content", "told"),
    [
        (reads, b"abc", None),
        (reads, None, None),
        (refuses, None, None),
        (refuses, b"", None),
        (refuses, b"abc", "close"),
        (gives_up, "parts", "close"),
    ],
)
async def test_only_what_was_left_unread_ends_the_connection(
    app: object, content: object, told: str | None
) -> None:
    transport = httpx.ASGITransport(closes_unread(app))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/x", content=parts() if content == "parts" else content)  # type: ignore[arg-type]
    assert answer.headers.get("connection") == told


async def test_where_connections_have_no_such_header_it_is_not_sent() -> None:
    sent = []

    async def send(message: object) -> None:
        sent.append(message)

    headers = [(b"content-length", b"3")]
    scope = {"type": "http", "http_version": "2", "headers": headers, "path": "/", "method": "POST"}
    await closes_unread(refuses)(scope, None, send)  # type: ignore[arg-type]
    assert b"connection" not in dict(sent[0]["headers"])  # type: ignore[index]
