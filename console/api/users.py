"""People, their sessions and tokens: everybody's for admins, one's own for everyone.

Tokens are made and passwords changed by people: a call that came with a token may not, so that a stolen
one cannot make itself a successor.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from console.api import describe
from console.api.auth import Administrator, SignedIn
from console.api.body import Field, checked, read_json
from console.api.sessions import drop_cookie
from console.api.wire import Answer
from console.domain.access import Actor, Permission, Role, Scope
from console.domain.errors import Forbidden, Invalid, Problem
from console.services import accounts, deps, people, sessions, tokens
from console.services.people import UserView
from console.services.sessions import SessionRow
from console.services.tokens import TokenView
from console.services.views import Page

router = APIRouter()
Sent = Annotated[Any, Depends(read_json)]
_ROLE = {"enum": list(Role)}
_USER = {
    "name": Field("text", longest=64),
    "role": Field("text", longest=20),
    "password": Field("text", longest=1_000),
}
_TOKEN = {
    "name": Field("text", required=False, longest=tokens.LONGEST_LABEL),
    "scope": Field("text", longest=20),
    "expires_at": Field("text", required=False, longest=40),
}
_TOKEN_BODY = describe.body(
    {
        "name": describe.TEXT,
        "scope": {"enum": list(Scope)},
        "expires_at": {"type": "string", "format": "date-time"},
    },
    ["scope"],
)
_PASSWORDS = {"current": Field("text", longest=1_000), "password": Field("text", longest=1_000)}
_CHANGES = describe.refusals(400, 403, 404, 409, 413, 415, 422)


@dataclass(frozen=True)
class NewToken:
    """`token` is shown this once."""

    id: str
    token: str


def person(request: Request, actor: SignedIn) -> Actor:
    """Signed in with a session, and not with a token."""
    if "authorization" in request.headers:
        raise Forbidden(
            "A token may not do this. Sign in with POST /api/v1/session.",
            permission=Permission.SIGNED_IN.value,
        )
    return actor


Person = Annotated[Actor, Depends(person)]


@router.get(
    "/users", tags=["users"], response_model=Page[UserView], responses=describe.refusals(400, 403, 422)
)
def users(
    admin: Administrator, limit: Annotated[int, Query(ge=1, le=200)] = 50, cursor: str | None = None
) -> Response:
    """Everyone, by name."""
    return Answer(people.page(deps.current(), admin, limit, cursor))


@router.post(
    "/users",
    tags=["users"],
    status_code=201,
    response_model=UserView,
    responses=describe.refusals(400, 403, 409, 413, 415, 422),
    openapi_extra=describe.body(
        {"name": describe.TEXT, "role": _ROLE, "password": describe.TEXT}, ["name", "role", "password"]
    ),
)
def add(admin: Administrator, sent: Sent) -> Response:
    """Add a person with a first password."""
    given = checked(sent, _USER)
    user_id = people.add_user(deps.current(), admin, given["name"], given["role"], given["password"])
    return Answer(people.user(deps.current(), admin, user_id), 201)


@router.get(
    "/users/{user_id}",
    tags=["users"],
    response_model=UserView,
    responses=describe.refusals(403, 404, 422),
)
def user(admin: Administrator, user_id: str) -> Response:
    """One person."""
    return Answer(people.user(deps.current(), admin, user_id))


def _name(admin: Actor, user_id: str) -> str:
    """Names never change, and nobody is ever removed."""
    return people.user(deps.current(), admin, user_id).name


@router.post(
    "/users/{user_id}/role",
    tags=["users"],
    response_model=UserView,
    responses=_CHANGES,
    openapi_extra=describe.body({"role": _ROLE}, ["role"]),
)
def change_role(admin: Administrator, user_id: str, sent: Sent) -> Response:
    """Give another role; every session and token of the person ends."""
    name = _name(admin, user_id)
    people.change_role(deps.current(), admin, name, checked(sent, {"role": _USER["role"]})["role"])
    return Answer(people.user(deps.current(), admin, user_id))


@router.post(
    "/users/{user_id}/disable",
    tags=["users"],
    response_model=UserView,
    responses=_CHANGES,
    openapi_extra=describe.body({}, []),
)
def disable(admin: Administrator, user_id: str, sent: Sent) -> Response:
    """End every session and token of a person and refuse further sign-ins."""
    name = _name(admin, user_id)
    checked(sent, {})
    people.disable_user(deps.current(), admin, name)
    return Answer(people.user(deps.current(), admin, user_id))


@router.post(
    "/users/{user_id}/enable",
    tags=["users"],
    response_model=UserView,
    responses=_CHANGES,
    openapi_extra=describe.body({}, []),
)
def enable(admin: Administrator, user_id: str, sent: Sent) -> Response:
    """Let a person sign in again; what ended stays ended."""
    name = _name(admin, user_id)
    checked(sent, {})
    people.enable_user(deps.current(), admin, name)
    return Answer(people.user(deps.current(), admin, user_id))


@router.get(
    "/users/{user_id}/sessions",
    tags=["users"],
    response_model=list[SessionRow],
    responses=describe.refusals(403, 404, 422),
)
def sessions_of(admin: Administrator, user_id: str) -> Response:
    """Where the person is signed in."""
    return Answer(sessions.of_user(deps.current(), admin, _name(admin, user_id)))


@router.delete(
    "/users/{user_id}/sessions", tags=["users"], status_code=204, responses=describe.refusals(403, 404, 422)
)
def end_sessions_of(admin: Administrator, user_id: str) -> Response:
    """Sign the person out everywhere."""
    sessions.revoke_all(deps.current(), admin, _name(admin, user_id))
    return Response(status_code=204)


@router.get(
    "/users/{user_id}/tokens",
    tags=["users"],
    response_model=list[TokenView],
    responses=describe.refusals(403, 404, 422),
)
def tokens_of(admin: Administrator, user_id: str) -> Response:
    """The person's tokens, newest first, revoked ones, too."""
    return Answer(tokens.of_user(deps.current(), admin, _name(admin, user_id)))


