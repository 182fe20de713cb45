"""Reading the ledger, within what the reader's role may see, and recording refusals."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from console.domain.access import Actor, Permission, allows, require
from console.domain.ledger import Kind
from console.domain.text import findable
from console.services.address import short
from console.services.changes import Change
from console.services.deps import Deps, visible_sources
from console.services.paging import COUNT_CAP, PAGE, bounded, from_cursor, thread_ref, to_cursor
from console.services.views import AuditAction, AuditRow, Page
from console.store import ledger, reviews
from console.store.engine import Connection, RowMapping, read, write

PATIENCE_MS = 2_000


def log(
    deps: Deps,
    actor: Actor,
    *,
    kind: str | None = None,
    actor_name: str | None = None,
    tool: str | None = None,
    thread: str | None = None,
    review: str | None = None,
    outcome: str | None = None,
    limit: int = PAGE,
    cursor: str | None = None,
) -> Page[AuditRow]:
    """Entries, newest first. Supervisors see their own acts and the outcomes of their own decisions."""
    require(actor, Permission.AUDIT_OWN)
    own = None if allows(actor.role, Permission.AUDIT_ALL) else actor.id
    wanted = ledger.Filter(kind, actor_name, tool, thread, review, outcome, own)
    before = from_cursor(cursor, int)[0] if cursor else None
    if not findable(kind, actor_name, tool, thread, review, outcome):
        return Page([], None, 0, total_capped=False)
    visible, limit = visible_sources(deps, actor), bounded(limit)
    with read(deps.engine) as connection:
        rows = ledger.page(connection, wanted, visible, limit + 1, before)
        total = ledger.count(connection, wanted, visible, COUNT_CAP)
        shown = rows[:limit]
        outcomes = _outcomes(connection, shown)
    items = [_row(row, outcomes) for row in shown]
    return Page(
        items=items,
        next_cursor=to_cursor(items[-1].seq) if len(rows) > limit else None,
        total=min(total, COUNT_CAP),
        total_capped=total > COUNT_CAP,
    )


def _outcomes(connection: Connection, rows: list[RowMapping]) -> dict[str, tuple[str, list[str]]]:
    """decision id -> (outcome of the review, outcome per position), for the decisions among the rows."""
    bodies = [ledger.body_of(row) for row in rows]
    ids = {body["review_id"] for body in bodies if body["kind"] == Kind.DECIDED}
    found = {}
    for row in reviews.with_ids(connection, sorted(ids)):
        texts = json.loads(row["outcomes_text"]) if row["outcomes_text"] else []
        found[row["decision_id"]] = (row["outcome"], texts)
    return found


def _row(row: RowMapping, outcomes: dict[str, tuple[str, list[str]]]) -> AuditRow:
    body = ledger.body_of(row)
    # Only the decision itself is shown with what came of it later; other entries say what they know.
    known = outcomes.get(body["decision_id"]) if body["kind"] == Kind.DECIDED else None
    outcome, per_position = known or ("", [])
    thread = body.get("thread_id")
    return AuditRow(
        seq=body["seq"],
        at=datetime.fromisoformat(body["at"]),
        kind=body["kind"],
        actor=body["actor"].get("name", ""),
        role=body["actor"].get("role", ""),
        via=body["via"],
        review_id=body.get("review_id"),
        thread_id=thread,
        thread_ref=thread_ref(thread) if thread else None,
        tool=body.get("tool"),
        verdict=body.get("verdict"),
        outcome=body.get("outcome") or outcome or None,
        what=in_words(body),
        reason=body.get("reason", ""),
        hash=row["hash"].hex(),
        body=body,
        actions=_actions(row["bytes_text"], per_position),
    )


def _actions(payload: str | None, outcomes: list[str]) -> list[AuditAction]:
    found = json.loads(payload).get("actions", []) if payload else []
    return [
        AuditAction(
            position=item["position"],
            tool=item["tool"],
            proposed_args=item.get("proposed", ""),
            decision=item.get("decision", ""),
            message=item.get("message", ""),
            final_args=item.get("final", ""),
            outcome=item.get("outcome")
            or (outcomes[item["position"]] if item["position"] < len(outcomes) else ""),
        )
        for item in found
    ]


_WORDS: dict[str, str] = {
    Kind.OPENED: "Run paused, review opened",
    Kind.DECIDED: "Decided: {verdict}",
    Kind.DISPATCHED: "Verdict handed to the run",
    Kind.SETTLED: "Settled: {outcome}",
    Kind.MISMATCH: "Ran other than decided: {outcome}",
    Kind.STUCK: "Uncertain: {outcome}",
    Kind.SUPERSEDED: "The thread moved on",
    Kind.REOPENED: "Opened again: {reason}",
    Kind.LOST: "Came too late: {decided_by} was first",
    Kind.INVALID: "A verdict that was not valid: {reason}",
    Kind.DENIED: "Refused: {what}",
    Kind.LOGIN: "Signed in",
    Kind.LOGIN_FAILED: "A sign-in failed",
    Kind.LOGOUT: "Signed out",
    Kind.THREAD_STARTED: "Conversation started",
    Kind.MESSAGE_SENT: "Message sent as the customer",
    Kind.USER_ADDED: "User {user} added as {role}",
    Kind.USER_DISABLED: "User {user} disabled",
    Kind.ROLE_CHANGED: "User {user} is now {role}",
    Kind.TOKEN_CREATED: "Token made for {user}",
    Kind.TOKEN_REVOKED: "Token revoked",
}


class _Gaps(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "–"


def in_words(body: dict[str, Any]) -> str:
    """One line about an entry, made of the entry alone."""
    template = _WORDS.get(body["kind"], body["kind"].replace("_", " ").capitalize())
    return str(template.format_map(_Gaps(body)))


def refused(
    deps: Deps,
    actor: Actor | None,
    permission: str,
    what: str,
    address: str = "",
    review_id: str | None = None,
) -> None:
    """Record that a signed-in person was refused; nobody's attempts are counted with the sign-ins.

    Anyone may be refused as often as they like: a refusal does not wait long for other writers, and raises
    `Unavailable` then. It stands all the same.
    """
    if actor is None:
        return
    more = {"permission": permission, "what": what[:200], **({"address": short(address)} if address else {})}
    with write(deps.engine, PATIENCE_MS) as connection:
        row = reviews.get(connection, review_id) if review_id else None
        ledger.append(
            connection,
            ledger.Entry(
                Kind.DENIED,
                actor,
                source=row["source"] if row else None,
                thread_id=row["thread_id"] if row else None,
                review_id=row["id"] if row else None,
                tool=row["tool"] if row else None,
                outcome="refused",
                more=more,
            ),
        )
    deps.changes.publish(Change("audit"))
