"""Reviews: opening, paging, and the compare-and-set that lets exactly one verdict win."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from console.domain.review import QUEUE_RANK, UNDECIDED, Action, Pause, Pending, Status, digest
from console.store import drafts
from console.store.tables import Decision, IdempotentAnswer, Review

REVIEW, DECISION, ANSWER = Review.__table__, Decision.__table__, IdempotentAnswer.__table__  # type: ignore[attr-defined]


def open_pause(connection: Connection, pause: Pause, headlines: Sequence[str]) -> list[str]:
    """Insert a row per interrupt that has none yet; return the ids of the new rows."""
    new = []
    for order, pending in enumerate(pause.pending):
        try:
            with connection.begin_nested():
                review_id = uuid.uuid4().hex
                connection.execute(
                    insert(REVIEW).values(row_of(review_id, pause, pending, order, headlines[order]))
                )
                new.append(review_id)
        except IntegrityError:
            continue  # the same interrupt was found before, by the sweep or by another process
    return new


def row_of(review_id: str, pause: Pause, pending: Pending, order: int, headline: str) -> dict[str, Any]:
    names = [action.name for action in pending.actions]
    return {
        "id": review_id,
        "source": pause.source,
        "thread_id": pause.thread_id,
        "ns": pause.ns,
        "checkpoint_id": pause.checkpoint_id,
        "interrupt_id": pending.interrupt_id,
        "group_key": pause.group_key(),
        "group_size": len(pause.pending),
        "task_order": order,
        "kind": pending.kind.value,
        "status": Status.OPEN.value,
        "version": 1,
        "digest": digest(pause, pending),
        "items_text": json.dumps([asdict(action) for action in pending.actions]),
        "value_text": pending.value_text,
        "answer_schema_text": pending.answer_schema_text,
        "agent_text": pause.agent_text,
        "note": pending.note,
        "tool": names[0] if names else "",
        "tools": "\n".join(["", *names, ""]),
        "action_count": len(names),
        "headline": headline,
        "subject": pause.subject,
        "queue_rank": QUEUE_RANK[Status.OPEN],
        "opened_at": datetime.now(UTC),
        "outcome": "",
        "outcomes_text": "",
    }


_SHOWN = (
    "kind", "digest", "items_text", "value_text", "answer_schema_text", "agent_text", "note", "tool", "tools",
    "action_count", "headline",
)  # fmt: skip


def reopen(connection: Connection, row: RowMapping, pause: Pause, pending: Pending, headline: str) -> bool:
    """Open the review in its next version, showing what is pending now; False when someone moved it first."""
    now = row_of(row["id"], pause, pending, row["task_order"], headline)
    done = connection.execute(
        update(REVIEW)
        .where(REVIEW.c.id == row["id"], REVIEW.c.status == row["status"], REVIEW.c.version == row["version"])
        .values(
            **{name: now[name] for name in _SHOWN},
            status=Status.OPEN.value,
            queue_rank=QUEUE_RANK[Status.OPEN],
            version=row["version"] + 1,
            decision_id=None,
            decided_by=None,
            decided_at=None,
        )
    )
    return done.rowcount == 1


def actions_of(row: RowMapping) -> list[Action]:
    return [
        Action(**{**item, "allowed_decisions": tuple(item["allowed_decisions"])})
        for item in json.loads(row["items_text"])
    ]


def get(connection: Connection, review_id: str) -> RowMapping | None:
    return connection.execute(select(REVIEW).where(REVIEW.c.id == review_id)).mappings().first()


def with_ids(connection: Connection, ids: Sequence[str]) -> list[RowMapping]:
    """Decision and outcome of each."""
    columns = (REVIEW.c.id, REVIEW.c.decision_id, REVIEW.c.outcome, REVIEW.c.outcomes_text)
    return list(connection.execute(select(*columns).where(REVIEW.c.id.in_(ids))).mappings())


def of_group(connection: Connection, group_key: str) -> list[RowMapping]:
    query = select(REVIEW).where(REVIEW.c.group_key == group_key).order_by(REVIEW.c.task_order)
    return list(connection.execute(query).mappings())


def latest_group(connection: Connection, source: str, thread_id: str) -> list[RowMapping]:
    """The reviews of the thread's newest pause."""
    newest = (
        select(REVIEW.c.group_key)
        .where(REVIEW.c.thread_id == thread_id, REVIEW.c.source == source)
        .order_by(REVIEW.c.opened_at.desc(), REVIEW.c.id.desc())
        .limit(1)
    )
    key = connection.execute(newest).scalar_one_or_none()
    return of_group(connection, key) if key else []


