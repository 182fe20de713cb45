"""Security headers on every response: pages, assets, API, and the 404s of all three."""

import json
from collections.abc import Callable
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.settings import LOOPBACK

FIXED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # `no-referrer` would make the sign-in form say `Origin: null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
# A year, after which a person who never came back may again be led to a copy in clear text.
STRICT_TRANSPORT = "max-age=31536000"
FOR_EVER = "public, max-age=31536000, immutable"


def policy(script_hashes: list[str]) -> str:
    """Scripts only from us or by hash; `unsafe-inline` for styles because emotion writes them at run time."""
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *script_hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def caching(path: str) -> str:
    """Kept is only what carries a hash of its content in its name; reflex-env is rewritten after its hash."""
    if path.startswith("/assets/") and not path.startswith("/assets/reflex-env-"):
        return FOR_EVER
    return "no-store" if path.startswith(("/api", "/auth")) else "no-cache"


def strict_transport(scope: Scope) -> bool:
    """Under TLS, but not by the name that every other server of a developer's machine has, too."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    name = host.decode("latin-1").rpartition("]")[0] or host.decode("latin-1").partition(":")[0]
    return scope.get("scheme") == "https" and name.strip("[") not in LOOPBACK


def with_headers(hashes_file: Path) -> Callable[[ASGIApp], ASGIApp]:
    """`hashes_file` is written by the build; while the build itself imports the app it is not there yet."""
    hashes = json.loads(hashes_file.read_text()) if hashes_file.exists() else []
    fixed = {"content-security-policy": policy(hashes), **FIXED}

    def wrap(app: ASGIApp) -> ASGIApp:
        async def with_more(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_more(message: Message) -> None:
                if message["type"] == "http.response.start":
                    headers = MutableHeaders(scope=message)
                    headers.update(fixed)
                    if strict_transport(scope):
                        headers["strict-transport-security"] = STRICT_TRANSPORT
                    kept = caching(scope["path"]) if message["status"] < 400 else "no-store"
                    headers.setdefault("cache-control", kept)
                await send(message)

            await app(scope, receive, send_more if scope["type"] == "http" else send)

        return with_more

    return wrap
