"""Bringing the console's rows in line with what a thread's checkpoint says now."""

from __future__ import annotations

import logging
from enum import Enum
from functools import partial

from console.domain.errors import Unavailable
from console.domain.ledger import Kind as Event
from console.domain.review import Pause, Pending, Status, ThreadStatus, digest
from console.domain.thread import Snapshot
from console.services.changes import Change
from console.services.deps import Deps
from console.services.door import snapshot_of
from console.services.doubts import show_doubt
from console.services.entries import entry_of
from console.services.leaving import LeftBy, nobody_knows, way_out
from console.services.records import headline
from console.services.standing import after_run, standing
from console.sources.port import Left, SourceError
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, read, write

log = logging.getLogger("console.observe")
# How often a thread is read again that moves while it is read.
LOOKS = 3
GONE = "the thread is no longer in its source"


class Seen(Enum):
    """What a look came to. Of `busy` (a run of ours has it) and `half_way` (steps remain that nobody here
    runs) more is to be seen later."""

    SAME = "same"
    CHANGED = "changed"
    BUSY = "busy"
    HALF_WAY = "half_way"


def observe(deps: Deps, source: str, thread_id: str) -> Seen:
    """Read the thread, open reviews for new interrupts, close those whose pause is gone.

    A thread that waits for an answer and is not known yet becomes known. One that a worker runs is left
    alone: what it does next is its own to write. What is written was true when it was written: the stamp is
    compared under the write lock, so that of several consoles the one that read last also writes last.
    """
    with read(deps.engine) as connection:
        if outbox.open_for_thread(connection, source, thread_id):
            return Seen.BUSY
    for _ in range(LOOKS):
        stamp, snapshot = stamp_of(deps, source, thread_id), snapshot_of(deps, source, thread_id)
        with write(deps.engine) as connection:
            if stamp_of(deps, source, thread_id) != stamp:
                continue
            left_by = partial(way_out, deps.sources[source], snapshot)
            seen = _bring_in_line(connection, source, thread_id, snapshot, left_by)
        if seen in {Seen.CHANGED, Seen.HALF_WAY}:
            tell(deps, source, thread_id)
        return seen
    return Seen.BUSY


def stamp_of(deps: Deps, source: str, thread_id: str) -> str:
    try:
        return deps.sources[source].stamp(thread_id) if source in deps.sources else ""
    except SourceError as problem:
        raise Unavailable(f"The thread cannot be read: {problem}. Nothing was changed.") from problem


def tell(deps: Deps, source: str, thread_id: str) -> None:
    where = {"source": source, "thread_id": thread_id}
    deps.changes.publish(
        Change("queue"), Change("thread", **where), Change("review", **where), Change("audit")
    )


def _bring_in_line(
    connection: Connection, source: str, thread_id: str, snapshot: Snapshot | None, left_by: LeftBy
) -> Seen:
    known = threads.get(connection, source, thread_id)
    if known is None and (snapshot is None or snapshot.pause is None):
        return Seen.SAME
    if outbox.open_for_thread(connection, source, thread_id):
        return Seen.BUSY
    if snapshot is None:
        return _write_gone(connection, source, thread_id, str(known["status"]) if known else "")
    if known is None:
        title = snapshot.pause.subject[:120] if snapshot.pause else ""
        threads.add(connection, source, thread_id, ThreadStatus.IDLE, title, "")
    before = ThreadStatus(known["status"]) if known else ThreadStatus.IDLE
    changed = write_pause(connection, source, thread_id, snapshot, left_by)
    if before is ThreadStatus.RUNNING:
        status, text = after_run(connection, source, thread_id, snapshot, None, ())
    else:
        status, text = standing(connection, snapshot)
        if snapshot.unfinished and snapshot.pause is None and before is not ThreadStatus.FAILED:
            return Seen.HALF_WAY
    if _stays(before, status):
        return Seen.CHANGED if changed else Seen.SAME
    threads.move(connection, source, thread_id, list(ThreadStatus), status, text[:2000])
    if status is ThreadStatus.STUCK:
        show_doubt(connection, source, thread_id, snapshot, text)
    return Seen.CHANGED


