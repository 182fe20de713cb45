"""The audit log, newest first; everyone sees what their role allows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import AwareDatetime
from starlette.responses import Response, StreamingResponse

from console.api import describe
from console.api.auth import Administrator, AuditExporter, AuditReader, Unmasker
from console.api.body import Field, checked, nothing_said, read_json
from console.api.wire import Answer
from console.services import audit, deps, export, redact, unmask, verification
from console.services.audit_views import AuditEntry, HeadView
from console.services.verify import status_word
from console.services.views import AuditRow, Page

router = APIRouter(prefix="/audit", tags=["audit"])
Seq = int
_MEDIA = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
_VERIFY = {"deep": Field("any", required=False)}
_ERASE = {"reason": Field("text", longest=redact.MAX_REASON)}


def filters(
    q: Annotated[str | None, Query(max_length=200, description="a number, an id, a tool, a person")] = None,
    kind: str | None = None,
    actor: str | None = None,
    tool: str | None = None,
    thread: str | None = None,
    review: str | None = None,
    verdict: str | None = None,
    outcome: str | None = None,
    since: Annotated[AwareDatetime | None, Query(description="this time or later")] = None,
    until: Annotated[AwareDatetime | None, Query(description="before this time")] = None,
) -> Mapping[str, Any]:
    """What narrows the list and the export alike."""
    return {
        "q": q,
        "kind": kind,
        "actor_name": actor,
        "tool": tool,
        "thread": thread,
        "review": review,
        "verdict": verdict,
        "outcome": outcome,
        "since": since,
        "until": until,
    }


Filters = Annotated[Mapping[str, Any], Depends(filters)]


@router.get("", response_model=Page[AuditRow], responses=describe.refusals(400, 403, 422))
def log(
    reader: AuditReader,
    given: Filters,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: str | None = None,
) -> Response:
    """Who decided what and what came of it; supervisors get their own acts."""
    return Answer(audit.log(deps.current(), reader, **given, limit=limit, cursor=cursor))


@router.get("/head", response_model=HeadView | None, responses=describe.refusals(403))
def head(reader: AuditReader) -> Response:
    """The newest signed head; null when nothing is signed yet."""
    return Answer(audit.head(deps.current(), reader))


@router.get(
    "/export",
    responses={**describe.refusals(403, 422), 200: {"content": {media: {} for media in _MEDIA.values()}}},
    response_class=StreamingResponse,
)
def export_log(admin: AuditExporter, given: Filters, format: str = "jsonl") -> Response:  # noqa: A002
    """The log as a file, oldest entry first: `jsonl` verifies without the database, `csv` is for reading."""
    pieces = export.stream(deps.current(), admin, format=format, **given)
    name = f"audit-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.{format}"
    return StreamingResponse(
        pieces, media_type=_MEDIA[format], headers={"content-disposition": f'attachment; filename="{name}"'}
    )


@router.post(
    "/verify",
    responses=describe.refusals(400, 403, 413, 415, 422),
    openapi_extra=describe.body({"deep": {"type": "boolean"}}, []),
)
def verify(admin: AuditExporter, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Check every entry against the chain and the signed heads; `deep` also against the tables beside it."""
    deep = checked(sent, _VERIFY).get("deep", False)
    found = verification.run(deps.current(), admin, deep=deep is True)
    return Answer(
        {
            "status": found.status,
            "result": status_word(found.status),
            "entries": found.entries,
            "first_bad": found.first_bad,
            "reason": found.reason,
            "signed": found.head.size if found.head else 0,
            "redacted": found.redacted,
            "warnings": list(found.warnings),
        }
    )


@router.get("/{seq}", response_model=AuditEntry, responses=describe.refusals(403, 404, 422))
def entry(reader: AuditReader, seq: Seq) -> Response:
    """One entry in full: its story, and proposed, decided and executed arguments side by side."""
    return Answer(audit.entry(deps.current(), reader, seq))


@router.post(
    "/{seq}/unmask",
    response_model=AuditEntry,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({}, []),
)
def show_masked(actor: Unmasker, seq: Seq, _: Annotated[None, Depends(nothing_said)]) -> Response:
    """The entry with the values that `[privacy] mask` hides; that you were shown them is an entry, too."""
    return Answer(unmask.entry(deps.current(), actor, seq))


@router.post(
    "/{seq}/erase",
    status_code=201,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({"reason": describe.TEXT}, ["reason"]),
)
def erase(admin: Administrator, seq: Seq, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Delete what the entry only commits to; the log stays whole and says that it was done."""
    audit.entry(deps.current(), admin, seq)
    recorded = redact.erase(deps.current(), admin, seq, checked(sent, _ERASE)["reason"])
    return Answer({"seq": recorded}, 201)
