"""Pages of the queue, by one statement each: the rows, who has them, how their thread stands, and the total.

This is the list that every open page reads at every change. So a statement is made once for each combination
of filters, its text is handed straight to the driver, and a row is a tuple of columns: neither objects of the
tables nor a second look at anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    tuple_,
)

from console.store.prepared import Prepared
from console.store.tables import Claim, Review, Thread

REVIEW, CLAIM, THREAD = Review.__table__, Claim.__table__, Thread.__table__  # type: ignore[attr-defined]
# In the order in which `services.records.queue_row` takes them apart; the total follows them in each row.
COLUMNS = (
    *(
        REVIEW.c[name]
        for name in (
            "id", "version", "kind", "status", "source", "thread_id", "tool", "tools", "action_count",
            "headline", "subject", "queue_rank", "opened_at", "group_size", "decided_by", "decided_at",
        )
    ),
    CLAIM.c.actor_name.label("claimed_by"),
    CLAIM.c.at.label("claimed_at"),
    THREAD.c.status.label("thread_status"),
)  # fmt: skip
Row = Sequence[Any]
Place = tuple[int, datetime, str]


@dataclass(frozen=True)
class Wanted:
    """Without a status: whatever needs a person."""

    status: str | None = None
    source: str | None = None
    thread_id: str | None = None
    tool: str | None = None


@dataclass(frozen=True)
class Shape:
    """What a statement depends on; everything else is a parameter."""

    by_status: bool
    filters: tuple[str, ...]
    sources: int
    behind: bool


def page(
    connection: Connection, wanted: Wanted, sources: Sequence[str], limit: int, after: Place | None, cap: int
) -> tuple[Sequence[Row], int]:
    """Rows behind `after` (queue_rank, opened_at, id), and how many match in all, counted to `cap` + 1.

    No row is skipped or shown twice when others leave. Times are as the driver has them: see `moment`.
    """
    if not sources:
        return [], 0
    named = {"source": wanted.source, "thread_id": wanted.thread_id, "tool": wanted.tool}
    given = {name: value for name, value in named.items() if value is not None}
    shape = Shape(wanted.status is not None, tuple(given), len(sources), after is not None)
    values: dict[str, Any] = {"limit": limit, "cap": cap + 1, "status": wanted.status}
    values.update({f"source_{at}": name for at, name in enumerate(sources)})
    if after is not None:
        values.update(rank=after[0], at=after[1], id=after[2])
    values.update(given, tool=f"\n{wanted.tool}\n")
    rows = _prepared(shape).stored(connection, values)
    if rows or after is None:
        return rows, rows[0][-1] if rows else 0
    return [], page(connection, wanted, sources, 1, None, cap)[1]


def moment(stored: datetime | str) -> datetime:
    """SQLite keeps a time as text in UTC, and its driver hands that on."""
    return stored if isinstance(stored, datetime) else datetime.fromisoformat(stored + "+00:00")


@lru_cache(maxsize=256)
def _prepared(shape: Shape) -> Prepared:
    matching = _matching(shape)
    counted: Select[Any] = select(literal_column("1")).select_from(REVIEW).where(matching)
    total = select(func.count()).select_from(counted.limit(bindparam("cap")).subquery()).scalar_subquery()
    order: list[Any] = [REVIEW.c.opened_at, REVIEW.c.id]
    bound: list[Any] = [bindparam("at", type_=REVIEW.c.opened_at.type), bindparam("id")]
    if not shape.by_status:
        order, bound = [REVIEW.c.queue_rank, *order], [bindparam("rank"), *bound]
    joined = REVIEW.outerjoin(CLAIM, CLAIM.c.review_id == REVIEW.c.id).outerjoin(
        THREAD, and_(THREAD.c.source == REVIEW.c.source, THREAD.c.thread_id == REVIEW.c.thread_id)
    )
    query = select(*COLUMNS, total.label("total")).select_from(joined).where(matching)
    if shape.behind:
        query = query.where(tuple_(*order) > tuple_(*bound))
    return Prepared(query.order_by(*order).limit(bindparam("limit")))


def _matching(shape: Shape) -> ColumnElement[bool]:
    seen = REVIEW.c.source.in_([bindparam(f"source_{at}") for at in range(shape.sources)])
    waiting = REVIEW.c.status == bindparam("status") if shape.by_status else REVIEW.c.queue_rank.is_not(None)
    filters = {
        "source": REVIEW.c.source == bindparam("source"),
        "thread_id": REVIEW.c.thread_id == bindparam("thread_id"),
        "tool": func.instr(REVIEW.c.tools, bindparam("tool")) > 0,
    }
    return and_(seen, waiting, *(filters[name] for name in shape.filters))
