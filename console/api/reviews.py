"""The queue, one review, and the decisions on it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query
from starlette.requests import Request
from starlette.responses import Response

from console.api import describe
from console.api.auth import Decider, Unmasker, Viewer
from console.api.body import Field, nothing_said, problems, read_numbers
from console.api.wire import Answer
from console.domain.errors import BadRequest, Problem
from console.domain.review import Status
from console.services import claims, decide, deps, inbox, seen, unmask
from console.services.views import ClaimView, Page, QueueRow, ReviewView, VerdictView

router = APIRouter(prefix="/reviews", tags=["reviews"])
Limit = Annotated[int, Query(ge=1, le=200)]
VERDICT = {
    "version": Field("integer"),
    "digest": Field("text", longest=200),
    "decisions": Field("list", required=False),
    "answer": Field("any", required=False),
}
_BODY = describe.body(
    {
        "version": describe.INTEGER,
        "digest": describe.TEXT,
        "decisions": {"type": "array", "items": describe.DECISION},
        "answer": {"description": "any JSON, for a review of the kind `answer`"},
    },
    ["version", "digest"],
    oneOf=[{"required": ["decisions"]}, {"required": ["answer"]}],
)


@router.get("", response_model=Page[QueueRow], responses=describe.refusals(400, 403, 422))
def queue(
    actor: Viewer,
    status: Status | None = None,
    source: str | None = None,
    thread: str | None = None,
    tool: str | None = None,
    limit: Limit = 50,
    cursor: str | None = None,
) -> Response:
    """Reviews, by default those that need a person."""
    return Answer(
        inbox.queue(
            deps.current(),
            actor,
            status=status,
            source=source,
            thread=thread,
            tool=tool,
            limit=limit,
            cursor=cursor,
        )
    )


@router.get("/{review_id}", response_model=ReviewView, responses=describe.refusals(403, 404, 422))
def review(actor: Viewer, review_id: str) -> Response:
    """All that a person needs to see before deciding; a decision sends `version` and `digest` back."""
    found = inbox.review(deps.current(), actor, review_id)
    seen.record(deps.current(), actor, found)
    return Answer(found)


def idempotency_key(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(description="1 to 128 visible ASCII characters; repeat it to repeat the call safely"),
    ] = None,
) -> str | None:
    """The key, or None without one; two of them would leave open which one counts."""
    sent = request.headers.getlist("idempotency-key")
    if not sent:
        return None
    key = sent[0]
    if len(sent) > 1 or not 1 <= len(key) <= 128 or not all("!" <= char <= "~" for char in key):
        raise BadRequest("`Idempotency-Key` has 1 to 128 visible ASCII characters, without spaces.")
    return key


@router.post(
    "/{review_id}/decisions",
    status_code=202,
    response_model=VerdictView,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=_BODY,
)
def decisions(
    actor: Decider,
    review_id: str,
    key: Annotated[str | None, Depends(idempotency_key)],
    read: Annotated[tuple[Any, list[Problem]], Depends(read_numbers)],
) -> Response:
    """Record the verdict, all decisions in position order, or the answer; the run goes on afterwards."""
    sent, unkept = read
    if found := verdict_problems(sent) or unkept:
        given = sent if isinstance(sent, dict) else {}
        names = ("version", "digest", "decisions")
        decide.refuse_form(
            deps.current(), actor, review_id, problems=found, **{name: given.get(name) for name in names}
        )
    verdict = {name: sent[name] for name in ("decisions", "answer") if name in sent}
    recorded = decide.decide(
        deps.current(),
        actor,
        review_id,
        version=sent["version"],
        digest=sent["digest"],
        idempotency_key=key,
        **verdict,
    )
    return Answer(recorded, 202)


def verdict_problems(sent: Any) -> list[Problem]:
    """What is wrong with the form of the body; the decisions themselves are the service's to judge."""
    if found := problems(sent, VERDICT):
        return found
    if "decisions" in sent and "answer" in sent:
        return [Problem("Send either 'decisions' or 'answer', not both.", pointer="/answer")]
    if "decisions" not in sent and "answer" not in sent:
        return [Problem("'decisions' is missing, or 'answer' for a question.", pointer="/decisions")]
    return []


@router.post(
    "/{review_id}/claim",
    response_model=ClaimView,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({}, []),
)
def claim(actor: Decider, review_id: str, _: Annotated[None, Depends(nothing_said)]) -> Response:
    """Tell the others that you are at work on a review; it binds nobody. 409 says who has it already."""
    return Answer(claims.claim(deps.current(), actor, review_id))


@router.post(
    "/{review_id}/unmask",
    response_model=ReviewView,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({}, []),
)
def show_masked(actor: Unmasker, review_id: str, _: Annotated[None, Depends(nothing_said)]) -> Response:
    """The review with the values that `[privacy] mask` hides; it is recorded that you were shown them."""
    return Answer(unmask.review(deps.current(), actor, review_id))


@router.delete(
    "/{review_id}/claim", response_model=ClaimView, responses=describe.refusals(403, 404, 409, 422)
)
def release(actor: Decider, review_id: str) -> Response:
    """Give a review back; another person's claim can be ended when it is ten minutes old."""
    return Answer(claims.release(deps.current(), actor, review_id))