def of_thread(connection: Connection, source: str, thread_id: str, limit: int = 200) -> list[RowMapping]:
    """Newest first."""
    query = (
        select(REVIEW)
        .where(REVIEW.c.thread_id == thread_id, REVIEW.c.source == source)
        .order_by(REVIEW.c.opened_at.desc())
        .limit(limit)
    )
    return list(connection.execute(query).mappings())


def move(
    connection: Connection, review_id: str, come_from: Sequence[Status], to: Status, **values: Any
) -> bool:
    """Change the status if it is still one of `come_from`; False when someone else moved it first."""
    done = connection.execute(
        update(REVIEW)
        .where(REVIEW.c.id == review_id, REVIEW.c.status.in_([each.value for each in come_from]))
        .values(status=to.value, queue_rank=QUEUE_RANK.get(to), version=REVIEW.c.version + 1, **values)
    )
    moved = done.rowcount == 1
    if moved and to not in UNDECIDED and not UNDECIDED.isdisjoint(come_from):
        drafts.drop_all(connection, review_id)
    return moved


def close_alarm(connection: Connection, review_id: str, closed_by: str, at: datetime) -> bool:
    """Take a mismatch off the queue; False when someone else did so first."""
    done = connection.execute(
        update(REVIEW)
        .where(
            REVIEW.c.id == review_id, REVIEW.c.status == Status.MISMATCH.value, REVIEW.c.closed_at.is_(None)
        )
        .values(closed_by=closed_by, closed_at=at, queue_rank=None)
    )
    return done.rowcount == 1


def take(connection: Connection, review_id: str, version: int, seen: str, **values: Any) -> bool:
    """The compare-and-set of a verdict: open, of the version and digest that were seen; else False."""
    done = connection.execute(
        update(REVIEW)
        .where(
            REVIEW.c.id == review_id,
            REVIEW.c.status == Status.OPEN.value,
            REVIEW.c.version == version,
            REVIEW.c.digest == seen,
        )
        .values(status=Status.DECIDED.value, queue_rank=None, version=version + 1, **values)
    )
    if done.rowcount == 1:
        drafts.drop_all(connection, review_id)
    return done.rowcount == 1


def undecided_in_group(connection: Connection, group_key: str) -> int:
    statuses = [status.value for status in UNDECIDED]
    query = select(func.count()).where(REVIEW.c.group_key == group_key, REVIEW.c.status.in_(statuses))
    return int(connection.execute(query).scalar_one())


def undecided_of_thread(connection: Connection, source: str, thread_id: str) -> list[RowMapping]:
    """Also those whose thread moved on; the caller compares them with the pause."""
    statuses = [status.value for status in UNDECIDED]
    query = select(REVIEW).where(
        REVIEW.c.thread_id == thread_id, REVIEW.c.source == source, REVIEW.c.status.in_(statuses)
    )
    return list(connection.execute(query).mappings())


def add_decision(connection: Connection, **values: Any) -> None:
    connection.execute(insert(DECISION).values(**values))


def decision(connection: Connection, decision_id: str) -> RowMapping | None:
    return connection.execute(select(DECISION).where(DECISION.c.id == decision_id)).mappings().first()


def decisions(connection: Connection, ids: Sequence[str]) -> dict[str, RowMapping]:
    query = select(DECISION).where(DECISION.c.id.in_(ids))
    return {row["id"]: row for row in connection.execute(query).mappings()}


def first_answer(connection: Connection, actor_id: str, key: str) -> RowMapping | None:
    query = select(ANSWER).where(ANSWER.c.actor_id == actor_id, ANSWER.c.key == key)
    return connection.execute(query).mappings().first()


def keep_answer(connection: Connection, **values: Any) -> None:
    connection.execute(insert(ANSWER).values(**values))
