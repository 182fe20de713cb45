"""Forwarded headers count from proxies that the settings name, and from nobody else."""

from __future__ import annotations

from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest

from console.api.proxies import TrustedProxies
from console.domain.ledger import Kind
from console.server import behind_proxies
from console.services import accounts, audit
from console.services.throttle import Throttle
from console.settings import ServerSettings
from console.settings_file import SettingsError
from tests.api.conftest import World

PROXY, STRANGER, PERSON = "10.0.0.7", "198.51.100.9", "203.0.113.7"
SAM = {"username": "sam", "password": "demo"}


async def seen(
    peers: list[str], client: str | None, *headers: tuple[str, str], kind: str = "http"
) -> dict[str, Any]:
    """The scope that arrives behind the proxies."""
    arrived: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        arrived.append(scope)

    scope = {
        "type": kind,
        "scheme": "http" if kind == "http" else "ws",
        "client": (client, 5000) if client else None,
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
    }
    nothing: Any = None
    await TrustedProxies(application, peers)(scope, nothing, nothing)
    return arrived[0]


FORWARDED = (("X-Forwarded-For", PERSON), ("X-Forwarded-Proto", "https"), ("Host", "console.test"))


@pytest.mark.parametrize(("kind", "scheme"), [("http", "https"), ("websocket", "wss")])
@pytest.mark.parametrize("peers", [[PROXY], ["10.0.0.0/8"], ["192.0.2.1", "10.0.0.7/24"]])
async def test_a_named_proxy_is_believed(kind: str, scheme: str, peers: list[str]) -> None:
    scope = await seen(peers, PROXY, *FORWARDED, kind=kind)
    assert (scope["client"][0], scope["scheme"]) == (PERSON, scheme)


@pytest.mark.parametrize(("kind", "scheme"), [("http", "http"), ("websocket", "ws")])
@pytest.mark.parametrize(
    ("peers", "client"), [([], PROXY), ([PROXY], STRANGER), ([PROXY], None), ([PROXY], "unix:")]
)
async def test_anyone_else_is_not(kind: str, scheme: str, peers: list[str], client: str | None) -> None:
    scope = await seen(peers, client, *FORWARDED, kind=kind)
    assert (scope["client"] or (None,))[0] == client
    assert scope["scheme"] == scheme


@pytest.mark.parametrize("client", [PROXY, STRANGER])
async def test_forwarded_headers_go_no_further(client: str) -> None:
    more = (("Forwarded", "for=1.1.1.1"), ("X-Real-IP", "1.1.1.1"), ("X-Forwarded-Host", "evil.example"))
    scope = await seen([PROXY], client, *FORWARDED, *more)
    assert scope["headers"] == [(b"host", b"console.test")]


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ([f"1.1.1.1, {PERSON}"], PERSON),
        (["1.1.1.1", PERSON], PERSON),
        ([f"1.1.1.1, {PERSON}, 10.0.0.8"], PERSON),
        (["10.0.0.9, 10.0.0.8"], "10.0.0.9"),
        ([f"{PERSON}:4711"], PERSON),
        (["[2001:db8::1]:4711"], "2001:db8::1"),
        ([f"::ffff:{PERSON}"], PERSON),
        (["evil\x1b[2J"], PROXY),
        (["1.1.1.1, unknown"], PROXY),
        (["1.1.1.1, unknown, 10.0.0.8"], "10.0.0.8"),
        (["", ","], PROXY),
    ],
)
async def test_the_caller_is_the_last_hop_that_is_no_proxy_of_ours(
    forwarded: list[str], address: str
) -> None:
    """What stands before it was written by the caller."""
    scope = await seen(["10.0.0.0/8"], PROXY, *(("X-Forwarded-For", each) for each in forwarded))
    assert scope["client"][0] == address


@pytest.mark.parametrize(
    ("proto", "scheme"), [("https, http", "http"), ("http, https", "https"), ("x", "http")]
)
async def test_the_scheme_is_what_the_nearest_proxy_says(proto: str, scheme: str) -> None:
    assert (await seen([PROXY], PROXY, ("X-Forwarded-Proto", proto)))["scheme"] == scheme


async def test_a_proxy_that_is_reached_as_ipv4_in_ipv6_is_the_same() -> None:
    assert (await seen([PROXY], f"::ffff:{PROXY}", *FORWARDED))["client"][0] == PERSON


@pytest.mark.parametrize(
    ("client", "secure", "address"), [(PROXY, True, PERSON), (STRANGER, False, STRANGER)]
)
async def test_the_cookie_is_secure_and_the_ledger_has_the_real_address_only_behind_a_proxy(
    client: str, secure: bool, address: str, world: World
) -> None:
    app = TrustedProxies(world.app, [PROXY])
    transport = httpx.ASGITransport(app, client=(client, 5000))
    headers = dict(FORWARDED[:2])
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as browser:
        answer = await browser.post("/api/v1/session", json=SAM, headers=headers)
    morsel = SimpleCookie(answer.headers["set-cookie"])[accounts.COOKIE]
    assert bool(morsel["secure"]) is secure
    (row,) = audit.log(world.deps, accounts.OPERATOR, kind=Kind.LOGIN, limit=1).items
    assert row.body["address"] == address


async def test_people_behind_one_proxy_do_not_share_a_throttle(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_by_address", Throttle(burst=2, seconds=600))
    app = TrustedProxies(world.app, [PROXY])
    transport = httpx.ASGITransport(app, client=(PROXY, 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as browser:

        async def status(address: str, **who: str) -> int:
            headers = {"X-Forwarded-For": address}
            return (await browser.post("/api/v1/session", json=who, headers=headers)).status_code

        for name in ("zoe", "zac"):
            assert await status(STRANGER, username=name, password="x") == 401
        assert await status(STRANGER, **SAM) == 429
        assert await status(PERSON, **SAM) == 200


@pytest.mark.parametrize("peer", ["proxy.example", "10.0.0.0/33", ""])
def test_what_is_no_address_is_refused_at_the_start(peer: str) -> None:
    with pytest.raises(SettingsError, match=r"server\.trusted_proxies"):
        behind_proxies(lambda *_: None, ServerSettings(trusted_proxies=(peer,)))  # type: ignore[arg-type]
