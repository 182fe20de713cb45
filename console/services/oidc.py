"""Sign-in through an OpenID Connect provider: authorization code with PKCE, state and nonce.

The browser keeps one random value in a cookie; state, nonce and the PKCE verifier are made of it, each by
its own word. So nothing is stored for people who never come back, and an answer fits one browser only.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oidc.core import CodeIDToken  # type: ignore[import-untyped]
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError

from console.domain.errors import TooMany, Unauthenticated
from console.services import identities, provider
from console.services.accounts import SignedIn
from console.services.address import short
from console.services.deps import Deps
from console.services.throttle import Throttle
from console.settings import OidcSettings

log = logging.getLogger("console.sign_on")
COOKIE = "console_sign_on"
LASTS_SECONDS = 600
SKEW_SECONDS = 60
# Only those with which the provider alone can sign: never `none`, never a shared secret.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LONGEST = 2_048
_STARTED = re.compile(r"(\d{1,12})\.[A-Za-z0-9_-]{43}")
_TEXT = re.compile(r"[\x21-\x7e]{1,2048}")
_failures = Throttle(burst=20, seconds=3)


class SignOnFailed(Unauthenticated):
    """What came back signs nobody in; `why` is for the server's log and says nothing of the person."""

    def __init__(self, why: str) -> None:
        super().__init__("Sign-in through the identity provider did not work.")
        self.why = why


@dataclass(frozen=True)
class Started:
    """`cookie` stays with the browser, `address` is where it goes."""

    cookie: str
    address: str


@dataclass(frozen=True)
class Returned:
    """The query of the provider's redirect, read."""

    code: str
    state: str
    issuer: str


def begin(deps: Deps, redirect_uri: str) -> Started:
    settings = _settings(deps)
    cookie = f"{int(time.time())}.{secrets.token_urlsafe(32)}"
    address = provider.of(settings).authorization_url(
        _made(cookie, "state"), _made(cookie, "nonce"), _made(cookie, "verifier"), redirect_uri
    )
    return Started(cookie, address)


def returned(deps: Deps, cookie: str | None, query: Mapping[str, str]) -> Returned:
    """What the provider sent back, if this browser asked for it within ten minutes; else `SignOnFailed`."""
    settings = _settings(deps)
    started = _STARTED.fullmatch(cookie or "")
    if cookie is None or started is None:
        raise SignOnFailed("no sign-in was begun in this browser")
    if not 0 <= time.time() - int(started[1]) <= LASTS_SECONDS:
        raise SignOnFailed("it took too long")
    if not hmac.compare_digest(query.get("state", "").encode(), _made(cookie, "state").encode()):
        raise SignOnFailed("state is not this browser's")
    issuer = query.get("iss", "")
    if issuer and issuer != settings.issuer:
        raise SignOnFailed("it comes from another issuer")
    code = query.get("code", "")
    if "error" in query or not _TEXT.fullmatch(code):
        raise SignOnFailed("the provider sent no code")
    return Returned(code, query["state"], issuer)


def finish(deps: Deps, cookie: str, back: Returned, redirect_uri: str, address: str) -> SignedIn:
    """Exchange the code, check the ID token, and begin a session of the person it names."""
    address = short(address)
    _failures.take(address)
    settings = _settings(deps)
    asked = provider.of(settings)
    if asked.metadata().get("authorization_response_iss_parameter_supported") is True and not back.issuer:
        raise SignOnFailed("it does not name its issuer")
    try:
        tokens = asked.exchange(back.code, _made(cookie, "verifier"), redirect_uri)
    except provider.Refused as wrong:
        raise SignOnFailed(f"the provider says {wrong.code}") from None
    claims = checked(asked, tokens, _made(cookie, "nonce"))
    person = person_in(settings, _with_more(asked, claims, tokens))
    once = hashlib.sha256(back.state.encode()).hexdigest()
    signed_in = identities.sign_in(deps, person, once, LASTS_SECONDS, address)
    if signed_in is None:
        raise SignOnFailed("this answer was used already, or the account is disabled here")
    _failures.give_back(address)
    return signed_in


