"""The audit log, newest first; everyone sees what their role allows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from console.api import describe
from console.api.auth import AuditReader
from console.api.wire import Answer
from console.services import audit, deps
from console.services.views import AuditRow, Page

router = APIRouter(prefix="/audit", tags=["audit"])


@router.get("", response_model=Page[AuditRow], responses=describe.refusals(400, 403, 422))
def log(
    reader: AuditReader,
    kind: str | None = None,
    actor: str | None = None,
    tool: str | None = None,
    thread: str | None = None,
    review: str | None = None,
    outcome: str | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: str | None = None,
) -> Response:
    """Who decided what and what came of it; supervisors get their own acts."""
    return Answer(
        audit.log(
            deps.current(),
            reader,
            kind=kind,
            actor_name=actor,
            tool=tool,
            thread=thread,
            review=review,
            outcome=outcome,
            limit=limit,
            cursor=cursor,
        )
    )
