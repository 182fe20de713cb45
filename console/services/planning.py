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
from console.store.engine import Connection, RowMapping, read, write
from console.store.outbox import Lease

BEGUN = (Status.DECIDED, Status.RESUMING)
Journal = Sequence[RowMapping]


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


def plan(deps: Deps, job: Job) -> Run | None:
    """Decide what is to be run, and commit `dispatched`; None when there is nothing to hand over."""
    snapshot = deps.sources[job.source].snapshot(job.thread_id)
    journal, repeats = _journal(deps, job)
    run = (
        _plan_resume(deps, job, snapshot, journal)
        if job.row["kind"] == "resume"
        else _plan_message(deps, job, snapshot, journal)
    )
    if run is None:
        return None
    with write(deps.engine) as connection:
        if not outbox.holds(connection, job.lease):
            return None
        if repeats:
            take_back(connection, job.source, job.thread_id, repeats, group_of(connection, job))
        outbox.set_state(connection, job.row["id"], "dispatched")
        threads.move(connection, job.source, job.thread_id, list(ThreadStatus), ThreadStatus.RUNNING)
        if job.before != "dispatched":
            _record_dispatch(connection, job)
    publish(deps, job)
    return run


def _journal(deps: Deps, job: Job) -> tuple[Journal, Journal]:
    """What the thread's journal holds, and apart from it what a crash cut off and may run again."""
    with read(deps.engine) as connection:
        whole = outbox.journal(connection, job.source, job.thread_id)
    repeats = repeatable(deps, whole) if job.before == "dispatched" else []
    again = {run["id"] for run in repeats}
    return [run for run in whole if run["id"] not in again], repeats


def _plan_message(deps: Deps, job: Job, snapshot: Snapshot | None, journal: Journal) -> Run | None:
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
    return _plan_going_on(deps, job, snapshot, journal)


def _plan_going_on(deps: Deps, job: Job, snapshot: Snapshot | None, journal: Journal) -> Run | None:
    if snapshot is None or snapshot.pause is not None:
        return None
    first = job.before != "dispatched"
    if not snapshot.unfinished and not (first and snapshot.status is ThreadStatus.FAILED):
        return None
    if _uncertain(snapshot, journal) or unjournalled(job, snapshot):
        return None
    return Run(job.thread_id, decisions=_decision_ids(deps, job))


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


def _plan_resume(deps: Deps, job: Job, snapshot: Snapshot | None, journal: Journal) -> Run | None:
    with read(deps.engine) as connection:
        group = group_of(connection, job)
        chosen = reviews.decisions(connection, [row["decision_id"] for row in group if row["decision_id"]])
    calls = Calls.of(journal)
    pause = snapshot.pause if snapshot else None
    here = pause is not None and bool(group) and pause.checkpoint_id == group[0]["checkpoint_id"]
    if not here or pause is None:
        return _plan_going_on(deps, job, snapshot, journal) if job.before == "dispatched" else None
    if snapshot is not None and snapshot.status is ThreadStatus.POISONED:
        return None
    if any(answer_in_doubt(job, row) for row in group):
        return None
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


def _ids(group: Sequence[RowMapping]) -> dict[str, str]:
    """tool call id -> decision id, of rejected calls, too: a gate that is asked again finds them decided."""
    return {
        action.tool_call_id: row["decision_id"]
        for row in group
        for action in reviews.actions_of(row)
        if action.tool_call_id and row["decision_id"]
    }


def _decision_ids(deps: Deps, job: Job) -> dict[str, str]:
    with read(deps.engine) as connection:
        return _ids(group_of(connection, job))


def _record_dispatch(connection: Connection, job: Job) -> None:
    for row in group_of(connection, job):
        reviews.move(connection, row["id"], [Status.DECIDED], Status.RESUMING)
        ledger.append(
            connection,
            entry_of(
                Event.DISPATCHED, row, more={"decision_id": row["decision_id"], "fence": job.lease.fence}
            ),
        )


def publish(deps: Deps, job: Job) -> None:
    where = {"source": job.source, "thread_id": job.thread_id}
    deps.changes.publish(
        Change("thread", **where), Change("review", **where), Change("queue"), Change("audit")
    )
