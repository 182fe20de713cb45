"""Talking to the identity provider: bounded in time, size, number and kind, whatever it answers.

It is a machine of somebody else's: every answer is capped and none of its text is shown or logged.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from authlib.common.errors import AuthlibBaseError  # type: ignore[import-untyped]
from authlib.integrations.httpx_client import OAuth2Client, OAuthError  # type: ignore[import-untyped]
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from console.domain.errors import Unauthenticated, Unavailable
from console.settings import OidcSettings, is_safe_address

log = logging.getLogger("console.sign_on")
TIMEOUT_SECONDS = 5.0
WHOLE_SECONDS = 10.0
MOST_BYTES = 262_144
KEPT_SECONDS = 3600.0
AGAIN_AFTER_SECONDS = 15.0
NEW_KEYS_AFTER_SECONDS = 60.0
MOST_AT_ONCE = 4
# RFC 6749, 5.2: the only words of the provider's that may stand in our log.
ERRORS = {
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
}
METHODS = ("client_secret_basic", "client_secret_post", "none")


class ProviderDown(Unavailable):
    """The provider does not answer, or answers what no provider may; passwords go on working."""


class Refused(Unauthenticated):
    """The provider works, but not with this code or this client; `code` is OAuth's word for why."""

    def __init__(self, code: str) -> None:
        super().__init__("The identity provider refused.")
        self.code = code if code in ERRORS else "an error of its own"


class _Bounded(httpx2.SyncByteStream):
    """Ends an answer that is too long, or that comes in drops."""

    def __init__(self, stream: Any, clock: Callable[[], float]) -> None:
        self._stream, self._clock, self._until = stream, clock, clock() + WHOLE_SECONDS

    def __iter__(self) -> Iterator[bytes]:
        taken = 0
        for part in self._stream:
            taken += len(part)
            if taken > MOST_BYTES or self._clock() > self._until:
                raise httpx2.ReadError("the answer is too long or too slow")
            yield part

    def close(self) -> None:
        self._stream.close()


class Bounds(httpx2.BaseTransport):
    """In front of the network: identity encoding only, since a small body may unpack to a large one."""

    def __init__(self, inner: httpx2.BaseTransport, clock: Callable[[], float] = time.monotonic) -> None:
        self._inner, self._clock = inner, clock

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        answer = self._inner.handle_request(request)
        if "content-encoding" in answer.headers:
            answer.close()
            raise httpx2.ReadError("the answer is packed although that was not allowed")
        stream = _Bounded(answer.stream, self._clock)
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=stream)

    def close(self) -> None:
        self._inner.close()