def _settings(deps: Deps) -> OidcSettings:
    settings = deps.settings.oidc
    if not settings.issuer:
        raise SignOnFailed("no provider is configured")
    return settings


def _made(cookie: str, word: str) -> str:
    """43 characters that only this cookie and this word give; none tells of another or of the cookie."""
    made = hmac.new(cookie.encode(), f"review-console sign-on {word}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


def checked(asked: provider.Provider, tokens: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """The claims of the ID token, when this provider signed it for this client, this sign-in and just now."""
    settings, token = asked.settings, tokens.get("id_token")
    if not isinstance(token, str) or len(token) > 65_536:
        raise SignOnFailed("there is no ID token")
    try:
        found = _decoded(asked, token)
        claims = CodeIDToken(
            found.claims,
            found.header,
            options={
                "iss": {"essential": True, "value": settings.issuer},
                "aud": {"essential": True, "value": settings.client_id},
            },
            params={
                "nonce": nonce,
                "client_id": settings.client_id,
                "access_token": tokens.get("access_token"),
            },
        )
        claims.validate(now=int(time.time()), leeway=SKEW_SECONDS)
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as wrong:
        raise SignOnFailed(f"the ID token is refused ({type(wrong).__name__})") from None
    _recent(claims)
    return dict(claims)


def _decoded(asked: provider.Provider, token: str) -> jwt.Token:
    """A key that is not among the known ones may be a new one."""
    try:
        return jwt.decode(token, asked.keys(), algorithms=ALGORITHMS)
    except (InvalidKeyIdError, ValueError):
        return jwt.decode(token, asked.keys(newer=True), algorithms=ALGORITHMS)


def _recent(claims: Mapping[str, Any]) -> None:
    """Said here once more than the library does: a token for a sign-in of now was made now."""
    made, ends, subject = claims.get("iat"), claims.get("exp"), claims.get("sub")
    for moment in (made, ends):
        if isinstance(moment, bool) or not isinstance(moment, int | float):
            raise SignOnFailed("the ID token's times are no numbers")
    if not -SKEW_SECONDS <= time.time() - float(str(made)) <= LASTS_SECONDS + SKEW_SECONDS:
        raise SignOnFailed("the ID token was not made just now")
    if not isinstance(subject, str) or not 0 < len(subject) <= 255:
        raise SignOnFailed("the ID token names nobody")


def _with_more(asked: provider.Provider, claims: dict[str, Any], tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Many providers put groups and names elsewhere; what the ID token says is never replaced by it."""
    wanted = (asked.settings.claim.split("/")[1:2] or [asked.settings.claim])[0]
    access = tokens.get("access_token")
    if (wanted in claims and asked.settings.name in claims) or not isinstance(access, str):
        return claims
    more = asked.about(access)
    if not more:
        return claims
    if more.get("sub") != claims["sub"]:
        raise SignOnFailed("what is said about the person is about another")
    return {**more, **claims}


def person_in(settings: OidcSettings, claims: Mapping[str, Any]) -> identities.Person:
    """Who it is and with which role: the first of the configured values that the claim holds, or none."""
    held = _values(claims, settings.claim)
    role = next((role for value, role in settings.roles.items() if value in held), "none")
    subject = str(claims["sub"])
    named = [claims.get(settings.name), claims.get("email") if claims.get("email_verified") is True else None]
    wish = next((name for name in named if isinstance(name, str) and name.strip()), subject)
    return identities.Person(settings.issuer, subject, wish, role)


def _values(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    """Strings under a claim's name, or under a path such as /realm_access/roles."""
    found: Any = claims.get(claim)
    if found is None and claim.startswith("/"):
        found = claims
        for step in claim[1:].split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
    listed = found if isinstance(found, list) else [found]
    return frozenset(value for value in listed if isinstance(value, str))


__all__ = ["COOKIE", "Returned", "SignOnFailed", "Started", "TooMany", "begin", "finish", "returned"]
