"""Carrying out what is in the outbox, and writing down what came of it.

`dispatched` is committed before anything is handed to a run. Whatever is found `dispatched` after a
crash is handed over again only where the checkpoint and the journal prove that nothing of it began.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from console.domain.ledger import Kind as Event
from console.domain.review import Status, ThreadStatus, digest
from console.domain.thread import Snapshot
from console.forms.exact import dumps, loads
from console.services.calls import Calls
from console.services.changes import Change
from console.services.deps import Deps
from console.services.observe import WORKER, reopen, still_pending, supersede, write_pause
from console.services.outcome import ANSWERED, DID_NOT_RUN, Outcome, compare
from console.services.records import decisions_of
from console.services.standing import after_run, words
from console.sources.payload import answer as shaped
from console.sources.port import ResumeRefused, Run
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, read, write
from console.store.outbox import Lease

log = logging.getLogger("console.settle")
BEGUN = (Status.DECIDED, Status.RESUMING)
_STATUS = {"ok": Status.SETTLED, "mismatch": Status.MISMATCH, "stuck": Status.STUCK}
_EVENT = {Status.SETTLED: Event.SETTLED, Status.MISMATCH: Event.MISMATCH, Status.STUCK: Event.STUCK}


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
    run = (
        _plan_resume(deps, job, snapshot)
        if job.row["kind"] == "resume"
        else _plan_message(deps, job, snapshot)
    )
    if run is None:
        return None
    with write(deps.engine) as connection:
        if not outbox.holds(connection, job.lease):
            return None
        outbox.set_state(connection, job.row["id"], "dispatched")
        threads.move(connection, job.source, job.thread_id, list(ThreadStatus), ThreadStatus.RUNNING)
        if job.before != "dispatched":
            _record_dispatch(connection, job)
    _publish(deps, job)
    return run


def _plan_message(deps: Deps, job: Job, snapshot: Snapshot | None) -> Run | None:
    head = snapshot.head if snapshot else ""
    if job.row["kind"] == "message" and head == job.row["head"]:
        payload = loads(job.row["payload_text"])
        closings = [(each[0], each[1], each[2], each[3]) for each in payload["close"]]
        return Run(job.thread_id, message=payload["text"], close_calls=closings)
    # The message is in the thread: only what was left unfinished may go on.
    return _plan_going_on(deps, job, snapshot, first=job.before != "dispatched")


def _plan_going_on(deps: Deps, job: Job, snapshot: Snapshot | None, first: bool = False) -> Run | None:
    if snapshot is None or snapshot.pause is not None:
        return None
    if not snapshot.unfinished and not (first and snapshot.status is ThreadStatus.FAILED):
        return None
    if _uncertain(deps, job, snapshot):
        return None
    return Run(job.thread_id, decisions=_decision_ids(deps, job))


def _uncertain(deps: Deps, job: Job, snapshot: Snapshot) -> list[str]:
    """Open calls of the thread that the journal has a start of: running on would call them again."""
    with read(deps.engine) as connection:
        calls = Calls.of(outbox.journal(connection, job.source, job.thread_id))
    return [call.name for call in snapshot.open_calls() if _began(calls, call.id)]


def _began(calls: Calls, call_id: str) -> bool:
    return any(run["ended"] != "paused" for run in calls.runs.get(call_id, []))


def _plan_resume(deps: Deps, job: Job, snapshot: Snapshot | None) -> Run | None:
    with read(deps.engine) as connection:
        group = _group(connection, job)
        chosen = reviews.decisions(connection, [row["decision_id"] for row in group if row["decision_id"]])
        calls = Calls.of(outbox.journal(connection, job.source, job.thread_id))
    pause = snapshot.pause if snapshot else None
    here = pause is not None and bool(group) and pause.checkpoint_id == group[0]["checkpoint_id"]
    if not here or pause is None:
        return _plan_going_on(deps, job, snapshot) if job.before == "dispatched" else None
    if snapshot is not None and snapshot.status is ThreadStatus.POISONED:
        return None
    answers: dict[str, Any] = {}
    for row in group:
        pending = pause.find(row["interrupt_id"])
        if pending is None or digest(pause, pending) != row["digest"] or row["status"] not in BEGUN:
            return None
        if any(_began(calls, action.tool_call_id or "") for action in pending.actions):
            return None
        body = loads(chosen[row["decision_id"]]["body_text"])
        answers[row["interrupt_id"]] = shaped(pending.answer_shape, body.get("decisions"), body.get("answer"))
    return Run(job.thread_id, answers=answers, decisions=_ids(group))


def _group(connection: Connection, job: Job) -> list[RowMapping]:
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
        return _ids(_group(connection, job))


def _record_dispatch(connection: Connection, job: Job) -> None:
    for row in _group(connection, job):
        reviews.move(connection, row["id"], [Status.DECIDED], Status.RESUMING)
        ledger.append(
            connection,
            _entry(Event.DISPATCHED, row, more={"decision_id": row["decision_id"], "fence": job.lease.fence}),
        )


def _entry(event: Event, row: RowMapping, decided_by_id: str | None = None, **rest: Any) -> ledger.Entry:
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


def finish(deps: Deps, job: Job, error: Exception | None) -> None:
    """Read the thread back and write everything that follows from it in one transaction."""
    snapshot = deps.sources[job.source].snapshot(job.thread_id)
    with write(deps.engine) as connection:
        if not outbox.holds(connection, job.lease):
            # Someone else took the thread over; what it finds is what counts.
            log.warning("lease on %s/%s was lost before its end was written", job.source, job.thread_id)
            return
        stuck = _settle_group(connection, job, snapshot, error)
        _write_thread(connection, job, snapshot, error, stuck)
        outbox.set_state(connection, job.row["id"], "failed" if error else "done", error=words(error)[:2000])
        outbox.release(connection, job.lease)
    deps.drafts.clear(job.source, job.thread_id)
    _publish(deps, job)


def _settle_group(
    connection: Connection, job: Job, snapshot: Snapshot | None, error: Exception | None
) -> list[str]:
    """Settle each review of the pause; returns what is uncertain, in words."""
    group = _group(connection, job)
    if not group:
        return []
    chosen = reviews.decisions(connection, [row["decision_id"] for row in group])
    calls = Calls.of(
        outbox.journal(connection, job.source, job.thread_id), snapshot.messages if snapshot else ()
    )
    refused = _refused(group, snapshot, error, calls)
    uncertain = []
    for row in group:
        decision = chosen[row["decision_id"]]
        if refused is not None:
            _reopen_or_supersede(connection, row, snapshot, refused)
            continue
        outcome = _outcome(row, decision, calls, snapshot, error)
        _write_outcome(connection, row, decision, outcome, snapshot)
        if outcome.state == "stuck":
            uncertain.append(outcome.text)
    return uncertain


def _refused(
    group: Sequence[RowMapping], snapshot: Snapshot | None, error: Exception | None, calls: Calls
) -> str | None:
    """Why the run did not take the answers, when nothing of them began; None when it took them."""
    began = any(
        _began(calls, action.tool_call_id or "") for row in group for action in reviews.actions_of(row)
    )
    if began:
        return None
    if isinstance(error, ResumeRefused):
        return str(error)
    pause = snapshot.pause if snapshot else None
    if pause is not None and pause.checkpoint_id == group[0]["checkpoint_id"]:
        return f"the run refused the answer ({words(error)})" if error else "the run did not take the answer"
    if group[0]["status"] == Status.DECIDED:
        return "the thread moved on before the verdict was handed over"
    return None


def _reopen_or_supersede(
    connection: Connection, row: RowMapping, snapshot: Snapshot | None, why: str
) -> None:
    pause = snapshot.pause if snapshot else None
    pending = still_pending(row, pause)
    if pause is None or pending is None:
        supersede(connection, row)
    else:
        reopen(connection, row, pause, pending, why)


def _outcome(
    row: RowMapping,
    decision: RowMapping,
    calls: Calls,
    snapshot: Snapshot | None,
    error: Exception | None,
) -> Outcome:
    if row["kind"] == "answer":
        return Outcome("ok", [ANSWERED], [""])
    said = decisions_of(decision)
    found = compare(reviews.actions_of(row), said, row["decision_id"], calls)
    missing = any(
        each["type"] in {"approve", "edit"} and text == DID_NOT_RUN
        for each, text in zip(said, found.texts, strict=True)
    )
    if found.state == "ok" and missing and _may_go_on(row, snapshot, error):
        return replace(found, state="stuck")
    return found


def _may_go_on(row: RowMapping, snapshot: Snapshot | None, error: Exception | None) -> bool:
    """True when the run ended half-way, so that an allowed call without a start may yet be run."""
    if snapshot is None:
        return False
    pause = snapshot.pause
    return snapshot.unfinished or (
        error is None
        and pause is not None
        and pause.find(row["interrupt_id"]) is not None
        and pause.checkpoint_id == row["checkpoint_id"]
    )


def _write_outcome(
    connection: Connection, row: RowMapping, decision: RowMapping, outcome: Outcome, snapshot: Snapshot | None
) -> None:
    status = _STATUS[outcome.state]
    values = {
        "outcome": outcome.text[:500],
        "outcomes_text": json.dumps(outcome.texts),
        "settled_at": datetime.now(UTC),
    }
    if not reviews.move(connection, row["id"], BEGUN, status, **values):
        return
    said = decisions_of(decision)
    shown = [
        {
            "position": action.position,
            "tool": action.name,
            "proposed": action.args_text,
            "decision": said[action.position]["type"],
            "final": outcome.executed[action.position],
            "outcome": outcome.texts[action.position],
        }
        for action in reviews.actions_of(row)
        if action.position < len(said)
    ]
    more = {"decision_id": row["decision_id"], "result_checkpoint_id": snapshot.head if snapshot else ""}
    ledger.append(
        connection,
        _entry(
            _EVENT[status],
            row,
            decided_by_id=decision["actor_id"],
            outcome=outcome.text[:500],
            payload=dumps({"actions": shown}),
            more=more,
        ),
    )


def _write_thread(
    connection: Connection, job: Job, snapshot: Snapshot | None, error: Exception | None, stuck: Sequence[str]
) -> None:
    if snapshot is not None:
        write_pause(connection, job.source, job.thread_id, snapshot)
    status, text = after_run(connection, job.source, job.thread_id, snapshot, error, stuck)
    threads.move(connection, job.source, job.thread_id, list(ThreadStatus), status, text[:2000])


def _publish(deps: Deps, job: Job) -> None:
    where = {"source": job.source, "thread_id": job.thread_id}
    deps.changes.publish(
        Change("thread", **where), Change("review", **where), Change("queue"), Change("audit")
    )
