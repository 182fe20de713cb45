"""A page that is not ours can do nothing with the cookie of someone signed in here."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI

from console.api.app import make_api
from console.api.budget import Budget
from console.services import accounts
from tests.api.conftest import World, client_of, problem_of

OWN = "http://localhost:3000"
FOREIGN = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://localhost:3001"},
    {"origin": "http://localhost:3000.evil.example"},
    {"origin": ""},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "cross-site", "origin": OWN},
]
OURS: list[dict[str, str]] = [
    {"origin": OWN},
    {"sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "same-origin", "origin": "null"},
    {},
]


@pytest.fixture(scope="module")
def own_api() -> FastAPI:
    return make_api(origins=[OWN], budget=Budget(burst=1e6))


@pytest.fixture
async def browser(world: World, own_api: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """sam's, with a session in its cookie."""
    token = accounts.sign_in(world.deps, "sam", "demo", "192.0.2.1").token
    async with client_of(own_api, cookies={accounts.COOKIE: token}) as client:
        yield client


@pytest.mark.parametrize("headers", FOREIGN)
async def test_unsafe_calls_from_foreign_pages_are_refused_and_recorded(
    world: World, browser: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await browser.post("/api/v1/threads", json={"message": "hello"}, headers=headers)
    assert problem_of(answer, 403)["type"].endswith(":foreign-origin")
    assert world.refusals() == [("sam", "foreign-origin", "POST /api/v1/threads")]


@pytest.mark.parametrize("headers", OURS)
async def test_unsafe_calls_from_our_pages_and_from_scripts_pass(
    browser: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    assert (await browser.post("/api/v1/threads", json={}, headers=headers)).status_code == 422


@pytest.mark.parametrize("headers", FOREIGN)
async def test_reading_is_left_to_the_browsers_own_rules(
    browser: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await browser.get("/api/v1/reviews", headers=headers)
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", ["/auth/login", "/auth/logout"])
async def test_the_forms_take_nothing_from_foreign_pages(
    browser: httpx.AsyncClient, path: str, headers: dict[str, str]
) -> None:
    answer = await browser.post(path, data={"username": "sam", "password": "demo"}, headers=headers)
    problem_of(answer, 403)
    assert "set-cookie" not in answer.headers
    assert (await browser.get("/api/v1/reviews")).status_code == 200


@pytest.mark.parametrize("headers", FOREIGN)
async def test_nobody_is_signed_in_or_out_by_a_foreign_page(
    browser: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    body = {"username": "quinn", "password": "demo"}
    problem_of(await browser.post("/api/v1/session", json=body, headers=headers), 403)
    problem_of(await browser.delete("/api/v1/session", headers=headers), 403)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
@pytest.mark.parametrize("path", ["/api/v1/threads", "/api/v1/session"])
async def test_with_a_cookie_only_json_is_a_body(browser: httpx.AsyncClient, path: str, kind: str) -> None:
    """These types need no preflight: a form on any page can send them."""
    answer = await browser.post(path, content=b'{"message": "hi"}', headers={"content-type": kind})
    assert problem_of(answer, 415)["type"].endswith(":not-json")


async def test_a_token_needs_no_origin_since_no_page_sends_it_unasked(world: World) -> None:
    async with world.client("sam") as client:
        headers = {"origin": "https://evil.example", "content-type": "text/plain"}
        assert (await client.post("/api/v1/threads", content=b"{}", headers=headers)).status_code == 422


async def test_a_wrong_token_is_not_mended_by_a_cookie(browser: httpx.AsyncClient) -> None:
    problem_of(await browser.get("/api/v1/reviews", headers={"authorization": "Bearer wrong"}), 401)


async def test_without_configured_origins_the_host_that_was_asked_for_is_own(world: World) -> None:
    token = accounts.sign_in(world.deps, "sam", "demo", "192.0.2.1").token
    async with client_of(make_api(), cookies={accounts.COOKIE: token}) as client:
        own = await client.post("/api/v1/threads", json={}, headers={"origin": "http://console.test"})
        other = await client.post("/api/v1/threads", json={}, headers={"origin": "http://other.test"})
    assert (own.status_code, other.status_code) == (422, 403)
