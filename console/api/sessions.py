"""Signing in and out: JSON for scripts, forms for the login page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from console.api import describe
from console.api.auth import SignedIn, same_origin
from console.api.body import Field, checked, read_bytes, read_json, require_json
from console.api.wire import Answer
from console.domain.access import Role
from console.domain.errors import BadRequest, Invalid, TooMany, Unauthenticated
from console.services import accounts, deps

router = APIRouter(tags=["session"])
forms = APIRouter()
CREDENTIALS = {"username": Field("text", longest=200), "password": Field("text", longest=1_000)}


@dataclass(frozen=True)
class SessionView:
    """Who is signed in and until when."""

    name: str
    role: Role
    expires_at: datetime


@router.post(
    "/session",
    response_model=SessionView,
    responses=describe.refusals(400, 403, 413, 415, 422),
    dependencies=[Depends(same_origin), Depends(require_json)],
    openapi_extra=describe.body({"username": describe.TEXT, "password": describe.TEXT}, list(CREDENTIALS)),
)
def sign_in(request: Request, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Sign in; the cookie `console_session` then carries the session."""
    given = checked(sent, CREDENTIALS)
    signed_in = _sign_in(request, given["username"], given["password"])
    answer = Answer(SessionView(signed_in.actor.name, signed_in.actor.role, signed_in.expires_at))
    set_cookie(request, answer, signed_in.token)
    return answer


@router.delete("/session", status_code=204, responses=describe.refusals(400, 403))
def sign_out(request: Request, actor: SignedIn) -> Response:
    """Revoke the session of the cookie."""
    if "authorization" in request.headers:
        raise BadRequest("A token is not a session. `console tokens revoke` ends it.")
    accounts.sign_out(deps.current(), request.cookies.get(accounts.COOKIE))
    return drop_cookie(Response(status_code=204))


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of the login form; what is not such a form has none."""
    raw = await read_bytes(request)
    try:
        return parse_qs(raw.decode(), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        return {}


@forms.post("/login", dependencies=[Depends(same_origin)])
def log_in(request: Request, form: Annotated[dict[str, list[str]], Depends(read_form)]) -> Response:
    """To the desk, or back to the login page with the kind of failure."""
    try:
        given = checked({name: texts[0] for name, texts in form.items() if len(texts) == 1}, CREDENTIALS)
        signed_in = _sign_in(request, given["username"], given["password"])
    except (Invalid, Unauthenticated):
        return RedirectResponse("/login?failed=1", 303)
    except TooMany:
        return RedirectResponse("/login?failed=throttled", 303)
    answer = RedirectResponse("/", 303)
    set_cookie(request, answer, signed_in.token)
    return answer


@forms.post("/logout", dependencies=[Depends(same_origin)])
def log_out(request: Request) -> Response:
    """Also for those whose session is over already."""
    accounts.sign_out(deps.current(), request.cookies.get(accounts.COOKIE))
    return drop_cookie(RedirectResponse("/login", 303))


def _sign_in(request: Request, name: str, password: str) -> accounts.SignedIn:
    """The new session ends the one that this browser had: else its open tabs would go on as someone else."""
    address = request.client.host if request.client else ""
    signed_in = accounts.sign_in(
        deps.current(), name, password, address, request.headers.get("user-agent", "")
    )
    if former := request.cookies.get(accounts.COOKIE):
        accounts.sign_out(deps.current(), former)
    return signed_in


def set_cookie(request: Request, answer: Response, token: str) -> None:
    """Without an end of its own: closing the browser signs out, and the database knows when it is over."""
    secure = request.url.scheme == "https"
    answer.set_cookie(accounts.COOKIE, token, path="/", httponly=True, samesite="strict", secure=secure)


def drop_cookie(answer: Response) -> Response:
    answer.delete_cookie(accounts.COOKIE, path="/", httponly=True, samesite="strict")
    return answer
