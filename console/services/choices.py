"""Carrying out what a person says of a doubt: run it again, or close it with what they say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from console.domain.access import Actor
from console.domain.errors import Conflict
from console.domain.review import Kind, Status
from console.domain.thread import Snapshot, ToolCall
from console.forms.exact import dumps
from console.services.calls import NOT_BEGUN, Calls
from console.services.closings import closings
from console.services.outcome import Outcome
from console.services.owners import is_dead
from console.store import outbox, reviews
from console.store.engine import Connection, RowMapping
from console.store.sweeps import is_doubt

OUTCOME = {
    "ran": "ran, as {name} found out",
    "give_up": "uncertain, closed by {name}",
    "not_run": "did not run, as {name} found out; it is run again",
}


def run_again(
    connection: Connection,
    actor: Actor,
    row: RowMapping,
    snapshot: Snapshot,
    calls: Calls,
    unsure: Sequence[ToolCall],
    group: Sequence[RowMapping],
) -> None:
    if stranger := next((call.name for call in unsure if not calls.runs.get(call.id)), None):
        why = f"{stranger} was not started here, so whether it still runs cannot be told."
        raise Conflict(f"{why} Say that it ran, or give up.", kind="owner-unknown")
    runs = [run for call in unsure for run in calls.runs[call.id] if run["ended"] not in NOT_BEGUN]
    for run in runs:
        if run["ended_at"] is not None:
            raise Conflict(f"{run['name']} did run to its end; say what it answered.", kind="tool-ended")
        if not is_dead(run["owner"]):
            raise Conflict(
                f"The process that started {run['name']} still lives, so it may yet do its work.",
                kind="owner-alive",
            )
    outbox.journal_void(connection, [run["id"] for run in runs])
    doubts = [each for each in group if is_doubt(each)]
    decided = [each for each in group if not is_doubt(each)]
    # Nobody decided on the doubts, so there is no verdict to compare the run with: the choice is the outcome.
    settle(connection, doubts, {call.id for call in unsure}, OUTCOME["not_run"].format(name=actor.name))
    for each in decided:
        cleared = {"outcome": "", "outcomes_text": "", "settled_at": None}
        reviews.move(connection, each["id"], [Status.STUCK], Status.RESUMING, **cleared)
    state = "ready" if any(each["kind"] == Kind.ANSWER for each in decided) else "dispatched"
    if not decided or not outbox.again(connection, decided[0]["group_key"], state):
        outbox.put(connection, "continue", row["source"], row["thread_id"], "", head=snapshot.head)


def close(
    connection: Connection,
    row: RowMapping,
    snapshot: Snapshot,
    calls: Calls,
    said: Mapping[str, tuple[str, str]],
) -> bool:
    """False when the thread has no call that waits for a result."""
    payload = {"close": closings(snapshot, calls, "", said)}
    if payload["close"]:
        outbox.put(connection, "close", row["source"], row["thread_id"], dumps(payload), head=snapshot.head)
    return bool(payload["close"])


def end_runs(
    connection: Connection, calls: Calls, unsure: Sequence[ToolCall], ended: str, reason: str
) -> None:
    for run in (run for call in unsure for run in calls.runs[call.id]):
        outbox.journal_end(connection, run["id"], ended, f"by a person's word: {reason}"[:2000])


def settle(connection: Connection, group: Sequence[RowMapping], unsure: set[str], outcome: str) -> None:
    """The doubtful positions get the person's outcome; the others keep theirs."""
    for row in group:
        texts = json.loads(row["outcomes_text"]) if row["outcomes_text"] else []
        for action in reviews.actions_of(row):
            if action.tool_call_id in unsure and action.position < len(texts):
                texts[action.position] = outcome
        whole = Outcome("ok", texts or [outcome], ()).text[:500]
        values = {"outcome": whole, "outcomes_text": json.dumps(texts), "settled_at": datetime.now(UTC)}
        reviews.move(connection, row["id"], [Status.STUCK], Status.SETTLED, **values)
