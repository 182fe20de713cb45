"""REST and sign-in as one application, to be mounted in front of the pages.

/api and /auth are sub-applications of their own: what they do not know they answer themselves, as a
problem, and nothing under them ever falls through to the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from console import __version__
from console.api import audit, docs, oidc, problem, reviews, sessions, threads, users, ways_out
from console.api.budget import Budget
from console.api.describe import PROBLEM
from console.domain.errors import ConsoleError

DESCRIPTION = """What the pages do, for scripts. Sign in with `POST /v1/session` or send a bearer token.

Refusals are `application/problem+json`; the end of `type` names the kind. Numbers keep every digit: read
`args_text` where your parser would round."""


class Bare:
    """`/api` and `/auth` without a slash, by any method: a mount answers only what lies below it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, title, detail = problem.NOT_FOUND
        await problem.document(404, kind, title, detail)(scope, receive, send)


def make_api(origins: Sequence[str] | None = None, budget: Budget | None = None) -> FastAPI:
    """The outer application. `origins`: own addresses; None compares an Origin with the Host asked for."""
    outer = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    for path, part in (("/api", make_rest()), ("/auth", make_auth())):
        part.state.origins = origins
        part.state.budget = budget or Budget()
        outer.router.routes += [Route(path, Bare(), include_in_schema=False), everything_below(path, part)]
    return outer


def everything_below(path: str, part: FastAPI) -> Mount:
    """Also paths with a line break in them, which the pattern of a mount would leave to the page."""
    mount = Mount(path, part)
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)
    return mount


class Described(FastAPI):
    """Adds the one schema that no route returns as a model."""

    def openapi(self) -> dict[str, Any]:
        description = super().openapi()
        description["components"]["schemas"]["Problem"] = PROBLEM
        return description


def make_rest() -> FastAPI:
    rest = _with_problems(
        Described(
            title="Review Console",
            version=__version__,
            description=DESCRIPTION,
            openapi_url="/v1/openapi.json",
            docs_url=None,
            redoc_url=None,
            redirect_slashes=False,
        )
    )
    version_1 = APIRouter(prefix="/v1")
    for part in (sessions, users, reviews, threads, ways_out, audit):
        version_1.include_router(part.router)
    rest.include_router(version_1)
    rest.include_router(docs.router, prefix="/v1")
    return rest


def make_auth() -> FastAPI:
    auth = _with_problems(FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False))
    auth.include_router(sessions.forms)
    auth.include_router(oidc.router)
    return auth


def _with_problems(app: FastAPI) -> FastAPI:
    app.add_exception_handler(ConsoleError, problem.on_console_error)
    app.add_exception_handler(HTTPException, problem.on_http_exception)
    app.add_exception_handler(RequestValidationError, problem.on_bad_parameter)
    app.add_middleware(problem.Unexpected)
    return app