@router.post(
    "/users/{user_id}/tokens",
    tags=["users"],
    status_code=201,
    response_model=NewToken,
    responses=_CHANGES,
    openapi_extra=_TOKEN_BODY,
)
def make_token_for(admin: Administrator, who: Person, user_id: str, sent: Sent) -> Response:
    """A token for another person, that only reads; one that decides is made by its owner."""
    return _make(admin, _name(admin, user_id), sent)


@router.get("/tokens", tags=["tokens"], response_model=list[TokenView], responses=describe.refusals())
def own_tokens(actor: SignedIn) -> Response:
    """One's own, newest first, revoked ones, too."""
    return Answer(tokens.of_user(deps.current(), actor, actor.name))


@router.post(
    "/tokens",
    tags=["tokens"],
    status_code=201,
    response_model=NewToken,
    responses=describe.refusals(400, 403, 409, 413, 415, 422),
    openapi_extra=_TOKEN_BODY,
)
def make_token(actor: Person, sent: Sent) -> Response:
    """A token with one's own rights, or with the reads among them."""
    return _make(actor, actor.name, sent)


def _make(actor: Actor, name: str, sent: Any) -> Response:
    given = checked(sent, _TOKEN)
    ends = _moment(given["expires_at"]) if "expires_at" in given else None
    made = tokens.create_token(deps.current(), actor, name, given.get("name", ""), given["scope"], ends)
    return Answer(NewToken(*made), 201)


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo is not None else _no_moment()
    except (ValueError, OverflowError):
        return _no_moment()


def _no_moment() -> datetime:
    raise Invalid([Problem("a time with its zone, like 2030-01-31T12:00:00Z", pointer="/expires_at")])


@router.delete(
    "/tokens/{token_id}", tags=["tokens"], status_code=204, responses=describe.refusals(403, 404, 422)
)
def revoke_token(actor: SignedIn, token_id: str) -> Response:
    """One's own; anybody's for an admin."""
    tokens.revoke_token(deps.current(), actor, token_id)
    return Response(status_code=204)


@router.get("/sessions", tags=["session"], response_model=list[SessionRow], responses=describe.refusals())
def own_sessions(actor: SignedIn) -> Response:
    """Where one is signed in."""
    return Answer(sessions.of_user(deps.current(), actor, actor.name))


@router.delete("/sessions", tags=["session"], status_code=204, responses=describe.refusals(403))
def end_own_sessions(actor: Person) -> Response:
    """Sign out everywhere, here, too."""
    sessions.revoke_all(deps.current(), actor, actor.name)
    return drop_cookie(Response(status_code=204))


@router.delete(
    "/sessions/{session_id}", tags=["session"], status_code=204, responses=describe.refusals(403, 404, 422)
)
def end_own_session(actor: Person, session_id: str) -> Response:
    """One of one's own."""
    sessions.revoke(deps.current(), actor, actor.name, session_id)
    return Response(status_code=204)


@router.post(
    "/session/password",
    tags=["session"],
    status_code=204,
    responses=describe.refusals(400, 403, 409, 413, 415, 422),
    openapi_extra=describe.body(
        {"current": describe.TEXT, "password": describe.TEXT}, ["current", "password"]
    ),
)
def change_password(actor: Person, sent: Sent) -> Response:
    """Another password, with the current one; every session ends, this one, too."""
    given = checked(sent, _PASSWORDS)
    accounts.change_password(deps.current(), actor, given["current"], given["password"])
    return drop_cookie(Response(status_code=204))
