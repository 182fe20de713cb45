"""Whatever comes back that is not this provider's answer to this browser's question signs nobody in."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import pytest
from joserfc import jwt

from console.services import oidc, provider
from console.services.throttle import Throttle
from console.settings import Settings
from tests.oidc.conftest import FOREIGN, OWN, World, begin, failure, finish, next_of, walk
from tests.oidc.fake import CLIENT_ID, new_key, unsigned


async def refused(world: World, kind: str = "sign-on") -> None:
    """The whole way is walked, and at its end nobody is signed in and nobody new is known."""
    async with world.browser() as browser:
        assert failure(await walk(world, browser)) == kind
        assert (await browser.get("/api/v1/reviews")).status_code == 401
    assert set(world.people()) == {"sam"}
    assert world.log("login") == []


NOW = int(time.time())


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"aud": ["another"]},
        {"aud": None},
        {"aud": [CLIENT_ID, "another"]},
        {"aud": [CLIENT_ID, "another"], "azp": "another"},
        {"azp": "another"},
        {"iss": "https://login.example/"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": NOW - 120},
        {"exp": None},
        {"exp": "tomorrow"},
        {"iat": NOW + 3600, "exp": NOW + 7200},
        {"iat": NOW - 3600},
        {"iat": None},
        {"iat": True},
        {"nbf": NOW + 3600},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "s" * 256},
        {"at_hash": "bm90IHRoaXMgb25l"},
    ],
    ids=lambda claims: json.dumps(claims)[:40],
)
async def test_an_id_token_with_wrong_claims_is_refused(world: World, claims: dict[str, Any]) -> None:
    world.fake.claims = claims
    await refused(world)


@pytest.mark.parametrize("claims", [{"exp": NOW - 20}, {"iat": NOW + 30}, {"aud": [CLIENT_ID]}])
async def test_a_clock_may_differ_by_less_than_a_minute(world: World, claims: dict[str, Any]) -> None:
    moved = int(time.time()) - NOW
    world.fake.claims = {
        key: value + moved if isinstance(value, int) else value for key, value in claims.items()
    }
    async with world.browser() as browser:
        assert (await walk(world, browser)).headers["location"] == "/"


async def test_an_unsigned_token_is_refused(world: World) -> None:
    world.fake.sign = unsigned
    await refused(world)


async def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(world: World) -> None:
    world.fake.sign = world.fake.with_shared_secret
    await refused(world)


async def test_a_symmetric_key_that_is_published_counts_for_nothing(world: World) -> None:
    world.fake.sign = world.fake.with_shared_secret
    published = world.fake.key.as_dict(private=False)
    world.fake.published = [published, {"kty": "oct", "kid": world.fake.key.kid, "k": "c2VjcmV0"}]
    await refused(world)


async def test_a_token_signed_by_another_key_is_refused(world: World) -> None:
    stranger = new_key("one")
    world.fake.sign = lambda claims: jwt.encode({"alg": "ES256", "kid": "one"}, claims, stranger)
    await refused(world)


@pytest.mark.parametrize("token", ["", "a.b.c", "a", "é.é.é", "." * 10, "x" * 70_000])
async def test_what_is_no_token_is_refused(world: World, token: str) -> None:
    world.fake.sign = lambda claims: token
    await refused(world)


async def test_a_changed_token_is_refused(world: World) -> None:
    def changed(claims: dict[str, Any]) -> str:
        head, _, tail = jwt.encode({"alg": "ES256", "kid": "one"}, claims, world.fake.key).split(".")
        return ".".join((head, unsigned({**claims, "groups": ["review-leads"]}).split(".")[1], tail))

    world.fake.sign = changed
    await refused(world)


async def test_a_new_key_of_the_provider_is_fetched_once_and_not_for_every_stranger(world: World) -> None:
    async with world.browser() as browser:
        await walk(world, browser)
        known = provider.of(world.deps.settings.oidc)
        world.fake.key = new_key("two")
        assert failure(await walk(world, browser)) == "sign-on"
        assert world.fake.calls.count("/keys") == 1
        known._clock = lambda: time.monotonic() + 61
        assert (await walk(world, browser)).headers["location"] == "/"
        assert world.fake.calls.count("/keys") == 2


@pytest.mark.parametrize("state", ["", "another", "\u00e9", "A" * 43])
async def test_a_wrong_state_is_refused_before_anything_is_asked(world: World, state: str) -> None:
    async with world.browser() as browser:
        await begin(world, browser)
        assert failure(await finish(browser, state)) == "sign-on"
    assert "/token" not in world.fake.calls


async def test_the_answer_to_one_browser_signs_no_other_in(world: World) -> None:
    """Somebody sends their own answer as a link: without the cookie, and with that of another sign-in."""
    async with world.browser() as mallory, world.browser() as sue:
        state = await begin(world, mallory)
        assert failure(await finish(sue, state)) == "sign-on"
        await begin(world, sue)
        assert failure(await finish(sue, state)) == "sign-on"
    assert "/token" not in world.fake.calls


async def test_a_code_is_good_for_one_sign_in(world: World) -> None:
    """Also where the provider would take it twice, and with the cookie kept."""
    async with world.browser() as browser:
        state = await begin(world, browser)
        kept = browser.cookies[oidc.COOKIE]
        assert (await finish(browser, state)).headers["location"] == "/"
    async with world.browser() as thief:
        thief.cookies.set(oidc.COOKIE, kept)
        assert failure(await finish(thief, state)) == "sign-on"
        assert (await thief.get("/api/v1/reviews")).status_code == 401
    assert len(world.log("login")) == 1


async def test_the_same_answer_sent_many_times_at_once_signs_in_once(world: World) -> None:
    import asyncio

    async with world.browser() as browser:
        state = await begin(world, browser)
        page = await browser.get("/auth/oidc/callback", params={"code": "c-1", "state": state})
        cookie = {"cookie": f"{oidc.COOKIE}={browser.cookies[oidc.COOKIE]}"}
        answers = await asyncio.gather(
            *(browser.get(next_of(page), headers={**OWN, **cookie}) for _ in range(4))
        )
    assert sorted(answer.headers["location"] for answer in answers)[0] == "/"
    assert len(world.log("login")) == 1


@pytest.mark.parametrize("seconds", [-3600, 601])
async def test_a_sign_in_that_took_too_long_is_refused(
    world: World, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.browser() as browser:
        state = await begin(world, browser)
        later = time.time() + seconds
        monkeypatch.setattr(oidc.time, "time", lambda: later)
        assert failure(await finish(browser, state)) == "sign-on"


@pytest.mark.parametrize("cookie", ["", "x", "1.short", f"99999999999999.{'A' * 43}", f"-1.{'A' * 43}"])
async def test_a_made_up_cookie_is_refused(world: World, cookie: str) -> None:
    async with world.browser() as browser:
        await begin(world, browser)
        browser.cookies.clear()
        browser.cookies.set(oidc.COOKIE, cookie)
        assert failure(await finish(browser, oidc._made(cookie, "state"))) == "sign-on"


@pytest.mark.parametrize(
    "query",
    [
        {"error": "access_denied", "error_description": "SECRET WORDS"},
        {"code": "c-1", "error": "access_denied"},
        {"code": ""},
        {"code": "c" * 2_049},
        {"code": "c\n1"},
        {"code": ["c-1", "c-2"]},
        {"code": "c-1", "iss": "https://evil.example"},
    ],
    ids=lambda query: json.dumps(query)[:40],
)
async def test_a_refusal_or_a_strange_answer_is_one_line_of_ours(world: World, query: dict[str, Any]) -> None:
    async with world.browser() as browser:
        state = await begin(world, browser)
        answer = await browser.get("/auth/oidc/callback", params={"state": state, **query}, headers=FOREIGN)
        assert failure(answer) == "sign-on"
        assert answer.text == ""
        assert "SECRET" not in str(answer.headers)
        assert oidc.COOKIE not in browser.cookies


async def test_a_provider_that_names_its_issuer_must_name_it(world: World) -> None:
    world.fake.metadata["authorization_response_iss_parameter_supported"] = True
    await refused(world)
    async with world.browser() as browser:
        state = await begin(world, browser)
        assert (await finish(browser, state, iss="https://login.example")).headers["location"] == "/"


@pytest.mark.parametrize("path", ["/auth/oidc/start", "/auth/oidc/finish"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
async def test_no_other_site_begins_or_ends_a_sign_in(world: World, path: str, site: str) -> None:
    async with world.browser() as browser:
        state = await begin(world, browser)
        query = {"code": "c-1", "state": state}
        answer = await browser.get(path, params=query, headers={"sec-fetch-site": site})
        assert failure(answer) == "sign-on"
    assert "/token" not in world.fake.calls


async def test_a_forged_host_does_not_become_the_address_to_come_back_to(world: World) -> None:
    async with world.browser() as browser:
        await browser.get("/auth/oidc/start", headers={**OWN, "host": "evil.example"})
        answer = await browser.get("/auth/oidc/start", headers={**OWN, "host": "evil.example"})
    assert "redirect_uri=https%3A%2F%2Fconsole.test%2F" in answer.headers["location"]


async def test_without_a_provider_there_is_nothing_to_start(world: World) -> None:
    world.deps.settings = Settings()
    async with world.browser() as browser:
        for step in ("start", "callback", "finish"):
            assert failure(await browser.get(f"/auth/oidc/{step}", headers=OWN)) == "sign-on"
    assert world.fake.calls == []


async def test_failures_are_recorded_once_a_minute_and_limited(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "_failures", Throttle(burst=2, seconds=60))
    world.fake.claims = {"nonce": "another"}
    async with world.browser() as browser:
        kinds = [failure(await walk(world, browser)) for _ in range(3)]
    assert kinds == ["sign-on", "sign-on", "throttled"]
    (row,) = world.log("login_failed")
    assert row.body["address"] == "192.0.2.1"


async def test_the_log_names_the_reason_and_nothing_that_was_sent(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.fake.claims = {"nonce": "NONCE-SENT", "preferred_username": "NAME-SENT"}
    with caplog.at_level(logging.DEBUG, "console"):
        async with world.browser() as browser:
            state = await begin(world, browser)
            await finish(browser, state)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("console")]
    assert [text for text in ours if "the ID token is refused" in text]
    said = " ".join(ours)
    assert all(secret not in said for secret in ("SENT", "c-1", state, "s3cret"))
