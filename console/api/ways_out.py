"""What a person does about a pause or a thread that cannot go on: close, repair, settle a doubt."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.responses import Response

from console.api import describe
from console.api.auth import Administrator, Decider
from console.api.body import Field, checked, read_json
from console.api.threads import Source
from console.api.wire import Answer
from console.domain.access import Actor
from console.services import alarms, chat, deps, inbox, resolve
from console.services.views import ReviewView, ThreadView

router = APIRouter()
CANCEL = {
    "reason": Field("text", required=False, longest=resolve.MAX_REASON),
    "version": Field("integer", required=False),
}
CLOSE = {"reason": Field("text", longest=resolve.MAX_REASON)}
RESOLVE = {
    "choice": Field("text", longest=20),
    "reason": Field("text", longest=resolve.MAX_REASON),
    "result": Field("text", required=False, longest=resolve.MAX_RESULT),
}
_REFUSALS = describe.refusals(400, 403, 404, 409, 413, 415, 422)
_RESOLVE = describe.body(
    {"choice": {"enum": list(resolve.CHOICES)}, "reason": describe.TEXT, "result": describe.TEXT},
    ["choice", "reason"],
)


@router.post(
    "/reviews/{review_id}/cancel",
    status_code=202,
    response_model=ThreadView,
    responses=_REFUSALS,
    openapi_extra=describe.body({"reason": describe.TEXT, "version": describe.INTEGER}, []),
    tags=["reviews"],
)
def cancel(actor: Decider, review_id: str, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Close the whole pause of a review; nothing of it runs, and the agent is told so."""
    inbox.review(deps.current(), actor, review_id)
    given = checked(sent, CANCEL)
    reason, version = given.get("reason", ""), given.get("version")
    return Answer(resolve.cancel(deps.current(), actor, review_id, reason, version), 202)


@router.post(
    "/reviews/{review_id}/repair",
    status_code=202,
    response_model=ThreadView,
    responses=_REFUSALS,
    openapi_extra=describe.body({}, []),
    tags=["reviews"],
)
def repair(actor: Administrator, review_id: str, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Bring a thread that takes no answer any more back to its pause; it asks again under a new review."""
    inbox.review(deps.current(), actor, review_id)
    checked(sent, {})
    return Answer(resolve.repair(deps.current(), actor, review_id), 202)


@router.post(
    "/reviews/{review_id}/close",
    status_code=200,
    response_model=ReviewView,
    responses=_REFUSALS,
    openapi_extra=describe.body({"reason": describe.TEXT}, ["reason"]),
    tags=["reviews"],
)
def close(actor: Administrator, review_id: str, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Take the alarm of a mismatch off the queue; the review stays what it is."""
    inbox.review(deps.current(), actor, review_id)
    given = checked(sent, CLOSE)
    return Answer(alarms.close_mismatch(deps.current(), actor, review_id, given["reason"]), 200)


@router.post(
    "/reviews/{review_id}/resolve",
    status_code=202,
    response_model=ThreadView,
    responses=_REFUSALS,
    openapi_extra=_RESOLVE,
    tags=["reviews"],
)
def resolve_review(actor: Decider, review_id: str, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Settle a stuck review: `ran` with its `result`, `not_run` to run it now, or `give_up`."""
    found = inbox.review(deps.current(), actor, review_id)
    return _resolve(actor, found.source, found.thread_id, sent)


@router.post(
    "/threads/{ref}/resolve",
    status_code=202,
    response_model=ThreadView,
    responses=_REFUSALS,
    openapi_extra=_RESOLVE,
    tags=["threads"],
)
def resolve_thread(
    actor: Decider, ref: str, sent: Annotated[Any, Depends(read_json)], source: Source = None
) -> Response:
    """The same for a thread that is stuck in a tool nobody had to review."""
    found = chat.thread(deps.current(), actor, ref, source)
    return _resolve(actor, found.source, found.thread_id, sent)


def _resolve(actor: Actor, source: str, thread_id: str, sent: Any) -> Response:
    given = checked(sent, RESOLVE)
    settled = resolve.resolve(
        deps.current(),
        actor,
        source,
        thread_id,
        choice=given["choice"],
        reason=given["reason"],
        result=given.get("result", ""),
    )
    return Answer(settled, 202)
