"""Showing what is masked: to those who may, and never without an entry that says so."""

from __future__ import annotations

from collections.abc import Sequence

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict
from console.domain.ledger import Kind
from console.services import audit, inbox, masks
from console.services.audit_views import AuditEntry
from console.services.changes import Change
from console.services.deps import Deps
from console.services.views import ReviewView
from console.store import ledger
from console.store.engine import write

MOST = 500


def review(deps: Deps, actor: Actor, review_id: str) -> ReviewView:
    """The review whole, after that was recorded; `Conflict` when nothing of it is hidden from the actor."""
    require(actor, Permission.UNMASK)
    whole, shown = inbox.whole(deps, actor, review_id), inbox.review(deps, actor, review_id)
    found = [*shown.masked, *(pointer for each in shown.actions for pointer in each.masked)]
    entry = ledger.Entry(
        Kind.UNMASKED,
        actor,
        source=whole.source,
        thread_id=whole.thread_id,
        review_id=whole.id,
        tool=(whole.actions[0].name if whole.actions else "") or None,
        more={"version": whole.version, "pointers": _listed(found)},
    )
    _record(deps, entry, found)
    return whole


def entry(deps: Deps, actor: Actor, seq: int) -> AuditEntry:
    """An entry of the log whole, after that was recorded; `Conflict` when nothing of it is hidden."""
    require(actor, Permission.UNMASK)
    whole = audit.whole_entry(deps, actor, seq)
    masking = masks.of(deps)
    found = masks.pointers(masking, whole.sides) if masking else []
    row = whole.row
    entry = ledger.Entry(
        Kind.UNMASKED,
        actor,
        source=row.body.get("source"),
        thread_id=row.thread_id,
        review_id=row.review_id,
        tool=row.tool,
        more={"unmasked_seq": seq, "pointers": _listed(found)},
    )
    _record(deps, entry, found)
    return whole


def _record(deps: Deps, entry: ledger.Entry, found: Sequence[str]) -> None:
    if not found:
        raise Conflict("Nothing of this is hidden from you.", kind="nothing-hidden")
    with write(deps.engine) as connection:
        ledger.append(connection, entry)
    deps.changes.publish(Change("audit"))


def _listed(found: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(found))[:MOST]
