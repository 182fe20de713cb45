"""In which status a thread comes to rest, and why."""

from __future__ import annotations

from collections.abc import Sequence

from console.domain.review import UNDECIDED, Pause, Status, ThreadStatus
from console.domain.thread import Snapshot
from console.services.calls import Calls, unmatched
from console.store import outbox, reviews
from console.store.engine import Connection

ANSWERABLE = UNDECIDED | {Status.DECIDED, Status.RESUMING}
_LEFT = "the verdict was carried out, and the run did not get past its pause"


def words(error: BaseException | None) -> str:
    """An agent's exception as one line; its trace goes to the log only."""
    return f"{type(error).__name__}: {error}".strip().splitlines()[0] if error is not None else ""


def standing(connection: Connection, snapshot: Snapshot) -> tuple[ThreadStatus, str]:
    """Of a thread that nobody runs, after its reviews were written.

    LangGraph goes on showing a per-call pause whose tool failed. A pause of which nothing is left to
    decide is none: a message must be possible again.
    """
    if snapshot.pause is not None and not _answerable(connection, snapshot.pause):
        return (ThreadStatus.FAILED, snapshot.error) if snapshot.error else (ThreadStatus.STUCK, _LEFT)
    if snapshot.pause is None and snapshot.unfinished:
        return ThreadStatus.FAILED, "the run was interrupted before its end"
    return snapshot.status, snapshot.error


def _answerable(connection: Connection, pause: Pause) -> bool:
    return any(row["status"] in ANSWERABLE for row in reviews.of_group(connection, pause.group_key()))


def after_run(
    connection: Connection,
    source: str,
    thread_id: str,
    snapshot: Snapshot | None,
    error: Exception | None,
    stuck: Sequence[str],
) -> tuple[ThreadStatus, str]:
    """Of a thread whose run has just ended; `stuck` are the uncertain outcomes of its reviews."""
    if snapshot is None:
        return ThreadStatus.FAILED, words(error) or "the run ended before anything was stored"
    if stuck:
        return ThreadStatus.STUCK, "; ".join(stuck)
    status, text = standing(connection, snapshot)
    if status in {ThreadStatus.PAUSED, ThreadStatus.POISONED}:
        return status, text
    if unsure := _unsure(connection, source, thread_id, snapshot):
        names = ", ".join(unsure)
        return ThreadStatus.STUCK, f"it is uncertain whether {names} ran: it started, and no end is recorded"
    return (ThreadStatus.FAILED, words(error)) if error is not None else (status, text)


def _unsure(connection: Connection, source: str, thread_id: str, snapshot: Snapshot) -> list[str]:
    still = snapshot.open_calls()
    if not still:
        return []
    journal = outbox.journal(connection, source, thread_id)
    runs, strays = Calls.of(journal).runs, unmatched(journal, snapshot)
    return [
        call.name
        for call in still
        if any(run["ended_at"] is None for run in (runs.get(call.id, []) if call.id else strays))
    ]
