"""Who calls, whether the call may come from where it comes from, and whether the role is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request

from console.api.body import require_json
from console.api.problem import ACTOR, ForeignOrigin
from console.domain.access import Actor, Permission, require
from console.domain.canonical import sha256
from console.domain.errors import Unauthenticated
from console.services import accounts, deps, tokens

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
Cookie = Annotated[
    str | None, Security(APIKeyCookie(name=accounts.COOKIE, scheme_name="session", auto_error=False))
]
Bearer = Annotated[
    HTTPAuthorizationCredentials | None, Security(HTTPBearer(scheme_name="token", auto_error=False))
]


def caller(request: Request, cookie: Cookie, token: Bearer) -> Actor:
    """The signed-in person or token owner. A bearer token wins over a cookie, also when it is wrong."""
    with_token = "authorization" in request.headers
    credential = (token.credentials if token else "") if with_token else (cookie or "")
    look_up = tokens.actor_of_token if with_token else _by_cookie
    actor = look_up(deps.current(), credential) if credential else None
    if actor is None:
        raise Unauthenticated("Sign in with POST /api/v1/session, or send a valid bearer token.")
    request.scope[ACTOR] = actor
    request.app.state.budget.spend(sha256(credential.encode("utf-8", "backslashreplace")))
    if not with_token and request.method not in SAFE_METHODS:
        same_origin(request)
        if request.method != "DELETE":
            require_json(request)
    return actor


def _by_cookie(current: deps.Deps, token: str) -> Actor | None:
    return accounts.actor_of_session(current, token, via="api")


def same_origin(request: Request) -> None:
    """Refuse calls from foreign pages.

    Sec-Fetch-Site comes first: under `Referrer-Policy: no-referrer` a form's POST says `Origin: null`.
    A client that sends neither header is not a browser: no foreign page is behind it.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site != "same-origin"
    else:
        foreign = origin is not None and not _is_own(origin, request)
    if foreign:
        raise ForeignOrigin("This call comes from another site. Open the console by its own address.")


def _is_own(origin: str, request: Request) -> bool:
    own: Sequence[str] | None = request.app.state.origins
    if own is None:
        return bool(origin) and urlsplit(origin).netloc == request.headers.get("host")
    return origin in own


def needs(permission: Permission) -> Callable[[Actor], Actor]:
    """A dependency that gives the caller when the role grants `permission`; 401, then 403."""

    def allowed(actor: Annotated[Actor, Depends(caller)]) -> Actor:
        require(actor, permission)
        return actor

    return allowed


SignedIn = Annotated[Actor, Depends(needs(Permission.SIGNED_IN))]
Viewer = Annotated[Actor, Depends(needs(Permission.VIEW))]
Decider = Annotated[Actor, Depends(needs(Permission.DECIDE))]
Administrator = Annotated[Actor, Depends(needs(Permission.ADMINISTER))]
Chatter = Annotated[Actor, Depends(needs(Permission.CHAT))]
AuditReader = Annotated[Actor, Depends(needs(Permission.AUDIT_OWN))]
Unmasker = Annotated[Actor, Depends(needs(Permission.UNMASK))]
AuditExporter = Annotated[Actor, Depends(needs(Permission.AUDIT_EXPORT))]
