"""Every id there is, at every address that takes one, as everyone: what is not yours is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from console.api.app import make_rest
from console.services import accounts
from console.settings import SourceSettings
from tests.api.conftest import CAST, SOURCE, World, client_of
from tests.services.world import rows

PEOPLE = ["nobody", *CAST]
MISSING = {
    "review_id": "0" * 32,
    "ref": "thread-0",
    "user_id": "0" * 32,
    "token_id": "0" * 32,
    "session_id": "0" * 16,
    "seq": "999999",
}
# What a person gets that exists and is not theirs, by the name of the part of the address.
OWNERS_ONLY = ("token_id", "session_id")


def addresses() -> Iterator[tuple[str, str, str]]:
    """(method, path, name of its id) of every route with an id in it."""
    for path, methods in make_rest().openapi()["paths"].items():
        for name in re.findall(r"{(\w+)}", path):
            yield from ((method.upper(), path, name) for method in methods)


ROUTES = sorted(addresses())


@pytest.fixture
def private(world: World) -> World:
    """The source is visible to sam alone, who is also the only one with a session, and its review is open."""
    chosen = SourceSettings(graph="console.demo.agent:graph", visible_to=("sam",))
    world.deps.settings = world.deps.settings.model_copy(update={"sources": {SOURCE: chosen}})
    accounts.sign_in(world.deps, "sam", accounts.DEMO_PASSWORD, "192.0.2.1")
    return world


def column(world: World, sql: str) -> list[str]:
    return [str(value) for (value,) in rows(world.deps.settings.data / "console.db", sql)]


def of_sam(world: World) -> dict[str, str]:
    """One id of each kind that is sam's, or that only sam may see."""
    return {
        "review_id": world.review_id,
        "ref": world.thread_ref,
        "user_id": column(world, "SELECT id FROM user WHERE name = 'sam'")[0],
        "token_id": column(
            world, "SELECT id FROM api_token WHERE user_id = (SELECT id FROM user WHERE name = 'sam')"
        )[0],
        "session_id": column(world, "SELECT substr(digest, 1, 16) FROM session")[0],
        "seq": column(world, "SELECT seq FROM ledger_facet WHERE kind = 'login' AND actor_name = 'sam'")[0],
    }


async def call(client: httpx.AsyncClient, method: str, path: str, value: str) -> httpx.Response:
    address = "/api" + re.sub(r"{\w+}", value, path)
    return await client.request(method, address, json={} if method == "POST" else None)


def without_id(answer: httpx.Response, asked: str) -> tuple[int, str, str]:
    """Some answers repeat what was asked for; nothing else may differ."""
    return answer.status_code, str(sorted(answer.headers.items())), answer.text.replace(asked, "ID")


@pytest.mark.parametrize("who", [name for name in PEOPLE if name != "sam"])
async def test_what_is_sams_looks_like_what_is_not_there(private: World, who: str) -> None:
    """Status, every header and the body; admins see people, and those who read the whole log its entries."""
    ids, sees = of_sam(private), {"ada": {"user_id", "token_id", "seq"}, "quinn": {"seq"}}.get(who, set())
    seen = 0
    async with private.client(who) as client:
        for method, path, name in ROUTES:
            if name in sees:
                continue
            answers = [(await call(client, method, path, each[name]), each[name]) for each in (ids, MISSING)]
            assert answers[0][0].status_code in ({401} if who == "nobody" else {403, 404}), (method, path)
            assert len({without_id(*each) for each in answers}) == 1, (method, path)
            there = answers[0][0]
            seen += there.status_code == 404
    assert seen >= {"nobody": 0, "mallory": 1}.get(who, 4)


async def test_no_session_is_ended_by_another(private: World) -> None:
    """By cookie, since a token may not end sessions at all."""
    ids = of_sam(private)
    for who in ("sue", "quinn", "ada", "mallory"):
        token = accounts.sign_in(private.deps, who, accounts.DEMO_PASSWORD, "192.0.2.1").token
        async with client_of(private.app, cookies={accounts.COOKIE: token}) as client:
            answers = [
                (
                    await client.delete(
                        f"/api/v1/sessions/{each['session_id']}", headers={"sec-fetch-site": "same-origin"}
                    ),
                    each["session_id"],
                )
                for each in (ids, MISSING)
            ]
        assert answers[0][0].status_code == 404
        assert len({without_id(*each) for each in answers}) == 1


def every_id(world: World) -> list[str]:
    """Some of every table, whatever they name: a payload and a pause are no reviews either."""
    found = [
        *column(world, "SELECT id FROM review"),
        *column(world, "SELECT interrupt_id FROM review"),
        *column(world, "SELECT checkpoint_id FROM review"),
        *column(world, "SELECT digest FROM review"),
        *column(world, "SELECT thread_id FROM thread"),
        *column(world, "SELECT id FROM user LIMIT 3"),
        *column(world, "SELECT name FROM user LIMIT 2"),
        *column(world, "SELECT id FROM api_token LIMIT 2"),
        *column(world, "SELECT digest FROM api_token LIMIT 2"),
        *column(world, "SELECT digest FROM session"),
        *column(world, "SELECT substr(digest, 1, 16) FROM session"),
        *column(world, "SELECT seq FROM ledger ORDER BY seq DESC LIMIT 4"),
        *column(world, "SELECT id FROM payload"),
        *column(world, "SELECT value FROM meta"),
    ]
    return list(dict.fromkeys(found))


# Entries about no source; those of sam's are for nobody else, whatever their role.
UNBOUND = "SELECT seq FROM ledger_facet WHERE source IS NULL"
READS = [(method, path, name) for method, path, name in ROUTES if method == "GET"]


@pytest.mark.parametrize("who", PEOPLE)
async def test_every_id_at_every_address_that_reads(private: World, who: str) -> None:
    """Nothing is found by an id of another kind, and nothing by anyone but those whom it is for."""
    users = set(column(private, "SELECT id FROM user"))
    kinds = {
        "review_id": {private.review_id} if who == "sam" else set(),
        "ref": {private.thread_ref} if who == "sam" else set(),
        "user_id": users if who == "ada" else set(),
        "seq": set(column(private, UNBOUND)) if who in ("ada", "quinn") else set(),
    }
    if who in ("sam", "sue"):
        own = f"actor_name = '{who}' OR decided_by_id = (SELECT id FROM user WHERE name = '{who}')"
        kinds["seq"] = set(column(private, f"SELECT seq FROM ledger_facet WHERE {own}"))
    tried = every_id(private)
    assert len(tried) > 20
    async with private.client(who) as client:
        for method, path, name in READS:
            found = {each for each in tried if (await call(client, method, path, each)).status_code == 200}
            assert found == kinds[name] & set(tried), (path, who)
