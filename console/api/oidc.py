"""Sign-in through an identity provider, as the browser walks it: start, callback, finish.

The callback is reached from the provider's site, so browsers keep our strict session cookie out of it and of
every redirect that follows it. It therefore answers a page of ours, which goes on to `finish` by itself: that
step comes from our own site, brings the former session along to be ended, and may be refused to others.
"""

from __future__ import annotations

import logging
from html import escape
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from console.api.auth import same_origin
from console.api.problem import ForeignOrigin
from console.api.sessions import set_cookie
from console.domain.errors import TooMany, Unavailable
from console.services import accounts, deps, oidc
from console.services.provider import ProviderDown

log = logging.getLogger("console.sign_on")
router = APIRouter(prefix="/oidc")
PATH = "/auth/oidc"

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Signing in · Review Console</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={address}">
</head>
<body>
<p>Signing in … <a href="{address}">Go on</a> if nothing happens.</p>
</body>
</html>
"""


@router.get("/start")
def start(request: Request) -> Response:
    """To the provider. From our own pages only: nobody else's link may begin a sign-in."""
    try:
        same_origin(request)
        started = oidc.begin(deps.current(), redirect_uri(request))
    except (ForeignOrigin, oidc.SignOnFailed, Unavailable) as wrong:
        return failed(wrong)
    answer = RedirectResponse(started.address, 303)
    answer.set_cookie(
        oidc.COOKIE,
        started.cookie,
        max_age=oidc.LASTS_SECONDS,
        path=PATH,
        httponly=True,
        # Strict would keep it out of the callback.
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


@router.get("/callback")
def callback(request: Request) -> Response:
    """The provider sends the browser here; only the browser that began gets further."""
    try:
        back = oidc.returned(deps.current(), request.cookies.get(oidc.COOKIE), query_of(request))
    except oidc.SignOnFailed as wrong:
        return failed(wrong)
    kept = {"code": back.code, "state": back.state, "iss": back.issuer}
    return HTMLResponse(PAGE.format(address=escape(f"{PATH}/finish?{urlencode(kept)}")))


@router.get("/finish")
def finish(request: Request) -> Response:
    """Ends the session that this browser had, and begins the new one."""
    current, cookie = deps.current(), request.cookies.get(oidc.COOKIE)
    address = request.client.host if request.client else ""
    try:
        same_origin(request)
        back = oidc.returned(current, cookie, query_of(request))
        signed_in = oidc.finish(current, cookie or "", back, redirect_uri(request), address)
    except (ForeignOrigin, oidc.SignOnFailed, TooMany, Unavailable) as wrong:
        if isinstance(wrong, oidc.SignOnFailed):
            accounts.record_failure(current, address)
        return failed(wrong)
    if former := request.cookies.get(accounts.COOKIE):
        accounts.sign_out(current, former)
    answer = RedirectResponse("/", 303)
    set_cookie(request, answer, signed_in.token)
    return drop(answer)


def failed(wrong: Exception) -> Response:
    """Back to the login page with the kind of failure; the reason stands in the server's log."""
    kind = "sign-on"
    if isinstance(wrong, TooMany):
        kind = "throttled"
    elif isinstance(wrong, ProviderDown):
        kind = "provider"
    elif isinstance(wrong, Unavailable):
        kind = "busy"
    if isinstance(wrong, oidc.SignOnFailed):
        log.warning("a sign-in through the identity provider was refused: %s", wrong.why)
    return drop(RedirectResponse(f"/login?failed={kind}", 303))


def drop(answer: Response) -> Response:
    answer.delete_cookie(oidc.COOKIE, path=PATH, httponly=True, samesite="lax")
    return answer


def query_of(request: Request) -> dict[str, str]:
    """Each name once: of several codes or states none is the right one."""
    found = request.query_params.multi_items()
    names = [name for name, _ in found]
    return {name: value for name, value in found if names.count(name) == 1}


def redirect_uri(request: Request) -> str:
    """Below the address people use, if it is one of our own; a forged Host leads to the first of them."""
    own = request.app.state.origins
    asked = f"{request.url.scheme}://{request.headers.get('host', '')}"
    origin = asked if not own or asked in own else own[0]
    return f"{origin}{PATH}/callback"
