"""Writing down what came of a run: outcomes, new pauses and the thread's status in one transaction."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from console.domain.ledger import Kind as Event
from console.domain.review import Status, ThreadStatus
from console.domain.thread import Snapshot
from console.forms.exact import dumps
from console.services.calls import Calls
from console.services.deps import Deps
from console.services.doubts import show_doubt
from console.services.entries import entry_of
from console.services.leaving import LeftBy, way_out
from console.services.observe import GONE, reopen, still_pending, supersede, write_pause
from console.services.outcome import ANSWERED, DID_NOT_RUN, Outcome, compare
from console.services.planning import BEGUN, answer_in_doubt, began, group_of, publish, taken, unjournalled
from console.services.planning import Job as Job
from console.services.records import decisions_of
from console.services.standing import after_run, words
from console.sources.port import ResumeRefused
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, trouble_of, write

log = logging.getLogger("console.settle")
MAX_ATTEMPTS, FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS = 5, 1.0, 15.0
UNREADABLE = "uncertain: the answer was handed over, and what came of it cannot be read back"
_STATUS = {"ok": Status.SETTLED, "mismatch": Status.MISMATCH, "stuck": Status.STUCK}
_EVENT = {Status.SETTLED: Event.SETTLED, Status.MISMATCH: Event.MISMATCH, Status.STUCK: Event.STUCK}


def finish(deps: Deps, job: Job, error: Exception | None) -> str:
    """Read the thread back and write everything that follows from it in one transaction.

    Returns the thread's stamp from before it was read, and nothing when the lease was lost.
    """
    stamp = deps.sources[job.source].stamp(job.thread_id)
    snapshot = deps.sources[job.source].snapshot(job.thread_id)
    left_by = partial(way_out, deps.sources[job.source], snapshot)
    with write(deps.engine) as connection:
        if not outbox.holds(connection, job.lease):
            # Someone else took the thread over; what it finds is what counts.
            log.warning("lease on %s/%s was lost before its end was written", job.source, job.thread_id)
            return ""
        stuck = _settle_group(connection, job, snapshot, error, left_by)
        _write_thread(connection, job, snapshot, error, stuck, left_by)
        outbox.end(connection, job.row["id"], "failed" if error else "done", words(error)[:2000])
        outbox.release(connection, job.lease)
    deps.drafts.clear(job.source, job.thread_id)
    publish(deps, job)
    return stamp


def set_aside(deps: Deps, job: Job, problem: Exception) -> None:
    """After planning or reading back failed: again later, each time after a longer wait.

    A full disk and a held lock pass, however long they last, and say nothing about the thread. Of
    everything else nobody can tell whether it passes, so that is not tried for ever.
    """
    attempt = int(job.row["attempts"]) + 1
    with write(deps.engine) as connection:
        if not outbox.holds(connection, job.lease):
            return
        if attempt < MAX_ATTEMPTS or trouble_of(problem) is not None:
            wait = min(FIRST_WAIT_SECONDS * 2 ** min(attempt - 1, 20), MAX_WAIT_SECONDS)
            outbox.defer(connection, job.lease, job.row["id"], wait, words(problem)[:2000])
            return
        _give_up(connection, job, problem)
    deps.drafts.clear(job.source, job.thread_id)
    publish(deps, job)


def _give_up(connection: Connection, job: Job, problem: Exception) -> None:
    """Bring the thread to rest without knowing it: what the journal cannot rule out is uncertain."""
    why = f"the thread cannot be read back ({words(problem)})"
    group = group_of(connection, job)
    journal = outbox.journal(connection, job.source, job.thread_id)
    chosen = reviews.decisions(connection, [row["decision_id"] for row in group])
    for row in group:
        decision = chosen[row["decision_id"]]
        outcome = _outcome(row, decision, Calls.of(journal), None, problem)
        if outcome.state != "mismatch":
            texts = [f"uncertain: {why}"[:300] for _ in outcome.texts]
            outcome = replace(outcome, state="stuck", texts=texts)
        _write_outcome(connection, row, decision, outcome, None)
    unsure = bool(group) or any(run["ended_at"] is None for run in journal)
    status = ThreadStatus.STUCK if unsure else ThreadStatus.FAILED
    threads.move(connection, job.source, job.thread_id, list(ThreadStatus), status, why[:2000])
    if unsure:
        show_doubt(connection, job.source, job.thread_id, None, why)
    outbox.end(connection, job.row["id"], "failed", words(problem)[:2000])
    outbox.release(connection, job.lease)


def _settle_group(
    connection: Connection,
    job: Job,
    snapshot: Snapshot | None,
    error: Exception | None,
    left_by: LeftBy,
) -> list[str]:
    """Settle each review of the pause; returns what is uncertain, in words."""
    group = group_of(connection, job)
    if not group:
        return []
    chosen = reviews.decisions(connection, [row["decision_id"] for row in group])
    calls = Calls.of(
        outbox.journal(connection, job.source, job.thread_id), snapshot.messages if snapshot else ()
    )
    refused = _refused(job, group, snapshot, error, calls)
    uncertain = []
    for row in group:
        decision = chosen[row["decision_id"]]
        if refused is not None and not taken(row, snapshot):
            _reopen_or_supersede(connection, row, snapshot, refused, left_by)
            continue
        outcome = _outcome(row, decision, calls, snapshot, error)
        pause = snapshot.pause if snapshot else None
        if answer_in_doubt(job, row) and still_pending(row, pause) is not None:
            outcome = Outcome("stuck", [UNREADABLE], [""])
        _write_outcome(connection, row, decision, outcome, snapshot)
        if outcome.state == "stuck":
            uncertain.append(outcome.text)
    return uncertain


def _refused(
    job: Job, group: Sequence[RowMapping], snapshot: Snapshot | None, error: Exception | None, calls: Calls
) -> str | None:
    """Why the run did not take the answers, when nothing of them began; None when it took them."""
    calls_of = [action.tool_call_id for row in group for action in reviews.actions_of(row)]
    if any(began(calls, call_id) for call_id in calls_of) or any(answer_in_doubt(job, row) for row in group):
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
    connection: Connection, row: RowMapping, snapshot: Snapshot | None, why: str, left_by: LeftBy
) -> None:
    pause = snapshot.pause if snapshot else None
    pending = still_pending(row, pause)
    if snapshot is None:
        supersede(connection, row, why=GONE)
    elif pause is None or pending is None:
        supersede(connection, row, left_by(row))
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
        entry_of(
            _EVENT[status],
            row,
            decided_by_id=decision["actor_id"],
            outcome=outcome.text[:500],
            payload=dumps({"actions": shown}),
            more=more,
        ),
    )


def _write_thread(
    connection: Connection,
    job: Job,
    snapshot: Snapshot | None,
    error: Exception | None,
    stuck: Sequence[str],
    left_by: LeftBy,
) -> None:
    if snapshot is not None:
        write_pause(connection, job.source, job.thread_id, snapshot, left_by)
    status, text = after_run(connection, job.source, job.thread_id, snapshot, error, stuck)
    if snapshot is None and job.row["head"]:
        status, text = ThreadStatus.GONE, GONE
    elif snapshot is not None and error is None and (names := unjournalled(job, snapshot)):
        status, text = ThreadStatus.STUCK, f"it is uncertain what {names} did: it keeps no journal"
    threads.move(connection, job.source, job.thread_id, list(ThreadStatus), status, text[:2000])
    if status is ThreadStatus.STUCK:
        show_doubt(connection, job.source, job.thread_id, snapshot, text)
