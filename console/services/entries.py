"""What the worker and the sweep write into the ledger about a review."""

from __future__ import annotations

from typing import Any

from console.domain.access import Actor, Role
from console.domain.ledger import Kind as Event
from console.store import ledger
from console.store.engine import RowMapping

WORKER = Actor(id="worker", name="worker", role=Role.NONE, via="worker")


def entry_of(event: Event, row: RowMapping, decided_by_id: str | None = None, **rest: Any) -> ledger.Entry:
    """`rest` are the entry's further fields."""
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
