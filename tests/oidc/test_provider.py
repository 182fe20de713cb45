"""A provider that is down, slow, endless or not itself harms nobody who signs in by password."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from console.services import provider
from console.services.people import list_users
from console.settings import Settings
from tests.oidc.conftest import OWN, World, begin, failure, finish
from tests.oidc.fake import FakeProvider

DESCRIPTION = "/.well-known/openid-configuration"


async def test_passwords_go_on_while_the_provider_is_down(world: World) -> None:
    def down() -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    world.fake.answers["/.well-known/openid-configuration"] = down
    async with world.browser() as browser:
        assert failure(await browser.get("/auth/oidc/start", headers=OWN)) == "provider"
        form = {"username": "sam", "password": "demo"}
        assert (await browser.post("/auth/login", data=form, headers=OWN)).headers["location"] == "/"
        # Not asked again at once: each question holds a thread for seconds.
        assert failure(await browser.get("/auth/oidc/start", headers=OWN)) == "provider"
    assert len(world.fake.calls) == 1


def elsewhere() -> httpx2.Response:
    return httpx2.Response(302, headers={"location": "http://169.254.169.254/"})


def endless() -> httpx2.Response:
    return httpx2.Response(200, content=(b" " * 65_536 for _ in range(1_000)))


def packed() -> httpx2.Response:
    return httpx2.Response(200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(b"x"))


def deep() -> httpx2.Response:
    return httpx2.Response(200, content=b'{"a":' * 100_000)


@pytest.mark.parametrize("step", [DESCRIPTION, "/token", "/keys", "/about"])
@pytest.mark.parametrize(
    "answer",
    [
        elsewhere,
        endless,
        packed,
        deep,
        lambda: httpx2.Response(500, text="SECRET WORDS"),
        lambda: httpx2.Response(200, text="<html>"),
        lambda: httpx2.Response(200, json=["a list"]),
        lambda: httpx2.Response(200, json={"sub": "s-2"}),
    ],
    ids=["redirect", "endless", "packed", "deep", "error", "page", "list", "other"],
)
async def test_an_unusable_answer_of_the_provider_is_a_line_on_the_login_page(
    world: World, step: str, answer: Callable[[], httpx2.Response]
) -> None:
    world.fake.claims = {"groups": None}
    async with world.browser() as browser:
        if step == DESCRIPTION:
            world.fake.answers[step] = answer
            sent = await browser.get("/auth/oidc/start", headers=OWN)
        else:
            state = await begin(world, browser)
            world.fake.answers[step] = answer
            sent = await finish(browser, state)
    assert failure(sent) in ("provider", "sign-on")
    assert "SECRET" not in sent.text + str(sent.headers)
    assert "/" not in world.fake.calls
    assert list_users(world.deps) == [("sam", "supervisor", True)]


@pytest.mark.parametrize(
    "changed",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"authorization_endpoint": "http://login.example/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "file:///etc/passwd"},
        {"token_endpoint": None},
        {"jwks_uri": "https://"},
        {"jwks_uri": "http://127.0.0.1:6379/"},
        {"jwks_uri": "https://user@login.example/keys"},
    ],
    ids=lambda changed: json.dumps(changed),
)
async def test_a_description_that_is_not_the_issuers_own_is_refused(
    world: World, changed: dict[str, Any]
) -> None:
    world.fake.metadata.update(changed)
    async with world.browser() as browser:
        assert failure(await browser.get("/auth/oidc/start", headers=OWN)) == "provider"
    assert world.fake.calls == ["/.well-known/openid-configuration"]


def test_an_answer_in_drops_is_ended() -> None:
    seconds = iter(range(0, 1_000, 3))
    drops = httpx2.Response(200, content=(b" " for _ in range(100)))
    bounds = provider.Bounds(httpx2.MockTransport(lambda request: drops), lambda: float(next(seconds)))
    with httpx2.Client(transport=bounds) as client, pytest.raises(httpx2.ReadError, match="too slow"):
        client.get("https://login.example")


def test_only_few_ask_the_provider_at_once(world: World) -> None:
    known = provider.of(world.deps.settings.oidc)
    for _ in range(provider.MOST_AT_ONCE):
        known._slots.acquire()
    with pytest.raises(provider.ProviderDown, match="Too many"):
        known.metadata()
    known._slots.release()
    assert known.metadata()["issuer"]


def test_what_the_provider_publishes_is_asked_for_once_an_hour() -> None:
    fake, now = FakeProvider(), [0.0]
    settings = Settings(oidc={"issuer": "https://login.example", "client_id": "c", "roles": {"a": "qa"}}).oidc
    known = provider.Provider(settings, httpx2.MockTransport(fake), lambda: now[0])
    for seconds in (0.0, 3_599.0, 3_600.0):
        now[0] = seconds
        known.metadata()
        known.keys()
    assert fake.calls.count("/.well-known/openid-configuration") == 2
    assert fake.calls.count("/keys") == 2


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        ("invalid_grant", "invalid_grant"),
        ("invalid_client", "invalid_client"),
        ("SECRET", "error of its own"),
    ],
)
async def test_a_code_that_the_provider_refuses_is_not_a_provider_that_is_down(
    world: World, error: str, logged: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = {"error": error, "error_description": "SECRET WORDS"}
    world.fake.answers["/token"] = lambda: httpx2.Response(400, json=body)
    async with world.browser() as browser:
        state = await begin(world, browser)
        assert failure(await finish(browser, state)) == "sign-on"
        assert (await browser.get("/auth/oidc/start", headers=OWN)).headers["location"] != "/login"
    ours = " ".join(each.getMessage() for each in caplog.records if each.name.startswith("console"))
    assert f"the provider says {logged}" in ours.replace("an error", "error")
    assert "SECRET" not in ours
