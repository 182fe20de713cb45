"""Calls that a crash cut off and that may run again by themselves: those of tools declared idempotent."""

from __future__ import annotations

from collections.abc import Sequence

from console.domain.ledger import Kind as Event
from console.services.deps import Deps
from console.services.entries import WORKER
from console.services.owners import is_dead
from console.store import ledger, outbox, reviews
from console.store.engine import Connection, RowMapping

# A call whose every start ends its process would otherwise do so for ever.
MAX_REPEATS = 3


def repeatable(deps: Deps, journal: Sequence[RowMapping]) -> list[RowMapping]:
    """Starts without an end, of an idempotent tool, whose process is certainly dead.

    A call without an id is not among them: its next start could not be told from this one.
    """
    return [
        run
        for run in journal
        if run["ended_at"] is None
        and not run["tool_call_id"].startswith("run:")
        and _is_idempotent(deps, run["name"])
        and _times_void(journal, run) < MAX_REPEATS
        and is_dead(run["owner"])
    ]


def _is_idempotent(deps: Deps, tool: str) -> bool:
    policy = deps.settings.policy.tools.get(tool)
    return policy is not None and policy.idempotent


def _times_void(journal: Sequence[RowMapping], run: RowMapping) -> int:
    return sum(each["tool_call_id"] == run["tool_call_id"] and each["ended"] == "void" for each in journal)


def take_back(
    connection: Connection,
    source: str,
    thread_id: str,
    runs: Sequence[RowMapping],
    group: Sequence[RowMapping],
) -> None:
    """Void the starts, so that the calls may start again; each is in the log, under its review if any."""
    outbox.journal_void(connection, [run["id"] for run in runs])
    review_of = {action.tool_call_id: row["id"] for row in group for action in reviews.actions_of(row)}
    for run in runs:
        entry = ledger.Entry(
            Event.RETRIED,
            WORKER,
            source=source,
            thread_id=thread_id,
            review_id=review_of.get(run["tool_call_id"]),
            tool=run["name"],
            outcome="started again, as the tool is declared idempotent",
            more={"tool_call_id": run["tool_call_id"][:500], "fence": run["fence"]},
        )
        ledger.append(connection, entry)
