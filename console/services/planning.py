"""What of a thread's outbox row is to be handed to a run.

`dispatched` is committed before anything is handed over. Whatever is found `dispatched` after a crash is
handed over again only where the checkpoint and the journal prove that nothing of it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from console.domain.ledger import Kind as Event
from console.domain.review import Status, ThreadStatus, digest
from console.domain.thread import Snapshot
from console.forms.exact import loads
from console.services.calls import NOT_BEGUN as NOT_BEGUN
from console.services.calls import Calls, unmatched
from console.services.changes import Change
from console.services.deps import Deps
from console.services.entries import entry_of
from console.services.repeats import repeatable, take_back
from console.sources.payload import answer as shaped
from console.sources.port import Run
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, write
from console.store.outbox import Lease

BEGUN = (Status.DECIDED, Status.RESUMING)
Rows = Sequence[RowMapping]
Journal = Rows


@dataclass(frozen=True)
class Job:
    """One outbox row under a lease; `before` is the state it was found in."""

    row: RowMapping
    lease: Lease
    before: str

    @property
    def source(self) -> str:
        return str(self.row["source"])

    @property
    def thread_id(self) -> str:
        return str(self.row["thread_id"])


@dataclass(frozen=True)
class Begun:
    """A leased job and what is to be handed over; with a `problem` it is to be set aside."""

    job: Job
    run: Run | None
    problem: Exception | None = None


def begin(deps: Deps, row: RowMapping, owner: str, dead: Sequence[str], seconds: float) -> Begun | None:
    """Lease the row's thread, decide what is to be run, and write `dispatched`, in one transaction.

    None when someone else was first. The thread is read before, since a source may be slow; its stamp is
    compared under the write lock, and one that moved meanwhile is looked at again at the next turn. So what
    is handed over is what is written down, of the thread and of its reviews alike.
    """
    source, thread_id = deps.sources[row["source"]], str(row["thread_id"])
    stamp, snapshot = source.stamp(thread_id), source.snapshot(thread_id)
    with write(deps.engine) as connection:
        if source.stamp(thread_id) != stamp:
            return None
        lease = outbox.take(connection, row, owner, dead, seconds)
        if lease is None:
            return None
        job = Job(row, lease, row["state"])
        run = _plan(deps, connection, job, snapshot)
    if run is not None:
        publish(deps, job)
    return Begun(job, run)


def _plan(deps: Deps, connection: Connection, job: Job, snapshot: Snapshot | None) -> Run | None:
    whole = outbox.journal(connection, job.source, job.thread_id)
    repeats = repeatable(deps, whole) if job.before == "dispatched" else []
    again = {run["id"] for run in repeats}
    journal = [run for run in whole if run["id"] not in again]
    group = group_of(connection, job)
    run = (
        _plan_resume(connection, job, snapshot, journal, group)
        if job.row["kind"] == "resume"
        else _plan_message(job, snapshot, journal, group)
    )
    if run is None:
        return None
    if repeats:
        take_back(connection, job.source, job.thread_id, repeats, group)
    outbox.set_state(connection, job.row["id"], "dispatched")
    threads.move(connection, job.source, job.thread_id, list(ThreadStatus), ThreadStatus.RUNNING)
    if job.before != "dispatched":
        _record_dispatch(connection, job, group)
    return run


def _plan_message(job: Job, snapshot: Snapshot | None, journal: Journal, group: Rows) -> Run | None:
    head = snapshot.head if snapshot else ""
    if job.row["kind"] in {"message", "close"} and head == job.row["head"]:
        payload = loads(job.row["payload_text"])
        closings = [(each[0], each[1], each[2], each[3]) for each in payload["close"]]
        return Run(job.thread_id, message=payload.get("text"), close_calls=closings)
    if job.row["kind"] == "repair":
        # A fork of its own pause asks again under a new id; answers stored with the old one stay behind.
        poisoned = snapshot is not None and snapshot.status is ThreadStatus.POISONED
        return Run(job.thread_id, fork=head) if poisoned and head == job.row["head"] else None
    # The message is in the thread: only what was left unfinished may go on.
    return _plan_going_on(job, snapshot, journal, group)


def _plan_going_on(job: Job, snapshot: Snapshot | None, journal: Journal, group: Rows) -> Run | None:
    if snapshot is None or snapshot.pause is not None:
        return None
    first = job.before != "dispatched"
    if not snapshot.unfinished and not (first and snapshot.status is ThreadStatus.FAILED):
        return None
    if _uncertain(snapshot, journal) or unjournalled(job, snapshot):
        return None
    return Run(job.thread_id, decisions=_ids(group))


def unjournalled(job: Job, snapshot: Snapshot) -> str:
    """Names of steps that a crash cut off and that keep no journal: what they did is unknown."""
    return ", ".join(snapshot.unseen) if job.before == "dispatched" and snapshot.unfinished else ""


def _uncertain(snapshot: Snapshot, journal: Journal) -> list[str]:
    """What the journal has a start of and the thread no result: running on would call it again."""
    calls = Calls.of(journal)
    unsure = [call.name for call in snapshot.open_calls() if calls.began(call.id)]
    return unsure + [run["name"] for run in unmatched(journal, snapshot)]


def began(calls: Calls, call_id: str | None) -> bool:
    return calls.began(call_id)


def _plan_resume(
    connection: Connection, job: Job, snapshot: Snapshot | None, journal: Journal, group: Rows
) -> Run | None:
    calls = Calls.of(journal)
    pause = snapshot.pause if snapshot else None
    here = pause is not None and bool(group) and pause.checkpoint_id == group[0]["checkpoint_id"]
    if not here or pause is None:
        return _plan_going_on(job, snapshot, journal, group) if job.before == "dispatched" else None
    if snapshot is not None and snapshot.status is ThreadStatus.POISONED:
        return None
    if any(answer_in_doubt(job, row) for row in group):
        return None
    chosen = reviews.decisions(connection, [row["decision_id"] for row in group if row["decision_id"]])
    answers: dict[str, Any] = {}
    for row in group:
        if job.before == "dispatched" and taken(row, snapshot):
            continue
        pending = pause.find(row["interrupt_id"])
        if pending is None or digest(pause, pending) != row["digest"] or row["status"] not in BEGUN:
            return None
        if any(began(calls, action.tool_call_id) for action in pending.actions):
            return None
        body = loads(chosen[row["decision_id"]]["body_text"])
        answers[row["interrupt_id"]] = shaped(pending.answer_shape, body.get("decisions"), body.get("answer"))
    return Run(job.thread_id, answers=answers, decisions=_ids(group)) if answers else None


def taken(row: RowMapping, snapshot: Snapshot | None) -> bool:
    """True when the pause has this answer's results already, while others of it are still waiting for theirs.

    Where each call asks by itself, a run that was cut off leaves its pause half answered: what is done is
    kept with the checkpoint and is not done again, and only the rest is to be handed over.
    """
    pause = snapshot.pause if snapshot else None
    if snapshot is None or pause is None or pause.checkpoint_id != row["checkpoint_id"]:
        return False
    calls = [action.tool_call_id for action in reviews.actions_of(row)]
    return bool(calls) and pause.find(row["interrupt_id"]) is None and snapshot.loose.issuperset(calls)


def answer_in_doubt(job: Job, row: RowMapping) -> bool:
    """An answer goes to code of the agent's own, without a journal: handed over once, it may have run."""
    return job.before == "dispatched" and row["kind"] == "answer"


def group_of(connection: Connection, job: Job) -> list[RowMapping]:
    """The pause's reviews that still are to be settled."""
    rows = reviews.of_group(connection, job.row["group_key"]) if job.row["group_key"] else []
    return [row for row in rows if row["status"] in BEGUN]


def _ids(group: Rows) -> dict[str, str]:
    """tool call id -> decision id, of rejected calls, too: a gate that is asked again finds them decided."""
    return {
        action.tool_call_id: row["decision_id"]
        for row in group
        for action in reviews.actions_of(row)
        if action.tool_call_id and row["decision_id"]
    }


def _record_dispatch(connection: Connection, job: Job, group: Rows) -> None:
    for row in group:
        reviews.move(connection, row["id"], [Status.DECIDED], Status.RESUMING)
        more = {"decision_id": row["decision_id"], "fence": job.lease.fence}
        ledger.append(connection, entry_of(Event.DISPATCHED, row, more=more))


def publish(deps: Deps, job: Job) -> None:
    where = {"source": job.source, "thread_id": job.thread_id}
    deps.changes.publish(
        Change("thread", **where), Change("review", **where), Change("queue"), Change("audit")
    )
