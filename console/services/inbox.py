"""The review queue and single reviews."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from console.domain.access import Actor, Permission, require
from console.domain.errors import Invalid, Problem
from console.domain.review import Status
from console.domain.text import findable
from console.services import masks, records
from console.services.deps import Deps, visible_sources
from console.services.door import review_row
from console.services.paging import COUNT_CAP, PAGE, bounded, from_cursor, to_cursor
from console.services.views import Page, QueueRow, ReviewView
from console.store import claims, reviews, threads
from console.store import queue as pages
from console.store.engine import Connection, RowMapping, read

ID, RANK, OPENED_AT = (
    next(at for at, column in enumerate(pages.COLUMNS) if column.name == name)
    for name in ("id", "queue_rank", "opened_at")
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def queue(
    deps: Deps,
    actor: Actor,
    *,
    status: str | None = None,
    source: str | None = None,
    thread: str | None = None,
    tool: str | None = None,
    limit: int = PAGE,
    cursor: str | None = None,
) -> Page[QueueRow]:
    """A page of reviews; without `status` what needs a person, alarms first, then the longest waiting."""
    require(actor, Permission.VIEW)
    if status is not None and status not in list(Status):
        raise Invalid([Problem(f"status is one of {', '.join(Status)}", pointer="/status")])
    if not findable(source, thread, tool):
        return Page([], None, 0, total_capped=False)
    wanted = pages.Wanted(status, source, thread, tool)
    after = _after(cursor) if cursor else None
    limit = bounded(limit)
    visible = visible_sources(deps, actor)
    with read(deps.engine) as connection:
        rows, total = pages.page(connection, wanted, visible, limit + 1, after, COUNT_CAP)
        items = _shown(deps, connection, [records.queue_row(row) for row in rows[:limit]])
    return Page(
        items=items,
        next_cursor=_cursor(rows[limit - 1]) if len(rows) > limit else None,
        total=min(total, COUNT_CAP),
        total_capped=total > COUNT_CAP,
    )


def _shown(deps: Deps, connection: Connection, items: list[QueueRow]) -> list[QueueRow]:
    masking = masks.of(deps)
    if masking is None:
        return items
    found = reviews.actions_with_ids(connection, [each.id for each in items])
    first = {key: actions[0].args_text for key, actions in found.items() if actions}
    # The number that tells a row apart may be one of those that are masked.
    texts = {key: masks.text(masking, args_text)[0] for key, args_text in first.items()}
    return [
        replace(each, headline=records.headline(texts.get(each.id, ""))) if each.headline else each
        for each in items
    ]


def _cursor(row: pages.Row) -> str:
    # Microseconds as an integer: a float would skip or repeat rows of the same instant.
    at = (pages.moment(row[OPENED_AT]) - _EPOCH) // timedelta(microseconds=1)
    return to_cursor(row[RANK] or 0, at, row[ID])


def _after(cursor: str) -> tuple[int, datetime, str]:
    rank, at, review_id = from_cursor(cursor, int, int, str)
    if not 0 <= at < 1 << 58:
        at = 0
    return rank, _EPOCH + timedelta(microseconds=at), review_id


def review(deps: Deps, actor: Actor, review_id: str) -> ReviewView:
    """One review in full: every action, what may be decided, and what was."""
    found, masking = whole(deps, actor, review_id), masks.of(deps)
    return masks.review(masking, found) if masking else found


def whole(deps: Deps, actor: Actor, review_id: str) -> ReviewView:
    """The same with what is masked, for whoever records that it is shown."""
    require(actor, Permission.VIEW)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
        group = reviews.of_group(connection, row["group_key"])
        return _views(connection, actor, [row], group)[0]


def thread_reviews(deps: Deps, actor: Actor, source: str, thread_id: str) -> list[ReviewView]:
    """The reviews of the thread's newest pause, in task order; empty when it never paused."""
    require(actor, Permission.VIEW)
    if source not in visible_sources(deps, actor) or not findable(thread_id):
        return []
    with read(deps.engine) as connection:
        group = reviews.latest_group(connection, source, thread_id)
        found, masking = _views(connection, actor, group, group), masks.of(deps)
    return [masks.review(masking, each) for each in found] if masking else found


def _views(
    connection: Connection, actor: Actor, rows: list[RowMapping], group: list[RowMapping]
) -> list[ReviewView]:
    """Reviews of one pause, `group` being all of it."""
    if not rows:
        return []
    thread = threads.get(connection, rows[0]["source"], rows[0]["thread_id"])
    held = claims.of_reviews(connection, [row["id"] for row in rows])
    decided = reviews.decisions(connection, [row["decision_id"] for row in rows if row["decision_id"]])
    status = thread["status"] if thread else ""
    return [
        records.review_view(row, group, decided.get(row["decision_id"]), actor, status, held.get(row["id"]))
        for row in rows
    ]
