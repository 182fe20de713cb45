"""Reading the ledger, within what the reader's role may see, and recording refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from console.domain.access import Actor, Permission, allows, require
from console.domain.errors import NotFound
from console.domain.ledger import Kind
from console.services import head_files, masks
from console.services.address import short
from console.services.audit_filter import Asked, filter_of, scope
from console.services.audit_views import AuditChoices, AuditEntry, HeadView
from console.services.audit_words import in_words
from console.services.changes import Change
from console.services.deps import Deps
from console.services.paging import COUNT_CAP, PAGE, bounded, from_cursor, thread_ref, to_cursor
from console.services.story import sides_of
from console.services.views import AuditAction, AuditRow, Page
from console.store import ledger, ledger_search, reviews
from console.store.engine import Connection, RowMapping, read, write
from console.store.ledger_search import Filter

PATIENCE_MS = 2_000
TIMELINE, MOST_CHOICES, OWN_NEWEST = 200, 50, 1_000


def log(
    deps: Deps,
    actor: Actor,
    *,
    q: str | None = None,
    kind: str | None = None,
    actor_name: str | None = None,
    tool: str | None = None,
    thread: str | None = None,
    review: str | None = None,
    verdict: str | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = PAGE,
    cursor: str | None = None,
) -> Page[AuditRow]:
    """Entries, newest first. Supervisors see their own acts and the outcomes of their own decisions.

    What `q` finds stands in audit_filter. `since` (included) and `until` (not) are aware times.
    """
    require(actor, Permission.AUDIT_OWN)
    asked = Asked(q, kind, actor_name, tool, thread, review, verdict, outcome, since, until)
    before = from_cursor(cursor, int)[0] if cursor else None
    if not asked.is_findable:
        return Page([], None, 0, total_capped=False)
    visible, limit = scope(deps, actor), bounded(limit)
    with read(deps.engine) as connection:
        wanted = filter_of(connection, actor, asked)
        found = ledger_search.seqs(connection, wanted, visible, COUNT_CAP + 1, None)
        total = len(found)
        if before is not None:
            found = ledger_search.seqs(connection, wanted, visible, limit + 1, before)
        items = _rows(connection, ledger_search.rows_of(connection, found[:limit]))
    if masking := masks.of(deps):
        items = [masks.audit_row(masking, each) for each in items]
    return Page(
        items=items,
        next_cursor=to_cursor(items[-1].seq) if len(found) > limit else None,
        total=min(total, COUNT_CAP),
        total_capped=total > COUNT_CAP,
    )


def entry(deps: Deps, actor: Actor, seq: int) -> AuditEntry:
    """One entry in full with the story it belongs to; `NotFound` alike for none and for one not visible."""
    whole, masking = whole_entry(deps, actor, seq), masks.of(deps)
    return masks.audit_entry(masking, whole) if masking else whole


def whole_entry(deps: Deps, actor: Actor, seq: int) -> AuditEntry:
    """The same with what is masked, for whoever records that it is shown."""
    require(actor, Permission.AUDIT_OWN)
    own = None if allows(actor.role, Permission.AUDIT_ALL) else actor.id
    visible = scope(deps, actor)
    with read(deps.engine) as connection:
        number = seq if 0 < seq < 2**63 else 0
        found = ledger_search.page(connection, Filter(seq=number, own_of=own), visible, 1)
        if not found:
            raise NotFound("There is no such entry.")
        row = _rows(connection, found)[0]
        story = _story(connection, row, own, visible)
        review = reviews.get(connection, row.review_id) if row.review_id else None
    commit = row.body.get("payload_commit")
    return AuditEntry(
        row=row,
        timeline=story[-TIMELINE:],
        timeline_capped=len(story) > TIMELINE,
        **sides_of(row, story, review),
        erasable=commit is not None and found[0]["bytes_text"] is not None,
        erased=commit is not None and found[0]["bytes_text"] is None,
    )


def _story(
    connection: Connection, row: AuditRow, own: str | None, visible: Sequence[str] | None
) -> list[AuditRow]:
    """Oldest first; one more than is shown when there are more."""
    if not (row.review_id or row.thread_id):
        return [row]
    about = Filter(review_id=row.review_id, own_of=own)
    if not row.review_id:
        about = Filter(thread_id=row.thread_id, own_of=own)
    found = _rows(connection, ledger_search.page(connection, about, visible, TIMELINE + 1))
    return list(reversed(found))


def choices(deps: Deps, actor: Actor) -> AuditChoices:
    """What the filter menus offer; supervisors get what stands in the newest of their own entries."""
    require(actor, Permission.AUDIT_OWN)
    names = ("kind", "actor_name", "tool", "outcome", "verdict")
    visible = scope(deps, actor)
    with read(deps.engine) as connection:
        if allows(actor.role, Permission.AUDIT_ALL):
            found = [ledger_search.values(connection, name, visible, MOST_CHOICES) for name in names]
        else:
            own = Filter(own_of=actor.id)
            found = [
                ledger_search.values_among(connection, name, own, visible, OWN_NEWEST)[:MOST_CHOICES]
                for name in names
            ]
    return AuditChoices(*found)


def head(deps: Deps, actor: Actor) -> HeadView | None:
    """The newest signed head; None when nothing is signed yet."""
    require(actor, Permission.AUDIT_OWN)
    newest = head_files.newest(deps.settings)
    if newest is None:
        return None
    with read(deps.engine) as connection:
        size = ledger.size(connection)
    return head_files.view(deps.settings, newest, size)


def _rows(connection: Connection, rows: Sequence[RowMapping]) -> list[AuditRow]:
    outcomes = _outcomes(connection, rows)
    return [_row(row, outcomes) for row in rows]


def _outcomes(connection: Connection, rows: Sequence[RowMapping]) -> dict[str, tuple[str, list[str]]]:
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


def refused(
    deps: Deps,
    actor: Actor | None,
    permission: str,
    what: str,
    address: str = "",
    review_id: str | None = None,
    left_out: int | None = None,
) -> None:
    """Record that somebody was refused. Nobody's attempts are counted by the caller: `left_out` of them.

    Anyone may be refused as often as they like: a refusal does not wait long for other writers, and raises
    `Unavailable` then. It stands all the same.
    """
    if actor is None:
        return
    more: dict[str, Any] = {"permission": permission, "what": what[:200]}
    if address:
        more["address"] = short(address)
    if left_out is not None:
        more["left_out"] = left_out
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
