"""What the API does not know, it says itself: never the page, never a stack trace."""

from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse
from starlette.types import Message

from console.api.app import make_api
from console.services import tokens
from tests.api.conftest import World, client_of, problem_of

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"]
UNKNOWN = [
    "/api",
    "/api/",
    "/api/v1",
    "/api/v2/reviews",
    "/api/v1/reviews/",
    "/api/v1/nothing",
    "/api/docs",
    "/api/v1/%2e%2e/x",
    "/api/v1/%0Anothing",
    "/api/%0A",
    "/auth",
    "/auth/",
    "/auth/nothing",
]


@pytest.fixture(scope="module")
def behind_pages() -> FastAPI:
    """The API in front of something that answers every address, as the pages do."""
    app = make_api()
    app.mount("", lambda scope, receive, send: PlainTextResponse("the page")(scope, receive, send))
    return app


@pytest.mark.parametrize("path", UNKNOWN)
async def test_unknown_addresses_are_problems_by_every_method(behind_pages: FastAPI, path: str) -> None:
    async with client_of(behind_pages) as client:
        for method in METHODS:
            sent = problem_of(await client.request(method, path), 404)
            assert sent["type"].endswith(":not-found"), method


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/v1/reviews", {"GET"}),
        ("GET", "/api/v1/session", {"POST", "DELETE"}),
        ("PUT", "/api/v1/reviews/x/decisions", {"POST"}),
        ("BREW", "/api/v1/audit", {"GET"}),
        ("GET", "/auth/login", {"POST"}),
        ("DELETE", "/auth/logout", {"POST"}),
    ],
)
async def test_wrong_methods_are_problems_that_say_which_are_right(
    behind_pages: FastAPI, method: str, path: str, allowed: set[str]
) -> None:
    async with client_of(behind_pages) as client:
        answer = await client.request(method, path)
    assert problem_of(answer, 405)["type"].endswith(":method-not-allowed")
    assert {name.strip() for name in answer.headers["allow"].split(",")} <= allowed


async def test_everything_else_is_the_pages(behind_pages: FastAPI) -> None:
    async with client_of(behind_pages) as client:
        assert [(await client.get(path)).text for path in ("/", "/login", "/apis", "/authors")] == [
            "the page"
        ] * 4


async def test_an_accident_is_a_500_whose_id_leads_to_the_log(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(tokens, "actor_of_token", break_down)
    async with world.client("sam") as client:
        answer = await client.get("/api/v1/reviews")
    sent = problem_of(answer, 500)
    assert "secret detail" not in answer.text
    assert "Traceback" not in answer.text
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [sent["error_id"] in record.getMessage() for record in logged] == [True]
    assert "secret detail" in caplog.text


async def test_a_client_that_leaves_during_its_body_is_no_accident(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    coming = iter([{"type": "http.request", "body": b'{"username', "more_body": True}])
    sent: list[Message] = []

    async def receive() -> Message:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/session",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }
    await world.app(scope, receive, send)
    assert sent == []
    assert caplog.records == []
