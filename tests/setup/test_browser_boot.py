"""The built page in a real Chromium: one build for any host and port, and nothing the policy has to block."""

import time
from typing import TYPE_CHECKING

import pytest

from tests.conftest import StartServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, WebSocket

pytestmark = [pytest.mark.browser, pytest.mark.serving]

# Refused evals leave no trace in the console: only this event tells.
WATCH = "document.addEventListener('securitypolicyviolation', e => console.error('csp', e.violatedDirective))"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_page_starts_and_connects_at_its_own_address(
    browser: "Browser", start_server: StartServer, host: str
) -> None:
    server = start_server()
    page = browser.new_page()
    complaints: list[str] = []
    addresses: list[str] = []
    page.add_init_script(WATCH)
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: addresses.append(request.url))

    frames: list[str] = []

    def follow(socket: "WebSocket") -> None:
        addresses.append(socket.url.replace("ws:", "http:", 1))
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    page.on("websocket", follow)
    page.goto(server.url("/", host))
    deadline = time.monotonic() + 10
    while not any(frame.startswith("40/_event") for frame in frames) and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert any(frame.startswith("40/_event") for frame in frames), frames
    own = f"http://{host}:{server.port}/"
    assert [address for address in addresses if not address.startswith(own)] == []
    assert f"{own}_event/" in {address.partition("?")[0] for address in addresses}
    assert complaints == []
    page.close()