class Provider:
    """One issuer with what it publishes, remembered for an hour; a failure is remembered for 15 s."""

    def __init__(
        self,
        settings: OidcSettings,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._transport, self._clock = transport, clock
        self._lock, self._slots = threading.Lock(), threading.BoundedSemaphore(MOST_AT_ONCE)
        self._metadata: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._failed_at = -AGAIN_AFTER_SECONDS

    def metadata(self) -> dict[str, Any]:
        """The provider's own description: of this very issuer, with addresses that are safe to use."""
        with self._lock:
            kept = self._metadata
        if kept is not None and self._clock() - kept[0] < KEPT_SECONDS:
            return kept[1]
        found = self._get(self.settings.issuer.rstrip("/") + "/.well-known/openid-configuration")
        if found.get("issuer") != self.settings.issuer:
            raise self._down("its description is of another issuer")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not self._is_safe(found.get(name)):
                raise self._down(f"its {name} is missing or not safe")
        with self._lock:
            self._metadata = (self._clock(), found)
        return found

    def keys(self, newer: bool = False) -> KeySet:
        """Its public keys; `newer` asks again, at most once a minute, for a key that is not among them."""
        with self._lock:
            kept = self._keys
        age = self._clock() - kept[0] if kept else KEPT_SECONDS
        if kept is not None and age < (NEW_KEYS_AFTER_SECONDS if newer else KEPT_SECONDS):
            return kept[1]
        sent = self._get(self.metadata()["jwks_uri"])
        try:
            listed = [key for key in sent["keys"] if key.get("kty") in ("RSA", "EC", "OKP")][:50]
            found = KeySet.import_key_set({"keys": listed})
        except (JoseError, KeyError, TypeError, ValueError, AttributeError):
            raise self._down("its keys cannot be read") from None
        with self._lock:
            self._keys = (self._clock(), found)
        return found

    def exchange(self, code: str, verifier: str, redirect_uri: str) -> dict[str, Any]:
        """The tokens for a code, which is tried once only; `Refused` when it is not taken."""
        address = self.metadata()["token_endpoint"]
        with self._asking(), self._client(redirect_uri) as client:
            return dict(client.fetch_token(address, code=code, code_verifier=verifier))

    def about(self, access_token: str) -> dict[str, Any]:
        """Claims that this provider keeps out of its ID token; nothing when it has no such address."""
        address = self.metadata().get("userinfo_endpoint")
        if not isinstance(address, str) or not self._is_safe(address):
            return {}
        return self._get(address, {"authorization": f"Bearer {access_token}"})

    def authorization_url(self, state: str, nonce: str, verifier: str, redirect_uri: str) -> str:
        """Where the browser goes to sign in."""
        address = self.metadata()["authorization_endpoint"]
        with self._client(redirect_uri) as client:
            url, _ = client.create_authorization_url(
                address, state=state, nonce=nonce, code_verifier=verifier, response_type="code"
            )
        return str(url)

    def _is_safe(self, address: object) -> bool:
        """A provider elsewhere may not lead us to what runs on this machine."""
        if not isinstance(address, str) or not is_safe_address(address):
            return False
        return address.startswith("https:") or self.settings.issuer.startswith("http:")

    def _client(self, redirect_uri: str) -> Any:
        secret = self.settings.client_secret
        return OAuth2Client(
            client_id=self.settings.client_id,
            client_secret=secret.get_secret_value() if secret else None,
            token_endpoint_auth_method=self._method() if secret else "none",
            scope=" ".join(self.settings.scopes),
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            **self._http(),
        )

    def _method(self) -> str:
        offered = self.metadata().get("token_endpoint_auth_methods_supported")
        known = offered if isinstance(offered, list) else []
        return next((method for method in METHODS if method in known), METHODS[0])

    def _http(self) -> dict[str, Any]:
        inner = self._transport or httpx2.HTTPTransport()
        # A redirect is never followed: it could lead to any host.
        return {"transport": Bounds(inner), "timeout": TIMEOUT_SECONDS, "follow_redirects": False}

    def _get(self, address: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
        with self._asking(), httpx2.Client(**self._http()) as client:
            answer = client.get(address, headers={"accept": "application/json", **(headers or {})})
            if answer.status_code != 200:
                raise self._down(f"it answered {answer.status_code}")
            found = json.loads(answer.content)
            if not isinstance(found, dict):
                raise self._down("it answered something that is no object")
            return found

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Few at once, so that a provider that hangs cannot hold the threads that passwords need."""
        if self._clock() - self._failed_at < AGAIN_AFTER_SECONDS:
            raise ProviderDown("The identity provider did not answer a moment ago.")
        if not self._slots.acquire(blocking=False):
            raise ProviderDown("Too many people are signing in through the identity provider.")
        try:
            yield
        except httpx2.TransportError as wrong:
            self._failed_at = self._clock()
            raise self._down(f"it cannot be reached ({type(wrong).__name__})") from None
        except OAuthError as wrong:
            raise Refused(str(wrong.error)) from None
        except (httpx2.HTTPError, AuthlibBaseError, ValueError, RecursionError) as wrong:
            raise self._down(f"its answer cannot be used ({type(wrong).__name__})") from None
        finally:
            self._slots.release()

    def _down(self, why: str) -> ProviderDown:
        log.warning("the identity provider %s: %s", self.settings.issuer, why)
        return ProviderDown("The identity provider cannot be used at present.")


_providers: dict[tuple[str, str], Provider] = {}


def of(settings: OidcSettings) -> Provider:
    """The one of this process, with what it remembers."""
    return _providers.setdefault((settings.issuer, settings.client_id), Provider(settings))
