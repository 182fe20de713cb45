"""A raw socket.io client against the served console, behind a proxy that the settings name."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
import socketio  # type: ignore[import-untyped]

from tests.serving import Server

pytestmark = pytest.mark.serving

NAMESPACE, PERSON = "/_event", "203.0.113.7"
ROOT = "reflex___state____state"
COMPLAINT = f"{ROOT}.reflex___state____frontend_event_exception_state.handle_frontend_exception"
SUBMIT = f"{ROOT}.console___features___thread___review_state____review.submit"
FORGED = "x\n2026-11-30 21:00:00,000 ERROR console.live.guard: sam signed in\x1b[2J"


@pytest.fixture(scope="module")
def place(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    env = {"CONSOLE_SERVER__TRUSTED_PROXIES": '["127.0.0.1", "::1"]'}
    with Server(tmp_path_factory.mktemp("raw") / "data", env=env) as server:
        yield server


def call(server: Server, path: str, cookie: str = "", **body: str) -> Any:
    headers = {"Content-Type": "application/json", "X-Forwarded-For": PERSON, "X-Forwarded-Proto": "https"}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(server.url("/api/v1" + path), data, {**headers, "Cookie": cookie})
    return urllib.request.urlopen(request, timeout=30)


def sign_in(server: Server, name: str) -> str:
    """The cookie's header; it has to be secure, since the proxy was called by https."""
    with call(server, "/session", username=name, password="demo") as answer:
        morsel = SimpleCookie(answer.headers["set-cookie"])["console_session"]
    assert morsel["secure"]
    return f"console_session={morsel.value}"


def denied(server: Server) -> list[dict[str, Any]]:
    with call(server, "/audit?kind=denied", cookie=sign_in(server, "ada")) as answer:
        items: list[dict[str, Any]] = json.load(answer)["items"]
    return [each["body"] for each in items]


class Client:
    """`heard` are the updates that came."""

    def __init__(self, server: Server, cookie: str = "") -> None:
        self.heard: list[Any] = []
        self._server, self._cookie = server, cookie
        self.io = socketio.AsyncClient(reconnection=False)
        self.io.on("event", self.heard.append, namespace=NAMESPACE)

    async def open(self) -> Client:
        headers = {"Cookie": self._cookie, "Origin": self._server.base_url, "X-Forwarded-For": PERSON}
        await self.io.connect(
            f"{self._server.base_url}?token=tab",
            headers=headers,
            socketio_path=NAMESPACE,
            namespaces=[NAMESPACE],
            transports=["websocket"],
        )
        return self

    async def emit(self, name: str, data: Any) -> None:
        await self.io.emit(name, data, namespace=NAMESPACE)

    async def event(self, name: str, **payload: Any) -> None:
        where = {"pathname": "/", "asPath": "/", "query": {}}
        await self.emit("event", {"name": name, "payload": payload, "router_data": where})

    async def hears(self, text: str) -> None:
        async with asyncio.timeout(20):
            while text not in json.dumps(self.heard):  # noqa: ASYNC110
                await asyncio.sleep(0.05)


def forged(cookie: str) -> dict[str, Any]:
    headers = [[b"cookie", cookie.encode()], [b"origin", b"http://evil.example"]]
    return {"QUERY_STRING": "token=tab", "asgi.scope": {"headers": headers, "client": ["6.6.6.6", 1]}}


async def test_a_refusal_over_the_socket_has_the_address_that_the_proxy_saw(place: Server) -> None:
    cookie = await asyncio.to_thread(sign_in, place, "quinn")
    client = await Client(place, cookie).open()
    await client.emit("connect", forged(await asyncio.to_thread(sign_in, place, "sam")))
    await client.event(SUBMIT, key="x")
    await client.hears("Not allowed")
    await client.io.disconnect()
    (newest, *_) = await asyncio.to_thread(denied, place)
    assert (newest["actor"]["name"], newest["address"]) == ("quinn", PERSON)


async def test_nobody_becomes_somebody_by_a_forged_connect(place: Server) -> None:
    client = await Client(place).open()
    await client.emit("connect", forged(await asyncio.to_thread(sign_in, place, "sam")))
    await client.event(f"{ROOT}.hydrate_and_load")
    await client.hears("_redirect")
    assert "supervisor" not in json.dumps(client.heard)
    await client.io.disconnect()


async def test_nobody_writes_into_the_log(place: Server) -> None:
    before = len(place.log)
    client = await Client(place).open()
    for _ in range(5):
        await client.event(COMPLAINT, info=FORGED + "A" * 500_000, component_stack="")
    for name in ("disconnect", "client_error", "ping"):
        await client.emit(name, {"message": FORGED})
    for data in ({"name": FORGED}, FORGED, [FORGED], None):
        await client.emit("event", data)
    await client.event(f"{ROOT}.set_is_hydrated", value=FORGED)
    await client.event(f"{ROOT}.hydrate", note=FORGED)
    await client.event(f"{ROOT}.hydrate_and_load")
    await client.hears("_redirect")
    await client.io.disconnect()
    assert place.log[before:] == ""


async def test_a_packet_that_cannot_be_read_ends_its_socket_only(place: Server) -> None:
    before = len(place.log)
    other = await Client(place).open()
    client = await Client(place).open()
    await client.io.eio.send("2/_event,[" + FORGED)
    async with asyncio.timeout(20):
        await client.io.wait()
    await other.event(f"{ROOT}.hydrate_and_load")
    await other.hears("_redirect")
    await other.io.disconnect()
    written = place.log[before:]
    assert written.count("\n") == 1
    assert "a socket is closed: its message raised" in written
    assert "sam signed in" not in written
