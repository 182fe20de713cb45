"""The API with a provider configured, and a browser that walks the whole way."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pytest
from fastapi import FastAPI

from console.api.app import make_api
from console.api.budget import Budget
from console.domain.access import Role
from console.services import accounts, audit, deps, oidc, provider
from console.services.audit import AuditRow
from console.services.deps import Deps
from console.services.people import add_user, list_users
from console.services.throttle import Throttle
from console.settings import Settings
from console.store.engine import open_engine
from console.store.schema import upgrade
from tests.oidc.fake import CLIENT_ID, ISSUER, FakeProvider

OIDC: dict[str, Any] = {
    "issuer": ISSUER,
    "client_id": CLIENT_ID,
    "client_secret": "s3cret",
    "roles": {"review-leads": "admin", "review-team": "supervisor", "review-quality": "qa"},
}
OWN = {"sec-fetch-site": "same-origin"}
FOREIGN = {"sec-fetch-site": "cross-site"}


@dataclass
class World:
    app: FastAPI
    deps: Deps
    fake: FakeProvider

    def browser(self) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, client=("192.0.2.1", 5000))
        return httpx.AsyncClient(transport=transport, base_url="https://console.test")

    def log(self, *kinds: str) -> list[AuditRow]:
        """Oldest first."""
        rows = audit.log(self.deps, accounts.OPERATOR, limit=200).items
        return [row for row in reversed(rows) if not kinds or row.kind in kinds]

    def people(self) -> dict[str, str]:
        return {name: role for name, role, _ in list_users(self.deps)}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with sam in it, made once: migrating it and hashing a password are slow."""
    file = tmp_path_factory.mktemp("oidc") / "console.db"
    engine = open_engine(f"sqlite:///{file}")
    upgrade(engine)
    add_user(Deps(Settings(), engine, {}), accounts.OPERATOR, "sam", Role.SUPERVISOR, "demo")
    engine.dispose()
    return file


@pytest.fixture(scope="session")
def app() -> FastAPI:
    """It finds the world of each test by itself."""
    return make_api(["https://console.test"], Budget(burst=1e6))


@pytest.fixture
def world(app: FastAPI, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    shutil.copy(template, tmp_path / "console.db")
    engine = open_engine(f"sqlite:///{tmp_path / 'console.db'}")
    made = Deps(Settings(data=tmp_path, oidc=OIDC), engine, {})
    fake = FakeProvider()
    known = provider.Provider(made.settings.oidc, httpx2.MockTransport(fake))
    monkeypatch.setattr(deps, "_installed", [made])
    monkeypatch.setattr(provider, "_providers", {(ISSUER, CLIENT_ID): known})
    monkeypatch.setattr(oidc, "_failures", Throttle(burst=20, seconds=3))
    monkeypatch.setattr(accounts, "_last_failures", {})
    yield World(app, made, fake)
    engine.dispose()


async def begin(world: World, browser: httpx.AsyncClient) -> str:
    """As far as the provider; the state that comes back from there."""
    answer = await browser.get("/auth/oidc/start", headers=OWN)
    assert answer.status_code == 303, answer.text
    return world.fake.authorize(answer.headers["location"])


async def finish(browser: httpx.AsyncClient, state: str, **more: str) -> httpx.Response:
    """The callback from the provider's site, then the step that its page takes by itself."""
    query = {"code": "c-1", "state": state, **more}
    answer = await browser.get("/auth/oidc/callback", params=query, headers=FOREIGN)
    if answer.status_code != 200:
        return answer
    return await browser.get(next_of(answer), headers=OWN)


def next_of(page: httpx.Response) -> str:
    return page.text.partition("0; url=")[2].partition('"')[0].replace("&amp;", "&")


async def walk(world: World, browser: httpx.AsyncClient) -> httpx.Response:
    return await finish(browser, await begin(world, browser))


def failure(answer: httpx.Response) -> str:
    """The kind of failure that the login page is told; such an answer signs nobody in."""
    assert answer.status_code == 303, answer.text
    place = urlsplit(answer.headers["location"])
    assert place.path == "/login"
    set_cookies = answer.headers.get_list("set-cookie")
    assert not [each for each in set_cookies if each.startswith(f"{accounts.COOKIE}=")]
    return parse_qs(place.query)["failed"][0]
