"""What every test may ask for. Browser tests are plain functions: Playwright's loop allows no other."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from hypothesis import settings as hypothesis_settings

from tests.chromium import find_or_install
from tests.serving import ROOT, Server, environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# As in `console serve`, and before anything imports langgraph.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

# Two busy cores make any deadline per example a matter of luck.
hypothesis_settings.register_profile("console", deadline=None)
hypothesis_settings.load_profile("console")

CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class StartServer(Protocol):
    def __call__(self, *, port: int | None = None, args: Sequence[str] = ("--demo",)) -> Server: ...


@pytest.fixture(autouse=True)
def no_settings_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("CONSOLE_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def built_frontend() -> Path:
    """The built pages, made now if what goes into them has changed."""
    command = [sys.executable, "-m", "console.build", "--if-stale"]
    subprocess.run(command, cwd=ROOT, env=environment(), check=True)
    return ROOT / "console" / "_web"


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The one app of this process with all its pages. Reflex writes where it stands: an empty folder.

    Here and nowhere else, since a fixture is made once for each file that names it as its own.
    """
    from console import webconfig

    folder = tmp_path_factory.mktemp("pages")
    before = dict(os.environ)
    webconfig.prepare_environment(folder / "web")
    with chdir(folder):
        webconfig.install(webconfig.make_config(("http://localhost:3000",)))
        from console.console import app

        yield app
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def server(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One demo server for a module whose tests do not disturb one another."""
    with Server(tmp_path_factory.mktemp("console") / "data") as started:
        yield started


@pytest.fixture
def start_server(built_frontend: Path, tmp_path: Path) -> Iterator[StartServer]:
    """For tests that stop, kill or compare servers: each call starts one, all end with the test."""
    with ExitStack() as stack:

        def start(*, port: int | None = None, args: Sequence[str] = ("--demo",)) -> Server:
            return stack.enter_context(Server(tmp_path / "data", port=port, args=args))

        yield start


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A real Chromium. Ended with its module, since while it lives no async test can run in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_or_install(), args=list(CHROMIUM_FLAGS))
        yield chromium
        chromium.close()
