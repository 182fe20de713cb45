"""Every route as everyone of the cast: who may not, gets 401 or 403, and the 403 is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute

from console.api.app import make_rest
from tests.api.conftest import CAST, World, client_of, problem_of
from tests.api.test_users import ROUTES as ACCOUNTS

VIEWERS = {"sam", "sue", "quinn", "ada"}
SUPERVISORS = {"sam", "sue"}
ROUTES: dict[tuple[str, str], set[str]] = {
    ("GET", "/v1/reviews"): VIEWERS,
    ("GET", "/v1/reviews/{review_id}"): VIEWERS,
    ("POST", "/v1/reviews/{review_id}/decisions"): SUPERVISORS,
    ("POST", "/v1/reviews/{review_id}/claim"): SUPERVISORS,
    ("POST", "/v1/reviews/{review_id}/unmask"): VIEWERS,
    ("DELETE", "/v1/reviews/{review_id}/claim"): SUPERVISORS,
    ("POST", "/v1/reviews/{review_id}/cancel"): SUPERVISORS,
    ("POST", "/v1/reviews/{review_id}/repair"): {"ada"},
    ("POST", "/v1/reviews/{review_id}/resolve"): SUPERVISORS,
    ("POST", "/v1/reviews/{review_id}/close"): {"ada"},
    ("POST", "/v1/threads/{ref}/resolve"): SUPERVISORS,
    ("POST", "/v1/threads"): SUPERVISORS,
    ("GET", "/v1/threads/{ref}"): VIEWERS,
    ("GET", "/v1/threads/{ref}/messages"): VIEWERS,
    ("POST", "/v1/threads/{ref}/messages"): SUPERVISORS,
    ("GET", "/v1/audit"): VIEWERS,
    ("GET", "/v1/audit/head"): VIEWERS,
    ("GET", "/v1/audit/export"): {"ada"},
    ("POST", "/v1/audit/verify"): {"ada"},
    ("GET", "/v1/audit/{seq}"): VIEWERS,
    ("POST", "/v1/audit/{seq}/erase"): {"ada"},
    ("POST", "/v1/audit/{seq}/unmask"): VIEWERS,
}
OPEN = {("POST", "/v1/session"), ("DELETE", "/v1/session")}


def routes_below(router: Any) -> Iterator[APIRoute]:
    """FastAPI keeps included routers as they are."""
    for route in router.routes:
        if isinstance(route, APIRoute):
            yield route
        elif included := getattr(route, "original_router", None):
            yield from routes_below(included)


def test_no_route_is_missing_from_this_table() -> None:
    """The default deny: a new route has to say here who may call it."""
    rest = make_rest()
    paths = rest.openapi()["paths"]
    described = {(method.upper(), path) for path, known in paths.items() for method in known}
    assert described == set(ROUTES) | OPEN | ACCOUNTS
    assert [route.path for route in routes_below(rest) if not route.include_in_schema] == ["/docs"]


async def call(world: World, name: str, method: str, path: str, body: Any = None) -> Any:
    filled = "/api" + path.format(review_id=world.review_id, ref=world.thread_ref, seq=1)
    async with world.client(name) as client:
        return await client.request(method, filled, json=body if method == "POST" else None)


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_it_requires_a_session(world: World, method: str, path: str) -> None:
    assert problem_of(await call(world, "nobody", method, path), 401)["type"].endswith(":unauthenticated")
    assert world.refusals() == []


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer wrong", "Basic c2FtOmRlbW8=", "wrong", ""])
async def test_it_refuses_broken_credentials(world: World, header: str) -> None:
    async with client_of(world.app, headers={"authorization": header}) as client:
        answer = await client.get("/api/v1/reviews")
    assert problem_of(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [(*route, name) for route, allowed in ROUTES.items() for name in CAST if name not in allowed],
)
async def test_it_requires_the_role_and_records_the_refusal(
    world: World, method: str, path: str, name: str
) -> None:
    """Also when the body is no JSON at all: the role is asked first."""
    filled = "/api" + path.format(review_id=world.review_id, ref=world.thread_ref, seq=1)
    async with world.client(name) as client:
        answer = await client.request(method, filled, content=b"{" if method == "POST" else None)
    sent = problem_of(answer, 403)
    assert sent["type"].endswith(":forbidden")
    assert world.refusals() == [(name, sent["permission"], f"{method} {filled}")]


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [(*route, name) for route, allowed in ROUTES.items() for name in sorted(allowed)],
)
async def test_the_role_is_enough(world: World, method: str, path: str, name: str) -> None:
    """An empty object is a wrong body where one is needed: 422 says that the caller got that far."""
    needs_no_body = {"cancel": 202, "claim": 200, "repair": 409, "verify": 200, "unmask": 409}
    answer = await call(world, name, method, path, body={})
    wanted = needs_no_body.get(path.rsplit("/", 1)[-1], 422) if method == "POST" else 200
    if path.endswith(("/{seq}", "/{seq}/unmask")) and name in SUPERVISORS:
        wanted = 404  # the first entry is not their own act, so for them it is not there
    assert answer.status_code == wanted, answer.text
    assert world.refusals() == []
