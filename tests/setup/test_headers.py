"""Every answer of the console carries the same protection, whatever was asked and however it went."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from console.api.headers import FIXED, STRICT_TRANSPORT, with_headers
from console.api.proxies import TrustedProxies
from tests.serving import Server

PAGES = ["/", "/login", "/audit", "/threads/x", "/threads/%7Eabc", "/favicon.svg", "/ping"]
NOWHERE = [
    "/nope",
    "/assets/nope.js",
    "/api",
    "/api/v1/nope",
    "/api/%0A",
    "/auth/nope",
    "/%2e%2e/x",
    "//x",
    "/_event",
]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"]
POLICY = {
    "default-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "connect-src": "'self'",
}


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.base_url, timeout=20) as made:
        yield made


def check(answer: httpx.Response) -> None:
    place = f"{answer.request.method} {answer.request.url.path}: {answer.status_code}"
    assert {name: answer.headers.get(name) for name in FIXED} == FIXED, place
    (policy,) = answer.headers.get_list("content-security-policy")
    rules = {rule.split()[0]: rule.partition(" ")[2] for rule in policy.split("; ")}
    assert POLICY.items() <= rules.items(), place
    assert re.fullmatch(r"'self'( 'sha256-[A-Za-z0-9+/=]+')+", rules["script-src"]), place
    assert "unsafe-eval" not in policy, place
    (kept,) = answer.headers.get_list("cache-control")
    if answer.status_code >= 400 or answer.request.url.path.startswith(("/api", "/auth")):
        assert kept == "no-store", place
    assert "strict-transport-security" not in answer.headers, place


@pytest.mark.serving
@pytest.mark.parametrize("method", METHODS)
def test_pages_and_what_is_no_page(client: httpx.Client, method: str) -> None:
    for path in (*PAGES, *NOWHERE):
        check(client.request(method, path))


@pytest.mark.serving
def test_every_route_of_the_api_as_nobody(client: httpx.Client) -> None:
    paths: dict[str, dict[str, Any]] = client.get("/api/v1/openapi.json").json()["paths"]
    assert len(paths) > 10
    for path in ["/v1/openapi.json", "/v1/docs", *paths]:
        for method in ("GET", "POST", "DELETE", "PATCH"):
            check(client.request(method, "/api" + re.sub(r"\{[^}]*\}", "x", path)))


@pytest.mark.serving
def test_refusals_of_every_kind(client: httpx.Client) -> None:
    session = "/api/v1/session"
    sent: list[tuple[int, dict[str, Any]]] = [
        (401, {"json": {"username": "sam", "password": "wrong"}}),
        (403, {"json": {}, "headers": {"origin": "https://evil.example"}}),
        (415, {"content": b"x", "headers": {"content-type": "text/plain"}}),
        (400, {"content": b"{", "headers": {"content-type": "application/json"}}),
        (413, {"content": b" " * 3_000_000, "headers": {"content-type": "application/json"}}),
        (422, {"json": {}}),
    ]
    for status, request in sent:
        answer = client.post(session, **request)
        assert answer.status_code == status, answer.text
        check(answer)
    for step in ("start", "callback", "finish"):
        answer = client.get(f"/auth/oidc/{step}")
        assert answer.headers["location"] == "/login?failed=sign-on"
        check(answer)


@pytest.mark.serving
def test_every_file_that_is_served(client: httpx.Client, built_frontend: Path) -> None:
    """What carries a hash of its content in its name is kept for ever, and nothing else is."""
    root = built_frontend / "build" / "client"
    files = [
        f"/{file.relative_to(root)}" for file in root.rglob("*") if file.is_file() and file.suffix != ".gz"
    ]
    assert len(files) > 20
    for path in files:
        answer = client.get(path)
        check(answer)
        if answer.status_code == 200:
            hashed = path.startswith("/assets/") and "/reflex-env-" not in path
            assert ("immutable" in answer.headers["cache-control"]) == hashed, path


def transport(hashes: Path, path: str = "/x") -> httpx.ASGITransport:
    async def page(request: object) -> PlainTextResponse:
        return PlainTextResponse("a page")

    wrapped = with_headers(hashes)(Starlette(routes=[Route(path, page)]))
    return httpx.ASGITransport(TrustedProxies(wrapped, ["192.0.2.1"]), client=("192.0.2.1", 1))


@pytest.mark.parametrize(
    ("address", "forwarded", "strict"),
    [
        ("https://review.example/x", None, True),
        ("https://review.example:8443/nope", None, True),
        ("http://review.example/x", "https", True),
        ("http://review.example/x", None, False),
        ("http://review.example/x", "http", False),
        # Every other server of a developer's machine has that name, too.
        ("https://localhost:3000/x", None, False),
        ("https://[::1]:3000/x", None, False),
    ],
)
async def test_browsers_are_told_to_stay_with_tls_where_there_is_tls(
    address: str, forwarded: str | None, strict: bool, tmp_path: Path
) -> None:
    hashes = tmp_path / "csp.json"
    hashes.write_text(json.dumps(["'sha256-x'"]))
    headers = {"x-forwarded-proto": forwarded} if forwarded else {}
    async with httpx.AsyncClient(transport=transport(hashes)) as client:
        answer = await client.get(address, headers=headers)
    assert answer.headers.get("strict-transport-security") == (STRICT_TRANSPORT if strict else None)