def _stays(before: ThreadStatus, now: ThreadStatus) -> bool:
    """A doubt is settled by a person. Only a pause overtakes a failure, else its words would be lost."""
    if before is ThreadStatus.FAILED:
        return now not in {ThreadStatus.PAUSED, ThreadStatus.POISONED}
    return before in {now, ThreadStatus.STUCK}


def _write_gone(connection: Connection, source: str, thread_id: str, before: str) -> Seen:
    """Deleted in its source. A doubt stays one; so does the failure of a run that never stored anything."""
    closed = [
        supersede(connection, row, why=GONE)
        for row in reviews.undecided_of_thread(connection, source, thread_id)
    ]
    kept = {ThreadStatus.STUCK, ThreadStatus.GONE, *(() if closed else (ThreadStatus.FAILED,))}
    if before in kept:
        return Seen.CHANGED if closed else Seen.SAME
    threads.move(connection, source, thread_id, list(ThreadStatus), ThreadStatus.GONE, GONE)
    return Seen.CHANGED


def write_pause(
    connection: Connection,
    source: str,
    thread_id: str,
    snapshot: Snapshot,
    left_by: LeftBy = nobody_knows,
) -> bool:
    """Make the undecided reviews of the thread exactly those of the pause it is in; True when any changed."""
    changed = False
    for row in reviews.undecided_of_thread(connection, source, thread_id):
        pending = still_pending(row, snapshot.pause)
        if pending is None or snapshot.pause is None:
            changed |= supersede(connection, row, left_by(row))
        elif digest(snapshot.pause, pending) != row["digest"]:
            changed |= reopen(connection, row, snapshot.pause, pending, "the request is not what it was")
    if snapshot.pause is None:
        return changed
    headlines = [_headline(each) for each in snapshot.pause.pending]
    new = reviews.open_pause(connection, snapshot.pause, headlines)
    for row in reviews.of_group(connection, snapshot.pause.group_key()):
        if row["id"] in new:
            _record_opening(connection, row)
    return changed or bool(new)


def still_pending(row: RowMapping, pause: Pause | None) -> Pending | None:
    """The review's interrupt as it is now, or None when the thread no longer waits for it."""
    if pause is None or pause.checkpoint_id != row["checkpoint_id"]:
        return None
    return pause.find(row["interrupt_id"])


def _headline(pending: Pending) -> str:
    return headline(pending.actions[0].args_text) if pending.actions else ""


def reopen(connection: Connection, row: RowMapping, pause: Pause, pending: Pending, why: str) -> bool:
    """Open the review in its next version. What is shown may have changed with the agent's own code."""
    if not reviews.reopen(connection, row, pause, pending, _headline(pending)):
        return False
    more = {"reason": why[:500], "request_digest": digest(pause, pending), "version": row["version"] + 1}
    ledger.append(connection, entry_of(Event.REOPENED, row, more=more))
    return True


def supersede(connection: Connection, row: RowMapping, left: Left = Left.UNKNOWN, why: str = "") -> bool:
    """Close a review whose thread moved on; nothing of it runs any more.

    An answer that the console did not hand over is an entry of its own: someone decided past the console.
    """
    come_from = (Status.OPEN, Status.AWAITING_SECOND, Status.DECIDED, Status.RESUMING)
    outside = left is Left.ANSWERED
    outcome = "answered outside the console" if outside else why or "superseded"
    if not reviews.move(connection, row["id"], come_from, Status.SUPERSEDED, outcome=outcome):
        return False
    more = {"left": left.value} if left is not Left.UNKNOWN else {}
    ledger.append(connection, entry_of(Event.SUPERSEDED, row, outcome="superseded", more=more))
    if outside:
        log.warning("review %s (thread %s) was answered outside the console", row["id"], row["thread_id"])
        more = {"checkpoint_id": row["checkpoint_id"], "interrupt_id": row["interrupt_id"]}
        ledger.append(connection, entry_of(Event.EXTERNAL_RESUME, row, outcome=outcome, more=more))
    return True


def _record_opening(connection: Connection, row: RowMapping) -> None:
    more = {
        "ns": row["ns"],
        "checkpoint_id": row["checkpoint_id"],
        "interrupt_id": row["interrupt_id"],
        "request_digest": row["digest"],
        "review_kind": row["kind"],
    }
    ledger.append(connection, entry_of(Event.OPENED, row, more=more))
