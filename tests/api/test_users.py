"""People, sessions and tokens over REST: who may, who may not, and that what is not yours does not exist."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from console.domain.access import Scope
from console.services import accounts, tokens
from tests.api.conftest import World, client_of, problem_of

GIVEN = {"name": "new", "role": "qa", "password": "a first one"}


async def ids(world: World) -> dict[str, str]:
    async with world.client("ada") as ada:
        return {each["name"]: each["id"] for each in (await ada.get("/api/v1/users")).json()["items"]}


@asynccontextmanager
async def session(world: World, name: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a cookie instead of a token."""
    async with client_of(world.app) as client:
        sent = {"username": name, "password": accounts.DEMO_PASSWORD}
        assert (await client.post("/api/v1/session", json=sent)).status_code == 200
        yield client


ADMINS: list[tuple[str, str]] = [
    ("GET", "/users"),
    ("POST", "/users"),
    ("GET", "/users/{id}"),
    ("POST", "/users/{id}/role"),
    ("POST", "/users/{id}/disable"),
    ("POST", "/users/{id}/enable"),
    ("GET", "/users/{id}/sessions"),
    ("DELETE", "/users/{id}/sessions"),
    ("GET", "/users/{id}/tokens"),
    ("POST", "/users/{id}/tokens"),
]
OWN = [
    ("GET", "/tokens"),
    ("POST", "/tokens"),
    ("DELETE", "/tokens/{token_id}"),
    ("GET", "/sessions"),
    ("DELETE", "/sessions"),
    ("DELETE", "/sessions/{session_id}"),
    ("POST", "/session/password"),
]
ROUTES = {(method, "/v1" + path.replace("{id}", "{user_id}")) for method, path in ADMINS + OWN}


@pytest.mark.parametrize(("method", "path"), OWN)
async def test_nobody_gets_at_what_is_ones_own(world: World, method: str, path: str) -> None:
    async with world.client("nobody") as nobody:
        assert problem_of(await nobody.request(method, "/api/v1" + path), 401)


@pytest.mark.parametrize(("method", "path"), ADMINS)
async def test_only_an_admin_gets_in_and_nobody_learns_who_there_is(
    world: World, method: str, path: str
) -> None:
    known = await ids(world)
    for name in ("sam", "quinn", "mallory"):
        async with world.client(name) as client:
            answers = [
                await client.request(method, "/api/v1" + path.format(id=user_id))
                for user_id in (known["sue"], "0" * 32)
            ]
        assert problem_of(answers[0], 403)["permission"] == "administer"
        assert answers[0].text == answers[1].text
    async with world.client("nobody") as nobody:
        assert problem_of(await nobody.request(method, "/api/v1" + path.format(id=known["sue"])), 401)


@pytest.mark.parametrize(
    ("method", "path"), [each for each in ADMINS if "{id}" in each[1] and "tokens" not in each[1]]
)
async def test_an_unknown_person_is_the_same_404_everywhere(world: World, method: str, path: str) -> None:
    async with world.client("ada") as ada:
        sent = {"json": {"role": "qa"}} if method == "POST" else {}
        answers = [
            await ada.request(method, "/api/v1" + path.format(id=user_id), **sent)
            for user_id in ("0" * 32, "ada", "%F0%9F%A6%8A")
        ]
    assert {problem_of(answer, 404)["detail"] for answer in answers} == {"There is no such user."}


async def test_an_admin_adds_changes_disables_and_enables(world: World) -> None:
    async with world.client("ada") as ada:
        made = await ada.post("/api/v1/users", json=GIVEN)
        assert made.status_code == 201
        assert {"name": "new", "role": "qa", "enabled": True, "sessions": 0}.items() <= made.json().items()
        path = f"/api/v1/users/{made.json()['id']}"
        assert problem_of(await ada.post("/api/v1/users", json=GIVEN), 409)["type"].endswith(":name-taken")
        changed = await ada.post(f"{path}/role", json={"role": "supervisor"})
        assert changed.json()["role"] == "supervisor"
        assert (await ada.post(f"{path}/disable", json={})).json()["enabled"] is False
        assert (await ada.post(f"{path}/enable", json={})).json()["enabled"] is True
        kinds = [each["kind"] for each in (await ada.get("/api/v1/audit?limit=4")).json()["items"]]
    assert kinds == ["user_enabled", "user_disabled", "role_changed", "user_added"]


async def test_the_last_admin_stays(world: World) -> None:
    path = f"/api/v1/users/{(await ids(world))['ada']}"
    async with world.client("ada") as ada:
        for act, sent in (("disable", {}), ("role", {"role": "supervisor"})):
            refused = problem_of(await ada.post(f"{path}/{act}", json=sent), 409)
            assert refused["type"].endswith(":last-admin")
        assert (await ada.get(path)).json()["role"] == "admin"


@pytest.mark.parametrize(
    ("path", "sent", "pointers"),
    [
        ("/users", {}, ["/name", "/role", "/password"]),
        ("/users", {**GIVEN, "role": "root"}, ["/role"]),
        ("/users", {**GIVEN, "name": " x"}, ["/name"]),
        ("/users", {**GIVEN, "password": "abc"}, ["/password"]),
        ("/users", {**GIVEN, "admin": True}, ["/admin"]),
        ("/tokens", {}, ["/scope"]),
        ("/tokens", {"scope": "all"}, ["/scope"]),
        ("/tokens", {"scope": "read", "expires_at": "tomorrow"}, ["/expires_at"]),
        ("/tokens", {"scope": "read", "expires_at": "2999-01-01T00:00:00"}, ["/expires_at"]),
        ("/tokens", {"scope": "read", "expires_at": "2020-01-01T00:00:00Z"}, ["/expires_at"]),
        ("/session/password", {"current": "guess", "password": "another"}, ["/current"]),
        ("/session/password", {"current": "demo", "password": "x"}, ["/password"]),
    ],
)
async def test_what_is_wrong_is_pointed_at(world: World, path: str, sent: Any, pointers: list[str]) -> None:
    async with session(world, "ada") as ada:
        found = problem_of(await ada.post(f"/api/v1{path}", json=sent), 422)
    assert [each["pointer"] for each in found["errors"]] == pointers


