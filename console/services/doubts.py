"""Making a doubt visible that no review stands for: threads stuck in what nobody had to review."""

from __future__ import annotations

from collections.abc import Sequence

from console.domain.canonical import canonical, sha256
from console.domain.ledger import Kind as Event
from console.domain.review import DOUBT, Action, Kind, Pause, Pending
from console.domain.thread import Snapshot
from console.services.calls import Calls, unmatched
from console.services.entries import entry_of
from console.services.records import headline
from console.store import ledger, outbox, sweeps
from console.store.engine import Connection, RowMapping

# tool call id, tool, exact arguments
Doubtful = tuple[str, str, str]
NO_END = "uncertain: it started, and no end is recorded"
_NO_CALL = "thread"


def show_doubt(
    connection: Connection,
    source: str,
    thread_id: str,
    snapshot: Snapshot | None,
    why: str,
    outcome: str = NO_END,
) -> None:
    """Put a stuck review into the queue unless one of this thread is there; `outcome` is of each call.

    It leaves the queue as every stuck review does: by a person's choice.
    """
    if sweeps.in_doubt(connection, source, thread_id):
        return
    calls = _doubtful(connection, source, thread_id, snapshot)
    actions = tuple(
        Action(at, name, args_text, "", (), "", call_id or None)
        for at, (call_id, name, args_text) in enumerate(calls)
    )
    first = (calls[0][0] if calls else "") or _NO_CALL
    pending = Pending(f"{DOUBT}{first}", Kind.APPROVAL, actions, note="" if calls else why[:500])
    said = snapshot.messages if snapshot else ()
    subject = next((each.text for each in said if each.role == "human"), "")[:120]
    agent_text = next((each.text for each in reversed(said) if each.role == "ai"), "")
    head = snapshot.head if snapshot else ""
    pause = Pause(source, thread_id, "", head, (pending,), agent_text, subject)
    key = sha256(canonical([pause.group_key(), pending.interrupt_id]))
    about = headline(actions[0].args_text) if actions else ""
    row = sweeps.open_doubt(connection, pause, key, about, [outcome] * len(calls))
    more = {"checkpoint_id": head, "interrupt_id": pending.interrupt_id, "request_digest": row["digest"]}
    ledger.append(connection, entry_of(Event.STUCK, row, outcome=row["outcome"][:500], more=more))


def _doubtful(
    connection: Connection, source: str, thread_id: str, snapshot: Snapshot | None
) -> Sequence[Doubtful]:
    """What started and has no end; else every call without a result: one of them holds the thread up."""
    journal = outbox.journal(connection, source, thread_id)
    if snapshot is None:
        return [_of_run(run) for run in journal if run["ended_at"] is None]
    runs, still = Calls.of(journal).runs, snapshot.open_calls()
    begun = [
        (call.id, call.name, call.args_text)
        for call in still
        if call.id and any(run["ended_at"] is None for run in runs.get(call.id, []))
    ]
    strays = [_of_run(run) for run in unmatched(journal, snapshot) if run["ended_at"] is None]
    return [*begun, *strays] or [(call.id, call.name, call.args_text) for call in still]


def _of_run(run: RowMapping) -> Doubtful:
    return run["tool_call_id"], run["name"], run["args_text"]
