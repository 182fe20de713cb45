"""Bringing the console's rows in line with what a thread's checkpoint says now."""

from __future__ import annotations

from typing import Any

from console.domain.access import Actor, Role
from console.domain.ledger import Kind as Event
from console.domain.review import Pause, Pending, Status, ThreadStatus, digest
from console.domain.thread import Snapshot
from console.services.changes import Change
from console.services.deps import Deps
from console.services.door import snapshot_of
from console.services.records import headline
from console.services.standing import standing
from console.store import ledger, reviews, threads
from console.store.engine import Connection, RowMapping, write

WORKER = Actor(id="worker", name="worker", role=Role.NONE, via="worker")


def observe(deps: Deps, source: str, thread_id: str) -> None:
    """Read the thread, open reviews for new interrupts, close those whose pause is gone.

    Leaves a thread alone that a worker is running: what it does next is its own to write.
    """
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is None:
        return
    with write(deps.engine) as connection:
        known = threads.get(connection, source, thread_id)
        if known is None or known["status"] == ThreadStatus.RUNNING:
            return
        write_pause(connection, source, thread_id, snapshot)
        status, text = standing(connection, snapshot)
        if known["status"] not in {status, ThreadStatus.STUCK}:
            threads.move(connection, source, thread_id, list(ThreadStatus), status, text)
    where = {"source": source, "thread_id": thread_id}
    deps.changes.publish(
        Change("queue"), Change("thread", **where), Change("review", **where), Change("audit")
    )


def write_pause(connection: Connection, source: str, thread_id: str, snapshot: Snapshot) -> None:
    """Make the undecided reviews of the thread exactly those of the pause it is in."""
    for row in reviews.undecided_of_thread(connection, source, thread_id):
        pending = still_pending(row, snapshot.pause)
        if pending is None or snapshot.pause is None:
            supersede(connection, row)
        elif digest(snapshot.pause, pending) != row["digest"]:
            reopen(connection, row, snapshot.pause, pending, "the request is not what it was")
    if snapshot.pause is None:
        return
    headlines = [_headline(each) for each in snapshot.pause.pending]
    new = reviews.open_pause(connection, snapshot.pause, headlines)
    for row in reviews.of_group(connection, snapshot.pause.group_key()):
        if row["id"] in new:
            _record_opening(connection, row)


def still_pending(row: RowMapping, pause: Pause | None) -> Pending | None:
    """The review's interrupt as it is now, or None when the thread no longer waits for it."""
    if pause is None or pause.checkpoint_id != row["checkpoint_id"]:
        return None
    return pause.find(row["interrupt_id"])


def _headline(pending: Pending) -> str:
    return headline(pending.actions[0].args_text) if pending.actions else ""


def reopen(connection: Connection, row: RowMapping, pause: Pause, pending: Pending, why: str) -> None:
    """Open the review in its next version. What is shown may have changed with the agent's own code."""
    if not reviews.reopen(connection, row, pause, pending, _headline(pending)):
        return
    more = {"reason": why[:500], "request_digest": digest(pause, pending), "version": row["version"] + 1}
    ledger.append(connection, entry_of(Event.REOPENED, row, more=more))


def supersede(connection: Connection, row: RowMapping) -> None:
    """Close a review whose thread moved on; nothing of it runs any more."""
    come_from = (Status.OPEN, Status.AWAITING_SECOND, Status.DECIDED, Status.RESUMING)
    if reviews.move(connection, row["id"], come_from, Status.SUPERSEDED, outcome="superseded"):
        ledger.append(connection, entry_of(Event.SUPERSEDED, row, outcome="superseded"))


def _record_opening(connection: Connection, row: RowMapping) -> None:
    more = {
        "ns": row["ns"],
        "checkpoint_id": row["checkpoint_id"],
        "interrupt_id": row["interrupt_id"],
        "request_digest": row["digest"],
        "review_kind": row["kind"],
    }
    ledger.append(connection, entry_of(Event.OPENED, row, more=more))


def entry_of(event: Event, row: RowMapping, decided_by_id: str | None = None, **rest: Any) -> ledger.Entry:
    """What the worker writes about a review; `rest` are the entry's further fields."""
    return ledger.Entry(
        event,
        WORKER,
        source=row["source"],
        thread_id=row["thread_id"],
        review_id=row["id"],
        tool=row["tool"] or None,
        decided_by_id=decided_by_id,
        **rest,
    )
