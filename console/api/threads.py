"""Threads: start one, read it, speak in it as the customer."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from console.api import describe
from console.api.auth import Chatter, Viewer
from console.api.body import Field, checked, read_json
from console.api.wire import Answer
from console.services import chat, deps
from console.services.views import MessagesView, ThreadView

router = APIRouter(prefix="/threads", tags=["threads"])
Source = Annotated[str | None, Query(description="picks among equal thread ids of several sources")]
START = {"source": Field("text", required=False, longest=200), "message": Field("text")}
SAY = {"text": Field("text")}


@router.post(
    "",
    status_code=201,
    response_model=ThreadView,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({"source": describe.TEXT, "message": describe.TEXT}, ["message"]),
)
def start(actor: Chatter, sent: Annotated[Any, Depends(read_json)]) -> Response:
    """Start a thread with what the customer says first; without `source` in the first visible one."""
    given = checked(sent, START)
    started = chat.start(deps.current(), actor, given.get("source"), given["message"])
    where = f"/api/v1/threads/{started.thread_ref}?{urlencode({'source': started.source})}"
    return Answer(started, 201, headers={"location": where})


@router.get("/{ref}", response_model=ThreadView, responses=describe.refusals(403, 404, 409, 422))
def thread(actor: Viewer, ref: str, source: Source = None) -> Response:
    """Status, reason of a failure, and the values of the thread's state beside its messages."""
    found = chat.thread(deps.current(), actor, ref, source)
    values = chat.values(deps.current(), actor, found.source, found.thread_id)
    return Answer(replace(found, values=values))


@router.get("/{ref}/messages", response_model=MessagesView, responses=describe.refusals(403, 404, 409, 422))
def messages(
    actor: Viewer, ref: str, source: Source = None, limit: Annotated[int, Query(ge=1, le=200)] = 50
) -> Response:
    """The newest messages in order; `earlier` counts those before them."""
    found = chat.thread(deps.current(), actor, ref, source)
    return Answer(chat.messages(deps.current(), actor, found.source, found.thread_id, limit=limit))


@router.post(
    "/{ref}/messages",
    status_code=202,
    response_model=ThreadView,
    responses=describe.refusals(400, 403, 404, 409, 413, 415, 422),
    openapi_extra=describe.body({"text": describe.TEXT}, ["text"]),
)
def say(
    actor: Chatter, ref: str, sent: Annotated[Any, Depends(read_json)], source: Source = None
) -> Response:
    """Speak as the customer; refused while the thread is paused or running."""
    found = chat.thread(deps.current(), actor, ref, source)
    given = checked(sent, SAY)
    return Answer(chat.say(deps.current(), actor, found.source, found.thread_id, given["text"]), 202)
