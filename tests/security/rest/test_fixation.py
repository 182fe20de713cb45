"""A cookie that somebody else has put into a browser is never the session of who signs in with it."""

from __future__ import annotations

import httpx
import pytest

from console.services import accounts
from tests.api.conftest import World, client_of

OWN = {"sec-fetch-site": "same-origin"}


async def sign_in(client: httpx.AsyncClient, way: str) -> httpx.Response:
    given = {"username": "sam", "password": accounts.DEMO_PASSWORD}
    if way == "form":
        return await client.post("/auth/login", data=given, headers=OWN)
    return await client.post("/api/v1/session", json=given, headers=OWN)


@pytest.mark.parametrize("way", ["form", "json"])
async def test_a_made_up_session_does_not_become_one(world: World, way: str) -> None:
    planted = "planted-" + "A" * 35
    async with client_of(world.app, cookies={accounts.COOKIE: planted}) as client:
        answer = await sign_in(client, way)
    given = answer.cookies[accounts.COOKIE]
    assert given != planted
    assert accounts.actor_of_session(world.deps, planted) is None
    signed_in = accounts.actor_of_session(world.deps, given)
    assert signed_in is not None
    assert signed_in.name == "sam"


@pytest.mark.parametrize("way", ["form", "json"])
async def test_a_planted_session_of_the_attackers_own_ends_with_the_sign_in(world: World, way: str) -> None:
    """Else a tab that stayed open would go on as mallory, and mallory would see what sam types there."""
    planted = accounts.sign_in(world.deps, "mallory", accounts.DEMO_PASSWORD, "192.0.2.9").token
    async with client_of(world.app, cookies={accounts.COOKIE: planted}) as client:
        answer = await sign_in(client, way)
    assert answer.cookies[accounts.COOKIE] != planted
    assert accounts.actor_of_session(world.deps, planted) is None


async def test_each_sign_in_is_a_session_of_its_own(world: World) -> None:
    async with client_of(world.app) as one, client_of(world.app) as other:
        given = [(await sign_in(client, "json")).cookies[accounts.COOKIE] for client in (one, other)]
    assert len(set(given)) == 2
    assert min(map(len, given)) >= 43
