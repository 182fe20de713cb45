"""`console serve` in an empty folder, without Node, with a strange home: nothing guessed, nothing left."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.conftest import StartServer
from tests.serving import ROOT, Server, environment

pytestmark = pytest.mark.serving

EVENT = "/_event/?EIO=4&transport=websocket"


class Place(NamedTuple):
    server: Server
    folder: Path
    home: Path
    calls: Path


@pytest.fixture(scope="module")
def place(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("empty")
    folder, home, calls = base / "folder", base / "home", base / "calls"
    folder.mkdir()
    home.mkdir()
    env = {
        "PATH": "/nonexistent",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(Path(__file__).with_name("watched")))),
        "WATCHED_CALLS": str(calls),
    }
    with Server(base / "data", env=env, cwd=folder) as server:
        yield Place(server, folder, home, calls)


def fetch(url: str) -> tuple[int, dict[str, str]]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, dict(answer.headers.items())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, dict(refused.headers.items())


def connection(server: Server, origin: str) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{server.port}{EVENT}", origin=Origin(origin), open_timeout=10)


def upgrade(server: Server, origin: str) -> int:
    """Status of a websocket upgrade from a page of `origin`."""
    try:
        with connection(server, origin) as browser:
            assert str(browser.recv(timeout=10)).startswith("0{")
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "https://localhost"])
def test_a_foreign_origin_is_refused_at_the_upgrade(place: Place, origin: str) -> None:
    assert upgrade(place.server, origin) == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_own_origin_is_accepted(place: Place, host: str) -> None:
    assert upgrade(place.server, place.server.url("", host)) == 101


def test_the_folder_and_the_home_stay_empty(place: Place) -> None:
    upgrade(place.server, place.server.base_url)
    fetch(place.server.url("/"))
    assert list(place.folder.rglob("*")) == []
    assert list(place.home.rglob("*")) == []


def test_nobody_outside_is_called(place: Place) -> None:
    upgrade(place.server, place.server.base_url)
    assert place.calls.read_text().splitlines() == ["watching"]


def test_the_watch_on_calls_would_see_one(place: Place, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script = "import socket; socket.getaddrinfo('telemetry.invalid', 443)"
    env = environment(
        {"PYTHONPATH": str(Path(__file__).with_name("watched")), "WATCHED_CALLS": str(calls)},
    )
    command = [place.server.command()[0], "-c", script]
    subprocess.run(command, env=env, check=False, capture_output=True, timeout=60)
    assert "telemetry.invalid" in calls.read_text()


def an_asset(built: Path) -> str:
    return next(f"/assets/{file.name}" for file in (built / "build/client/assets").glob("entry.client-*.js"))


@pytest.mark.parametrize("path", ["/", "ASSET", "/favicon.svg", "/nope", "/api/v1/nope", "/ping"])
def test_every_response_carries_the_policy(place: Place, built_frontend: Path, path: str) -> None:
    _, headers = fetch(place.server.url(an_asset(built_frontend) if path == "ASSET" else path))
    policy = headers["content-security-policy"]
    assert "script-src 'self' 'sha256-" in policy
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_named_by_content_means_kept_and_a_page_is_always_asked_for(
    place: Place, built_frontend: Path
) -> None:
    _, asset = fetch(place.server.url(an_asset(built_frontend)))
    _, page = fetch(place.server.url("/"))
    assert "immutable" in asset["cache-control"]
    assert page["cache-control"] == "no-cache"


def test_an_unknown_page_is_404_and_not_kept(place: Place) -> None:
    status, headers = fetch(place.server.url("/nope"))
    assert (status, headers["cache-control"]) == (404, "no-store")


def test_ready_is_said_with_the_accounts(place: Place) -> None:
    deadline = time.monotonic() + 10
    while "Demo accounts" not in place.server.log and time.monotonic() < deadline:
        time.sleep(0.05)
    assert f"Review Console is ready on http://localhost:{place.server.port}\n" in place.server.log
    assert "sam and sue (supervisors), quinn (qa), ada (admin)" in place.server.log


def test_a_second_server_on_the_port_is_refused_with_one_line(place: Place, tmp_path: Path) -> None:
    second = Server(tmp_path / "data", port=place.server.port)
    ended = subprocess.run(
        second.command(),
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"console: port {second.port} on 127.0.0.1 is taken: choose another with --port"
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_is_clean_and_quick_with_a_browser_connected(start_server: StartServer, number: int) -> None:
    server = start_server()
    with connection(server, server.base_url) as browser:
        browser.recv(timeout=10)
        begun = time.monotonic()
        assert server.stop(number) == 0
    assert time.monotonic() - begun < 10
    assert "has stopped" in server.log
    assert "Traceback" not in server.log
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", server.port))


def test_a_start_after_a_kill_goes_on_with_the_same_data_and_port(start_server: StartServer) -> None:
    server = start_server()
    server.kill9()
    assert not server.answers()
    server.start()
    assert server.answers()


def test_the_data_folder_is_closed_to_others(built_frontend: Path, tmp_path: Path) -> None:
    missing = tmp_path / "not" / "there"
    server = Server(missing)
    process = subprocess.Popen(
        server.command(),
        env=environment(),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not server.answers() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert missing.stat().st_mode & 0o077 == 0
    finally:
        process.terminate()
        process.wait(30)