async def test_a_token_is_shown_once_and_reads_or_decides(world: World) -> None:
    async with session(world, "sam") as sam:
        made = {
            scope: (await sam.post("/api/v1/tokens", json={"scope": scope, "name": "script"})).json()
            for scope in Scope
        }
        listed = await sam.get("/api/v1/tokens")
    assert all(each["token"] not in listed.text for each in made.values())
    wanted = {scope: (200, 403 if scope == "read" else 422) for scope in Scope}
    for scope, (reading, deciding) in wanted.items():
        async with client_of(
            world.app, headers={"authorization": f"Bearer {made[scope]['token']}"}
        ) as client:
            assert (await client.get("/api/v1/reviews")).status_code == reading
            path = f"/api/v1/reviews/{world.review_id}/decisions"
            assert (await client.post(path, json={})).status_code == deciding
    for method, path in (
        ("POST", f"/reviews/{world.review_id}/claim"),
        ("POST", f"/reviews/{world.review_id}/cancel"),
        ("POST", "/threads"),
        ("POST", f"/threads/{world.thread_ref}/messages"),
        ("DELETE", f"/tokens/{made[Scope.DECIDE]['id']}"),
    ):
        headers = {"authorization": f"Bearer {made[Scope.READ]['token']}"}
        async with client_of(world.app, headers=headers) as client:
            body = {"json": {}} if method == "POST" else {}
            assert problem_of(await client.request(method, f"/api/v1{path}", **body), 403)


async def test_a_read_token_of_an_admin_does_not_administer(world: World) -> None:
    _, token = tokens.create_token(world.deps, accounts.OPERATOR, "ada", "x", Scope.READ)
    async with client_of(world.app, headers={"authorization": f"Bearer {token}"}) as client:
        assert (await client.get("/api/v1/audit")).status_code == 200
        for path in ("/users", f"/users/{'0' * 32}/tokens"):
            assert problem_of(await client.get(f"/api/v1{path}"), 403)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/tokens"), ("DELETE", "/sessions"), ("DELETE", "/sessions/x"), ("POST", "/session/password")],
)
async def test_a_token_makes_no_token_and_no_password(world: World, method: str, path: str) -> None:
    async with world.client("sam") as sam:
        answer = await sam.request(method, f"/api/v1{path}", json={"scope": "decide"})
    assert "A token may not do this" in problem_of(answer, 403)["detail"]


async def test_an_admin_gets_no_token_that_decides_in_anothers_name(world: World) -> None:
    path = f"/api/v1/users/{(await ids(world))['sam']}/tokens"
    async with session(world, "ada") as ada:
        assert problem_of(await ada.post(path, json={"scope": "decide"}), 403)
        assert (await ada.post(path, json={"scope": "read"})).status_code == 201


async def test_another_persons_token_and_session_do_not_exist(world: World) -> None:
    token_id, _ = tokens.create_token(world.deps, accounts.OPERATOR, "sue", "x")
    async with session(world, "sue") as sue, session(world, "sam") as sam:
        (hers,) = (await sue.get("/api/v1/sessions")).json()
        for path in (f"/sessions/{hers['id']}", f"/sessions/{'0' * 16}", f"/tokens/{token_id}"):
            assert problem_of(await sam.delete(f"/api/v1{path}"), 404)
        assert (await sue.get("/api/v1/reviews")).status_code == 200
        assert (await sue.delete(f"/api/v1/tokens/{token_id}")).status_code == 204


async def test_signing_out_everywhere_ends_the_other_browser(world: World) -> None:
    async with session(world, "sam") as here, session(world, "sam") as there:
        assert len((await here.get("/api/v1/sessions")).json()) == 2
        assert (await here.delete("/api/v1/sessions")).status_code == 204
        assert (await there.get("/api/v1/reviews")).status_code == 401


async def test_an_admin_ends_a_persons_sessions_while_they_are_connected(world: World) -> None:
    path = f"/api/v1/users/{(await ids(world))['sam']}/sessions"
    async with session(world, "sam") as sam, world.client("ada") as ada:
        (row,) = (await ada.get(path)).json()
        assert (row["address"], row["current"]) == ("192.0.2.1", False)
        assert (await ada.delete(path)).status_code == 204
        assert (await sam.get("/api/v1/reviews")).status_code == 401
        assert (await ada.get(path)).json() == []


async def test_a_changed_password_ends_the_session_and_guessing_is_slowed_down(world: World) -> None:
    async with session(world, "sam") as sam:
        sent = {"current": "guess", "password": "another one"}
        answers = [(await sam.post("/api/v1/session/password", json=sent)).status_code for _ in range(9)]
        assert answers == [422] * 8 + [429]
    async with session(world, "sue") as sue:
        sent = {"current": "demo", "password": "another one"}
        assert (await sue.post("/api/v1/session/password", json=sent)).status_code == 204
        assert (await sue.get("/api/v1/reviews")).status_code == 401
