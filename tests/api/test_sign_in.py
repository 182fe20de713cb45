"""Sessions: made by JSON or by the login form, carried by a cookie that scripts in a page cannot read."""

from __future__ import annotations

from http.cookies import SimpleCookie

import httpx
import pytest

from console.domain.errors import TooMany
from console.services import accounts
from tests.api.conftest import World, client_of, problem_of

SAM = {"username": "sam", "password": "demo"}


def cookie_of(answer: httpx.Response) -> dict[str, str]:
    morsel = SimpleCookie(answer.headers["set-cookie"])[accounts.COOKIE]
    return {"value": morsel.value, **{name: text for name, text in morsel.items() if text}}


async def test_sign_in_says_who_and_until_when_and_sets_the_cookie(world: World) -> None:
    async with client_of(world.app) as client:
        answer = await client.post("/api/v1/session", json=SAM)
        assert answer.status_code == 200
        assert {"name": "sam", "role": "supervisor"}.items() <= answer.json().items()
        assert answer.json()["expires_at"].endswith("Z")
        given = cookie_of(answer)
        assert given.pop("value")
        assert given == {"path": "/", "httponly": True, "samesite": "strict"}
        assert (await client.get("/api/v1/reviews")).status_code == 200


async def test_the_cookie_is_secure_under_https(world: World) -> None:
    async with client_of(world.app, base_url="https://console.test") as client:
        assert cookie_of(await client.post("/api/v1/session", json=SAM))["secure"]


async def test_unknown_name_and_wrong_password_get_the_same_answer(world: World) -> None:
    async with client_of(world.app) as client:
        answers = [
            await client.post("/api/v1/session", json={"username": name, "password": word})
            for name, word in (("sam", "wrong"), ("zoe", "demo"))
        ]
    assert problem_of(answers[0], 401)
    assert answers[0].text == answers[1].text
    assert "set-cookie" not in answers[0].headers


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/username", "/password"]),
        ({**SAM, "role": "admin"}, ["/role"]),
        ({"username": 1, "password": None}, ["/username", "/password"]),
        ({"username": "s" * 201, "password": "demo"}, ["/username"]),
        ([SAM], [""]),
    ],
)
async def test_a_wrong_form_is_pointed_at(world: World, body: object, pointers: list[str]) -> None:
    async with client_of(world.app) as client:
        sent = problem_of(await client.post("/api/v1/session", json=body), 422)
    assert [error["pointer"] for error in sent["errors"]] == pointers


async def test_signing_out_ends_the_session_everywhere(world: World) -> None:
    async with client_of(world.app) as client:
        token = cookie_of(await client.post("/api/v1/session", json=SAM))["value"]
        answer = await client.delete("/api/v1/session")
        assert answer.status_code == 204
        assert cookie_of(answer)["max-age"] == "0"
    async with client_of(world.app, cookies={accounts.COOKIE: token}) as stolen:
        problem_of(await stolen.get("/api/v1/reviews"), 401)


async def test_a_token_cannot_be_signed_out(world: World) -> None:
    async with world.client("sam") as client:
        problem_of(await client.delete("/api/v1/session"), 400)
        assert (await client.get("/api/v1/reviews")).status_code == 200


async def test_signing_in_anew_ends_the_session_that_came_along(world: World) -> None:
    """Else an open tab of the person before would go on under that name."""
    async with client_of(world.app) as client:
        before = cookie_of(await client.post("/api/v1/session", json=SAM))["value"]
        await client.post("/auth/login", data={"username": "quinn", "password": "demo"})
    async with client_of(world.app, cookies={accounts.COOKIE: before}) as tab:
        problem_of(await tab.get("/api/v1/reviews"), 401)


async def test_a_failed_sign_in_leaves_the_session_alone(world: World) -> None:
    async with client_of(world.app) as client:
        await client.post("/api/v1/session", json=SAM)
        await client.post("/auth/login", data={"username": "quinn", "password": "wrong"})
        assert (await client.get("/api/v1/reviews")).status_code == 200


async def test_the_form_leads_to_the_desk(world: World) -> None:
    async with client_of(world.app) as client:
        answer = await client.post("/auth/login", data=SAM)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert cookie_of(answer)["httponly"]
        assert (await client.get("/api/v1/reviews")).status_code == 200


@pytest.mark.parametrize(
    "form",
    [
        b"username=sam&password=wrong",
        b"username=sam",
        b"",
        b"username=sam&username=sue&password=demo",
        b"username=%ff%00&password=%ed%a0%80",
        b"\xff\xfe",
        b"&".join([b"a=1"] * 50),
        b"username=" + b"s" * 300 + b"&password=demo",
    ],
)
async def test_a_failed_form_leads_back_to_the_login_page(world: World, form: bytes) -> None:
    async with client_of(world.app) as client:
        answer = await client.post(
            "/auth/login", content=form, headers={"content-type": "application/x-www-form-urlencoded"}
        )
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?failed=1")
    assert "set-cookie" not in answer.headers


async def test_too_many_failures_are_told_apart(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def throttled(*_: object) -> None:
        raise TooMany("Too many failed sign-ins.", retry_after=7)

    monkeypatch.setattr(accounts, "sign_in", throttled)
    async with client_of(world.app) as client:
        answer = await client.post("/auth/login", data=SAM)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login?failed=throttled")
        answer = await client.post("/api/v1/session", json=SAM)
    assert problem_of(answer, 429)["type"].endswith(":too-many")
    assert answer.headers["retry-after"] == "7"


async def test_logging_out_ends_the_session_and_leads_to_the_login_page(world: World) -> None:
    async with client_of(world.app) as client:
        await client.post("/auth/login", data=SAM)
        token = client.cookies[accounts.COOKIE]
        answer = await client.post("/auth/logout")
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    async with client_of(world.app, cookies={accounts.COOKIE: token}) as stolen:
        problem_of(await stolen.get("/api/v1/reviews"), 401)


async def test_logging_out_twice_is_no_error(world: World) -> None:
    async with client_of(world.app) as client:
        assert (await client.post("/auth/logout")).status_code == 303
