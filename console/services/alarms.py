"""Taking the alarm of a mismatch off the queue: by an admin, with a reason, and for good on record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict
from console.domain.ledger import Kind as Event
from console.domain.review import Status
from console.services.changes import Change
from console.services.deps import Deps
from console.services.door import review_row
from console.services.inbox import review as review_of
from console.services.resolve import MAX_REASON, check_text
from console.services.views import ReviewView
from console.store import ledger, reviews
from console.store.engine import read, write


def close_mismatch(deps: Deps, actor: Actor, review_id: str, reason: Any) -> ReviewView:
    """The review stays a mismatch: what ran is not undone by having been seen."""
    require(actor, Permission.ADMINISTER)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    check_text(reason, "/reason", MAX_REASON, needed=True)
    if row["status"] != Status.MISMATCH:
        raise Conflict(f"Only a mismatch is closed so. This review is {row['status']}.", kind="no-alarm")
    with write(deps.engine) as connection:
        if not reviews.close_alarm(connection, review_id, actor.name, datetime.now(UTC)):
            raise Conflict("This alarm is closed already. Nothing was recorded.", kind="closed", stale=True)
        entry = ledger.Entry(
            Event.MISMATCH_CLOSED,
            actor,
            source=row["source"],
            thread_id=row["thread_id"],
            review_id=review_id,
            tool=row["tool"] or None,
            outcome="alarm closed",
            more={"reason": reason},
        )
        ledger.append(connection, entry)
    where = {"source": row["source"], "thread_id": row["thread_id"]}
    deps.changes.publish(Change("queue"), Change("review", **where), Change("audit"))
    return review_of(deps, actor, review_id)
