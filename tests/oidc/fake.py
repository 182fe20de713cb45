"""A provider in this process that answers as told: right by default, wrong in one way at a time."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from joserfc import jwt
from joserfc.jwk import ECKey

ISSUER = "https://login.example"
CLIENT_ID = "review-console"
ENDPOINTS = {
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
    "userinfo_endpoint": f"{ISSUER}/about",
}


def new_key(kid: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": kid, "use": "sig", "alg": "ES256"})


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unsigned(claims: dict[str, Any]) -> str:
    return ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "none"}, claims)) + "."


@dataclass
class FakeProvider:
    """`claims` replace those of the ID token (None removes one); `answers` replace whole HTTP answers."""

    key: ECKey = field(default_factory=lambda: new_key("one"))
    metadata: dict[str, Any] = field(default_factory=lambda: {"issuer": ISSUER, **ENDPOINTS})
    claims: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Callable[[], httpx2.Response]] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] | None = None
    published: list[dict[str, Any]] | None = None
    asked: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    headers: list[httpx2.Headers] = field(default_factory=list)

    def authorize(self, address: str) -> str:
        """What a person's approval gives: the state, for the callback. Remembers what was asked for."""
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        return self.asked["state"]

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = urlsplit(str(request.url)).path
        self.calls.append(path)
        self.headers.append(request.headers)
        if path in self.answers:
            return self.answers[path]()
        match path:
            case "/.well-known/openid-configuration":
                return httpx2.Response(200, json=self.metadata)
            case "/keys":
                return httpx2.Response(
                    200, json={"keys": self.published or [self.key.as_dict(private=False)]}
                )
            case "/about":
                return httpx2.Response(200, json={"sub": "s-1", **self.about})
            case "/token":
                return self._token(parse_qs(request.content.decode()))
        return httpx2.Response(404)

    def _token(self, form: dict[str, list[str]]) -> httpx2.Response:
        sent = encoded(hashlib.sha256(form["code_verifier"][0].encode()).digest())
        if sent != self.asked["code_challenge"] or form["redirect_uri"][0] != self.asked["redirect_uri"]:
            return httpx2.Response(400, json={"error": "invalid_grant", "error_description": "SECRET WORDS"})
        return httpx2.Response(
            200,
            json={"access_token": "access", "token_type": "Bearer", "id_token": self._signed(self._claims())},
        )

    def _claims(self) -> dict[str, Any]:
        now = int(time.time())
        right = {
            "iss": ISSUER,
            "aud": CLIENT_ID,
            "sub": "s-1",
            "iat": now,
            "exp": now + 300,
            "nonce": self.asked["nonce"],
            "preferred_username": "rosa",
            "groups": ["staff", "review-team"],
        }
        return {name: value for name, value in {**right, **self.claims}.items() if value is not None}

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.sign is not None:
            return self.sign(claims)
        return jwt.encode({"alg": "ES256", "kid": self.key.kid}, claims, self.key)

    def with_shared_secret(self, claims: dict[str, Any]) -> str:
        """The old confusion: HMAC with the public key's own text for a secret. By hand, libraries refuse."""
        header = {"alg": "HS256", "kid": self.key.kid}
        signed = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        mac = hmac.new(self.key.as_pem(private=False), signed.encode(), hashlib.sha256).digest()
        return f"{signed}.{encoded(mac)}"
