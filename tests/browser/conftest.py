"""Browsers of the cast on a served console. A walk fails at its end when a page complained about anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.desk import Desk
from tests.browser.orders import SETTINGS
from tests.chromium import find_or_install
from tests.conftest import CHROMIUM_FLAGS
from tests.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

# Two busy cores make any page slow at times; what is measured is printed, not asserted.
PATIENCE_MS = 20_000
# A refused eval leaves no trace but this event.
WATCH = """
window.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI), true);
"""


_figures: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _figures:
        terminalreporter.write_line(f"measured: {line}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.serving)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium for the folder: none of its tests is async."""
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        chromium = playwright.chromium.launch(executable_path=find_or_install(), args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def server(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One demo server for all whose threads are their own; nobody may expect an empty queue of it.

    Its agent writes at full speed: who wants to see it write has a server with a slower one.
    """
    env = {"CONSOLE_DEMO_TOKEN_DELAY": "0"}
    with Server(tmp_path_factory.mktemp("browser") / "data", env=env) as started:
        yield started


@pytest.fixture(scope="package")
def orders(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose only source is the agent with the deep schemas."""
    folder = tmp_path_factory.mktemp("orders")
    (folder / "console.toml").write_text(SETTINGS)
    with Server(folder / "data", cwd=folder) as started:
        yield started


class Complaints:
    """What pages said against themselves; `tolerate` names what a test brings about on purpose."""

    def __init__(self) -> None:
        self._found: list[str] = []
        self._tolerated: list[re.Pattern[str]] = []

    def tolerate(self, pattern: str) -> None:
        self._tolerated.append(re.compile(pattern))

    def add(self, who: str, text: str) -> None:
        self._found.append(f"{who}: {text}")

    def left(self) -> list[str]:
        return [text for text in self._found if not any(each.search(text) for each in self._tolerated)]

    def watch(self, who: str, context: BrowserContext, host: str) -> None:
        context.add_init_script(WATCH)
        context.on("console", lambda said: self._console(who, said))
        context.on("weberror", lambda error: self.add(who, f"page error: {error.error}"))
        context.on("request", lambda request: self._request(who, request, host))

    def _console(self, who: str, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.add(who, f"console error: {said.text}")

    def _request(self, who: str, request: Request, host: str) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc != host:
            self.add(who, f"foreign request: {request.url}")


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    kept = Complaints()
    yield kept
    assert kept.left() == []


class Figure(Protocol):
    def __call__(self, line: str, /) -> None: ...


@pytest.fixture
def figure() -> Figure:
    """Takes what was measured; it stands under the results and decides nothing."""
    return _figures.append


class SignIn(Protocol):
    def __call__(
        self, name: str, at: Server | None = None, host: str = "localhost", **context: Any
    ) -> Desk: ...


@pytest.fixture
def people(browser: Browser, server: Server, complaints: Complaints) -> Iterator[SignIn]:
    """`people("sam")` is a browser of sam's own, signed in and on no page yet; `nobody` has no session."""
    contexts = []

    def sign_in(name: str, at: Server | None = None, host: str = "localhost", **context: Any) -> Desk:
        base_url = (at or server).url("", host)
        options = {"viewport": {"width": 1440, "height": 900}, **context}
        made = browser.new_context(base_url=base_url, **options)
        contexts.append(made)
        complaints.watch(name, made, urlsplit(base_url).netloc)
        page: Page = made.new_page()
        desk = Desk(name, page)
        if name != "nobody":
            desk.sign_in()
        return desk

    yield sign_in
    for each in contexts:
        each.close()
