"""The one door to reviews and threads: what is not visible to the actor does not exist for them."""

from __future__ import annotations

from console.domain.access import Actor
from console.domain.errors import Conflict, NotFound, Unavailable
from console.domain.text import findable
from console.domain.thread import Snapshot
from console.services.deps import Deps, visible_sources
from console.services.paging import thread_id_of
from console.sources.port import SourceError
from console.store import reviews, threads
from console.store.engine import Connection, RowMapping


def review_row(deps: Deps, connection: Connection, actor: Actor, review_id: str) -> RowMapping:
    """The review; `NotFound` alike for one that is not there and one of a source the actor may not see."""
    row = reviews.get(connection, review_id) if findable(review_id) else None
    if row is None or row["source"] not in visible_sources(deps, actor):
        raise NotFound("There is no such review.")
    return row


def thread_row(deps: Deps, connection: Connection, actor: Actor, source: str, thread_id: str) -> RowMapping:
    row = threads.get(connection, source, thread_id) if findable(source, thread_id) else None
    if row is None or source not in visible_sources(deps, actor):
        raise NotFound("There is no such thread.")
    return row


def snapshot_of(deps: Deps, source: str, thread_id: str) -> Snapshot | None:
    """The thread as its source has it now; `Unavailable` when it cannot be read."""
    if source not in deps.sources:
        raise Unavailable(f"The source {source} is not configured here. Name it in console.toml.")
    try:
        return deps.sources[source].snapshot(thread_id)
    except SourceError as problem:
        raise Unavailable(f"The thread cannot be read: {problem}. Nothing was changed.") from problem


def thread_by_ref(
    deps: Deps, connection: Connection, actor: Actor, ref: str, source: str | None
) -> RowMapping:
    """The thread behind a path's ref; `Conflict` when the id exists in several sources and none is named."""
    thread_id = thread_id_of(ref)
    visible = visible_sources(deps, actor)
    found = threads.named(connection, thread_id, visible) if thread_id is not None else []
    if source is not None:
        found = [row for row in found if row["source"] == source]
    if not found:
        raise NotFound("There is no such thread.")
    if len(found) > 1:
        names = ", ".join(sorted(row["source"] for row in found))
        raise Conflict(f"Threads of {names} have this id. Add ?source=.", kind="ambiguous-thread")
    return found[0]
