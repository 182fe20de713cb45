"""Table rows as views: the one place where stored reviews become what people read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from console.domain.access import Actor, Permission, allows, rule
from console.domain.review import UNDECIDED, Status, ThreadStatus
from console.forms.exact import dumps, loads
from console.services.claims import stale
from console.services.editing import origin_in_words
from console.services.paging import thread_ref
from console.services.views import ActionView, GroupMember, QueueRow, ReviewView
from console.store import claims, queue, reviews
from console.store.engine import RowMapping
from console.store.queue import moment


def queue_row(row: queue.Row) -> QueueRow:
    """`row` in the order of `queue.COLUMNS`, and the total."""
    (
        review_id, version, kind, status, source, thread_id, tool, tools, action_count, headline, subject,
        _rank, opened_at, group_size, decided_by, decided_at, claimed_by, claimed_at, thread_status, _total,
    ) = row  # fmt: skip
    named = tools.strip("\n")
    # Past the initializer of a frozen class, which takes longer than the database for a page of rows.
    made = object.__new__(QueueRow)
    claimed = claimed_by is not None and status in claims.CLAIMABLE
    made.__dict__.update(
        id=review_id,
        version=version,
        kind=kind,
        status=status,
        source=source,
        thread_id=thread_id,
        thread_ref=thread_ref(thread_id),
        tool=tool,
        tools=named.split("\n") if named else [],
        action_count=action_count,
        headline=headline,
        subject=subject,
        opened_at=moment(opened_at),
        group_size=group_size,
        decided_by=decided_by,
        decided_at=moment(decided_at) if decided_at is not None else None,
        claimed_by=claimed_by if claimed else None,
        claimed_at=moment(claimed_at) if claimed else None,
        thread_status=thread_status or "",
    )
    return made


def review_view(
    row: RowMapping,
    group: Sequence[RowMapping],
    decision: RowMapping | None,
    actor: Actor,
    thread_status: str,
    claim: RowMapping | None = None,
) -> ReviewView:
    """`group` holds all reviews of the pause, this one included, in task order."""
    held = claim if row["status"] in claims.CLAIMABLE else None
    why_not = _why_not(row, actor, thread_status)
    undecided = [member for member in group if member["status"] in UNDECIDED]
    return ReviewView(
        id=row["id"],
        version=row["version"],
        digest=row["digest"],
        kind=row["kind"],
        status=row["status"],
        source=row["source"],
        thread_id=row["thread_id"],
        thread_ref=thread_ref(row["thread_id"]),
        ns=row["ns"],
        checkpoint_id=row["checkpoint_id"],
        interrupt_id=row["interrupt_id"],
        opened_at=row["opened_at"],
        actions=action_views(row, decision),
        group=[GroupMember(each["id"], each["tool"], each["status"], each["decided_by"]) for each in group],
        waiting_for=len(undecided) if row["status"] == Status.DECIDED else 0,
        agent_text=row["agent_text"],
        value=loads_or_none(row["value_text"]),
        value_text=row["value_text"],
        answer_text=answer_of(decision),
        answer_schema=loads_or_none(row["answer_schema_text"]),
        note=row["note"],
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        settled_at=row["settled_at"],
        outcome=row["outcome"],
        may_decide=not why_not,
        why_not=why_not,
        claimed_by=held["actor_name"] if held else None,
        claimed_at=held["at"] if held else None,
        claim_stale=held is not None and stale(held["at"], datetime.now(UTC)),
        closed_by=row["closed_by"],
        closed_at=row["closed_at"],
        thread_status=thread_status,
    )


def _why_not(row: RowMapping, actor: Actor, thread_status: str) -> str:
    if not allows(actor.role, Permission.DECIDE):
        return f"{rule(Permission.DECIDE)}."
    if row["kind"] == "unreadable":
        return "This request cannot be read, so it cannot be approved."
    if thread_status == ThreadStatus.POISONED:
        return "This thread takes no answer any more; it needs repair first."
    if row["status"] == Status.STUCK:
        return "It is uncertain what ran here; that has to be settled first."
    if row["status"] not in UNDECIDED:
        return "This review is closed."
    return ""


def action_views(row: RowMapping, decision: RowMapping | None) -> list[ActionView]:
    decided = decisions_of(decision)
    outcomes: list[str] = json.loads(row["outcomes_text"]) if row["outcomes_text"] else []
    views = []
    for action in reviews.actions_of(row):
        mine = decided[action.position] if action.position < len(decided) else None
        views.append(
            ActionView(
                position=action.position,
                name=action.name,
                args=loads_or_none(action.args_text),
                args_text=action.args_text,
                description=action.description,
                allowed_decisions=action.allowed_decisions,
                args_schema=loads_or_none(action.args_schema_text),
                args_schema_text=action.args_schema_text,
                schema_origin=origin_in_words(action.schema_origin, action.args_schema_text),
                tool_call_id=action.tool_call_id,
                decision=mine,
                decision_text=str(mine["type"]) if mine else "",
                final_args_text=final_args(mine, action.args_text),
                outcome=outcomes[action.position] if action.position < len(outcomes) else "",
            )
        )
    return views


def decisions_of(decision: RowMapping | None) -> list[dict[str, Any]]:
    """The recorded decisions by position; empty for an answer."""
    body = json.loads(decision["body_text"]) if decision is not None else {}
    found = body.get("decisions")
    return found if isinstance(found, list) else []


def answer_of(decision: RowMapping | None) -> str:
    """The recorded answer as exact JSON text; empty when there is none."""
    body = json.loads(decision["body_text"]) if decision is not None else {}
    return dumps(body["answer"]) if "answer" in body else ""


def final_args(decision: Mapping[str, Any] | None, proposed: str) -> str:
    """The exact arguments that may run under this decision; empty when the call may not run."""
    if decision is None:
        return ""
    if decision["type"] == "approve":
        return proposed
    return dumps(decision["edited_action"]["args"]) if decision["type"] == "edit" else ""


def loads_or_none(text: str) -> Any:
    """Stored text is ours, but may hold more than strict reading takes (a 400-digit integer): then None."""
    try:
        return loads(text) if text else None
    except ValueError:
        return None


def headline(args_text: str) -> str:
    """The first number among the arguments as exact text, else nothing: what a row is told apart by."""
    args = loads_or_none(args_text)
    if not isinstance(args, dict):
        return ""
    numbers = (
        value for value in args.values() if isinstance(value, int | float) and not isinstance(value, bool)
    )
    first = next(numbers, None)
    return "" if first is None else dumps(first)
