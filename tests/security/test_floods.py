"""A served console under floods: it stays up, takes little, and goes on serving those who are honest.

`FLOOD=full` has each attack last until the console itself puts an end to it, which takes a minute.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import socketio  # type: ignore[import-untyped]

from tests.serving import Server

pytestmark = pytest.mark.serving

FULL = os.environ.get("FLOOD") == "full"
SOCKETS = 1_000
NAMESPACE = "/_event"
ROOT = "reflex___state____state"
MB = 1_000_000


@pytest.fixture(scope="module")
def place(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("floods") / "data") as server:
        yield server


def call(server: Server, path: str, body: Any = None, cookie: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "cookie": cookie}
    with urllib.request.urlopen(
        urllib.request.Request(server.url(path), data, headers), timeout=10
    ) as answer:
        return json.load(answer), answer.headers


@pytest.fixture(scope="module")
def cookie(place: Server) -> str:
    _, headers = call(place, "/api/v1/session", {"username": "sam", "password": "demo"})
    return str(headers["set-cookie"].split(";")[0])


def works(server: Server, cookie: str) -> bool:
    """What an honest person needs: the page, the queue, and a new thread."""
    with urllib.request.urlopen(server.url("/login"), timeout=10) as page:
        assert page.status == 200
    reviews, _ = call(server, "/api/v1/reviews", cookie=cookie)
    made, _ = call(server, "/api/v1/threads", {"source": "support", "message": "hello"}, cookie)
    return "items" in reviews and bool(made["thread_id"])


def memory(server: Server) -> int:
    """Bytes of the console's memory that are in use."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024  # type: ignore[index]


def open_socket(server: Server, first: bytes) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    made.sendall(first)
    return made


UPGRADE = (
    b"GET /_event/?EIO=4&transport=websocket&token=t HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\n"
    b"connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
BODY = (
    b"POST /api/v1/session HTTP/1.1\r\nhost: localhost\r\n"
    b"content-type: application/json\r\ncontent-length: 900\r\n\r\n{"
)
HALF_OPEN = {
    "connected and silent": b"",
    "half a header": b"GET /login HTTP/1.1\r\nhost: loc",
    "half a body": BODY,
    "a websocket without a word": UPGRADE,
}


def test_honest_people_go_on_while_a_thousand_sockets_are_half_open(place: Server, cookie: str) -> None:
    with ExitStack() as opened:
        for number in range(SOCKETS):
            first = list(HALF_OPEN.values())[number % len(HALF_OPEN)]
            opened.enter_context(open_socket(place, first))
        assert works(place, cookie)
    assert works(place, cookie)


@pytest.mark.skipif(not FULL, reason="takes as long as the console's own patience")
@pytest.mark.parametrize("kind", ["half a header", "half a body"])
def test_a_slow_client_is_told_to_go(place: Server, kind: str) -> None:
    with open_socket(place, HALF_OPEN[kind]) as slow:
        slow.settimeout(40)
        said = slow.recv(1000)
    assert said == b"" or b" 408 " in said.splitlines()[0]


@pytest.mark.parametrize(
    "path", ["/api/v1/session", "/auth/login", "/api/v1/threads", "/api/v1/nowhere", "/"]
)
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_100_mb_is_refused_and_not_kept(
    place: Server, cookie: str, path: str, announced: bool
) -> None:
    before = memory(place)
    status = post(place, path, cookie, 100 * MB, announced)
    assert status in {0, 401, 404, 405, 413}, status
    assert memory(place) - before < 30 * MB
    assert works(place, cookie)


def post(server: Server, path: str, cookie: str, size: int, announced: bool) -> int:
    """The status of the answer; 0 when the connection was cut while the body still came."""
    length = f"content-length: {size}" if announced else "transfer-encoding: chunked"
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\ncontent-type: application/json\r\n"
    )
    piece = b" " * 65_536 if announced else b"10000\r\n" + b" " * 65_536 + b"\r\n"
    with open_socket(server, f"{head}{length}\r\n\r\n".encode()) as sender:
        try:
            for _ in range(size // 65_536):
                sender.sendall(piece)
                if answered(sender):
                    break
        except OSError:
            pass
        try:
            found = re.match(rb"HTTP/1.1 (\d+)", sender.recv(1000))
        except OSError:
            found = None
    return int(found[1]) if found else 0


def answered(sender: socket.socket) -> bool:
    sender.setblocking(False)
    try:
        return sender.recv(1, socket.MSG_PEEK) is not None
    except BlockingIOError:
        return False
    finally:
        sender.setblocking(True)
        sender.settimeout(10)


# --- the socket of the pages


class Page:
    """`heard` counts what the server sent."""

    def __init__(self, server: Server, cookie: str = "", token: str = "tab") -> None:
        self.heard = 0
        self._server, self._headers = server, {"Cookie": cookie, "Origin": server.base_url}
        self._token = token
        self.io = socketio.AsyncClient(reconnection=False)
        self.io.on("event", self._hear, namespace=NAMESPACE)

    def _hear(self, update: Any) -> None:
        self.heard += 1

    async def __aenter__(self) -> Page:
        where = f"{self._server.base_url}?token={self._token}"
        given: dict[str, Any] = {"headers": self._headers, "transports": ["websocket"]}
        await self.io.connect(where, socketio_path=NAMESPACE, namespaces=[NAMESPACE], **given)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.io.disconnect()

    async def say(self, name: str, **payload: Any) -> None:
        where = {"pathname": "/", "asPath": "/", "query": {}}
        event = {"name": name, "payload": payload, "router_data": where}
        await self.io.emit("event", event, namespace=NAMESPACE)

    async def hears_more(self, than: int) -> None:
        async with asyncio.timeout(20):
            while self.heard <= than:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def quiet(count: Callable[[], int]) -> int:
    """What it comes to once it has stood still for a while."""
    before = -1
    while before != (now := count()):
        before = now
        await asyncio.sleep(1.0)
    return now


async def test_a_flood_of_events_from_nobody_is_dropped_but_for_a_few(place: Server, cookie: str) -> None:
    before = len(place.log)
    async with Page(place, token="flood") as flood, Page(place, cookie, "honest") as honest:
        for _ in range(2_000):
            await flood.say(f"{ROOT}.hydrate")
        await honest.say(f"{ROOT}.hydrate")
        await honest.hears_more(0)
        answered = await quiet(lambda: flood.heard)
    assert 0 < answered < 200, answered
    assert place.log[before:] == ""
    assert await asyncio.to_thread(works, place, cookie)


async def test_a_person_who_clicks_a_hundred_times_is_heard_each_time(place: Server, cookie: str) -> None:
    async with Page(place, cookie, "clicks") as page:
        await page.say(f"{ROOT}.hydrate")
        await page.hears_more(0)
        first = page.heard
        for _ in range(100):
            await page.say(f"{ROOT}.hydrate")
        await page.hears_more(first + 99)


async def test_a_message_of_many_megabytes_ends_its_socket_only(place: Server, cookie: str) -> None:
    async with Page(place, cookie, "honest") as honest:
        big = await Page(place, token="big").__aenter__()
        await big.say(f"{ROOT}.hydrate", note="A" * 20 * MB)
        async with asyncio.timeout(20):
            await big.io.wait()
        await honest.say(f"{ROOT}.hydrate")
        await honest.hears_more(0)
    assert await asyncio.to_thread(works, place, cookie)
