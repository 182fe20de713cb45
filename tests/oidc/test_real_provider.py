"""A real provider on this machine, a real browser, the built console: the whole way, and the ways back.

The provider is at 127.0.0.1 and the console at localhost, so that each is a foreign site to the other.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from console.services import accounts, oidc
from tests.oidc.installed import FOLDER, node, path
from tests.serving import Server, environment, free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.serving, pytest.mark.browser]
READY_WITHIN_SECONDS = 30
WATCH = """window.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective), true);"""


@dataclass
class Pair:
    """The console and the provider it believes."""

    console: Server
    issuer: str


@pytest.fixture(scope="module")
def pair(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    program, port = node(), free_port()
    issuer = f"http://127.0.0.1:{port}"
    settings = {
        "CONSOLE_OIDC__ISSUER": issuer,
        "CONSOLE_OIDC__CLIENT_ID": "review-console",
        "CONSOLE_OIDC__CLIENT_SECRET": "a-secret-of-this-test",
        "CONSOLE_OIDC__ROLES": json.dumps({"review-team": "supervisor", "review-quality": "qa"}),
        "CONSOLE_OIDC__LABEL": "Example ID",
    }
    server = Server(tmp_path_factory.mktemp("real") / "data", env=settings)
    command = [program, "serve.mjs", str(port), f"{server.base_url}/auth/oidc/callback"]
    provider = subprocess.Popen(
        command,
        cwd=FOLDER,
        env=environment({"PATH": path()}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(f"{issuer}/.well-known/openid-configuration", provider)
        with server:
            yield Pair(server, issuer)
    finally:
        # The command of the wheel starts the real Node as a child, which must end, too.
        os.killpg(provider.pid, signal.SIGKILL)
        provider.wait()


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert process.poll() is None, "the provider has ended"
            assert time.monotonic() < deadline, "the provider does not answer"
            time.sleep(0.05)


@pytest.fixture
def context(browser: Browser, pair: Pair) -> Iterator[BrowserContext]:
    made = browser.new_context(base_url=pair.console.base_url)
    complaints: list[str] = []
    made.add_init_script(WATCH)
    # The provider's own pages ask for a font from elsewhere.
    made.route(re.compile(r"^https?://(?!localhost|127\.)"), lambda route: route.fulfill(body=""))
    made.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield made
    made.close()
    assert complaints == []


def at_the_provider(context: BrowserContext, pair: Pair, name: str) -> Page:
    """From our login page to the provider's, signed in there, before the last yes."""
    page = context.new_page()
    page.goto("/login")
    expect(page.get_by_test_id("login-provider")).to_have_text("Sign in with Example ID")
    page.get_by_test_id("login-provider").click()
    expect(page).to_have_url(re.compile(re.escape(pair.issuer)))
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    expect(page.get_by_text("Continue")).to_be_visible()
    return page


def sign_in(context: BrowserContext, pair: Pair, name: str) -> Page:
    page = at_the_provider(context, pair, name)
    page.locator("button[type=submit]").click()
    expect(page).to_have_url(f"{pair.console.base_url}/")
    return page


@pytest.mark.parametrize(("name", "role"), [("rosa", "supervisor"), ("quentin", "qa")])
def test_a_person_signs_in_and_is_who_the_provider_says(
    context: BrowserContext, pair: Pair, name: str, role: str
) -> None:
    page = sign_in(context, pair, name)
    page.get_by_test_id("account").click()
    expect(page.get_by_test_id("who")).to_have_text(re.compile(rf"{name}\s*{role}", re.IGNORECASE))
    (session,) = [each for each in context.cookies() if each["name"] == accounts.COOKIE]
    assert (session["httpOnly"], session["sameSite"]) == (True, "Strict")
    assert oidc.COOKIE not in [each["name"] for each in context.cookies()]
    page.reload()
    expect(page).to_have_url(f"{pair.console.base_url}/")
    expect(page.get_by_test_id("account")).to_be_visible()


def test_a_person_without_a_mapped_group_sees_nothing(context: BrowserContext, pair: Pair) -> None:
    sign_in(context, pair, "ulla")
    answer = context.request.get("/api/v1/reviews")
    assert answer.status == 403


def test_the_session_that_the_browser_had_ends(context: BrowserContext, pair: Pair) -> None:
    """Its strict cookie does not come back from the provider's site, and is ended all the same."""
    form = {"username": "sam", "password": "demo"}
    assert context.request.post("/api/v1/session", data=form).status == 200
    (before,) = [each["value"] for each in context.cookies() if each["name"] == accounts.COOKIE]
    sign_in(context, pair, "rosa")
    stolen = {"cookie": f"{accounts.COOKIE}={before}"}
    request = urllib.request.Request(pair.console.url("/api/v1/reviews"), headers=stolen)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    with refused.value:
        assert refused.value.code == 401


def test_a_code_that_was_used_signs_nobody_in(context: BrowserContext, pair: Pair) -> None:
    """Asked of the real provider: the first use is somebody else's, who has seen the address."""
    seen: list[str] = []

    def see(address: str) -> None:
        if "/auth/oidc/callback?" in address:
            seen.append(address)

    context.on("request", lambda request: see(request.url))
    page = sign_in(context, pair, "rosa")
    (callback,) = set(seen)
    context.clear_cookies()
    page.goto(callback)
    expect(page.get_by_test_id("login-message")).to_contain_text("That sign-in did not work")
    assert [each["name"] for each in context.cookies() if each["name"] == accounts.COOKIE] == []
    assert urlsplit(page.url).path == "/login"


def test_saying_no_at_the_provider_is_one_line_on_the_login_page(context: BrowserContext, pair: Pair) -> None:
    page = at_the_provider(context, pair, "rosa")
    page.get_by_text("Cancel").click()
    expect(page.get_by_test_id("login-message")).to_contain_text("That sign-in did not work")
    expect(page.get_by_test_id("login-submit")).to_be_visible()
