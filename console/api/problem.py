"""Every refusal and every accident under /api and /auth, as RFC 9457 `application/problem+json`."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.api.wire import rfc3339
from console.domain.errors import (
    Conflict,
    ConsoleError,
    Forbidden,
    Invalid,
    Problem,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from console.services import audit, deps

MEDIA_TYPE = "application/problem+json"
# The last part of the `type` is the kind, which scripts compare; the sentences may change.
TYPE_PREFIX = "urn:problem-type:review-console:"
# A look at the database is taken at least this often.
RETRY_AFTER_SECONDS = 5
# Not `request.state`: a server may hand all requests the same state.
ACTOR = "console.actor"
NOT_FOUND = ("not-found", "Not found", "Nothing is at this address; /api/v1/docs lists what there is.")
_HTTP: dict[int, tuple[str, str, str]] = {
    404: NOT_FOUND,
    405: (
        "method-not-allowed",
        "Method not allowed",
        "This address does not answer this method; see `Allow`.",
    ),
}

log = logging.getLogger(__name__)


class TooLarge(ConsoleError):
    """The body is longer than the bound."""

    status, kind, title = 413, "too-large", "Too large"


class TooSlow(ConsoleError):
    """The body did not come to its end."""

    status, kind, title = 408, "too-slow", "Too slow"


class NotJson(ConsoleError):
    """A body in another media type: a foreign page could send it without asking (CSRF)."""

    status, kind, title = 415, "not-json", "Unsupported media type"


class ForeignOrigin(Forbidden):
    """An unsafe call that comes from a page which is not ours."""

    kind, title = "foreign-origin", "Foreign origin"


def document(
    status: int,
    kind: str,
    title: str,
    detail: str,
    more: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body = {"type": TYPE_PREFIX + kind, "title": title, "status": status, "detail": detail, **(more or {})}
    return Response(json.dumps(body), status, dict(headers or {}), media_type=MEDIA_TYPE)


def of_error(error: ConsoleError) -> Response:
    """The document of a refusal with all the data that it carries."""
    kind = error.reason if isinstance(error, Conflict) else error.kind
    return document(error.status, kind, error.title, error.detail, _extras(error), _headers(error))


def _extras(error: ConsoleError) -> dict[str, Any]:
    match error:
        case Conflict():
            found: dict[str, Any] = {}
            if error.decided_by is not None:
                found["decided_by"] = error.decided_by
            if error.decided_at is not None:
                found["decided_at"] = rfc3339(error.decided_at)
            return found | ({"stale": True} if error.stale else {})
        case Invalid():
            return {"errors": [_one(problem) for problem in error.problems]}
        case Forbidden() if error.permission:
            return {"permission": error.permission}
    return {}


def _one(problem: Problem) -> dict[str, Any]:
    return {"position": problem.position, "pointer": problem.pointer, "message": problem.message}


def _headers(error: ConsoleError) -> dict[str, str]:
    match error:
        case TooMany():
            return {"retry-after": str(error.retry_after)}
        case Unauthenticated():
            return {"www-authenticate": "Bearer"}
        case Unavailable():
            return {"retry-after": str(RETRY_AFTER_SECONDS)}
    return {}


def on_console_error(request: Request, error: Exception) -> Response:
    """Synchronous, so that it runs in a thread: recording a refusal writes to the ledger."""
    assert isinstance(error, ConsoleError)  # noqa: S101 - registered for this class only
    if isinstance(error, Forbidden) and request.scope.get(ACTOR) is not None:
        record_refusal(request, error)
    return of_error(error)


def record_refusal(request: Request, error: Forbidden) -> None:
    """A refusal stands even when it cannot be written down; that failure is for the log."""
    try:
        audit.refused(
            deps.current(),
            request.scope[ACTOR],
            error.permission or error.kind,
            f"{request.method} {request.url.path}"[:300],
            address=request.client.host if request.client else "",
            review_id=request.path_params.get("review_id"),
        )
    except Exception:
        log.exception("a refusal could not be recorded")


def on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class only
    kind, title, detail = _HTTP.get(error.status_code, ("http", str(error.detail), str(error.detail)))
    return document(error.status_code, kind, title, detail, headers=error.headers)


def on_bad_parameter(request: Request, error: Exception) -> Response:
    """Query and path parameters; bodies are not read by FastAPI. What was sent is not repeated."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class only
    errors = [
        {"position": None, "pointer": "", "parameter": str(found["loc"][-1]), "message": str(found["msg"])}
        for found in error.errors()
    ]
    detail = "; ".join(f"{found['parameter']}: {found['message']}" for found in errors)
    return document(422, "invalid", "Invalid input", detail, {"errors": errors})


class Unexpected:
    """Outermost: an accident becomes a 500 whose id leads to the log, without a traceback for the client.

    Starlette's own last handler raises again after answering, which the server would log a second time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except ClientDisconnect:
            return
        except Exception:
            if scope["type"] != "http" or started:
                raise
            await _accident(scope)(scope, receive, send)


def _accident(scope: Scope) -> Response:
    error_id = uuid.uuid4().hex[:12]
    log.exception("error %s at %s %s", error_id, scope["method"], scope["path"])
    detail = f"Something went wrong on our side, and nothing was decided. The log has it as error {error_id}."
    return document(500, "unexpected", "Unexpected error", detail, {"error_id": error_id})
