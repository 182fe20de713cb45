"""Reviews: opening, paging, and the compare-and-set that lets exactly one verdict win."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, false, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from console.domain.review import QUEUE_RANK, UNDECIDED, Action, Pause, Pending, Status, digest
from console.store import drafts
from console.store.prepared import Prepared, inserting
from console.store.tables import Decision, IdempotentAnswer, Review

REVIEW, DECISION, ANSWER = Review.__table__, Decision.__table__, IdempotentAnswer.__table__  # type: ignore[attr-defined]

_OF_GROUP = Prepared(
    select(REVIEW).where(REVIEW.c.group_key == bindparam("group_key")).order_by(REVIEW.c.task_order)
)
_UNDECIDED = Prepared(
    select(REVIEW).where(
        REVIEW.c.thread_id == bindparam("thread_id"),
        REVIEW.c.source == bindparam("source"),
        or_(*(REVIEW.c.status == status.value for status in sorted(UNDECIDED))),
    )
)
_DECISION = Prepared(select(DECISION).where(DECISION.c.id == bindparam("its_id")))
_GET = Prepared(select(REVIEW).where(REVIEW.c.id == bindparam("its_id")))
_TAKE = Prepared(
    update(REVIEW)
    .where(
        REVIEW.c.id == bindparam("its_id"),
        REVIEW.c.status == Status.OPEN.value,
        REVIEW.c.version == bindparam("seen_version"),
        REVIEW.c.digest == bindparam("seen_digest"),
    )
    .values(
        status=Status.DECIDED.value,
        queue_rank=None,
        version=REVIEW.c.version + 1,
        decision_id=bindparam("new_decision_id"),
        decided_by=bindparam("new_decided_by"),
        decided_at=bindparam("new_decided_at"),
    )
)
_WAITING = Prepared(
    select(func.count())
    .select_from(REVIEW)
    .where(
        REVIEW.c.group_key == bindparam("group_key"),
        or_(*(REVIEW.c.status == status.value for status in sorted(UNDECIDED))),
    )
)
_ADD_DECISION, _KEEP_ANSWER = inserting(DECISION), inserting(ANSWER)
_FIRST_ANSWER = Prepared(
    select(ANSWER).where(ANSWER.c.actor_id == bindparam("actor"), ANSWER.c.key == bindparam("its_key"))
)


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
    return _GET.mapping(connection, {"its_id": review_id})


def with_ids(connection: Connection, ids: Sequence[str]) -> list[RowMapping]:
    """Decision and outcome of each."""
    columns = (REVIEW.c.id, REVIEW.c.decision_id, REVIEW.c.outcome, REVIEW.c.outcomes_text)
    return list(connection.execute(select(*columns).where(REVIEW.c.id.in_(ids))).mappings())


def actions_with_ids(connection: Connection, ids: Sequence[str]) -> dict[str, list[Action]]:
    """Review id -> its actions."""
    query = select(REVIEW.c.id, REVIEW.c.items_text).where(REVIEW.c.id.in_(ids))
    return {row["id"]: actions_of(row) for row in connection.execute(query).mappings()}


def of_group(connection: Connection, group_key: str) -> list[RowMapping]:
    return _OF_GROUP.mappings(connection, {"group_key": group_key})


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
    was = {f"was_{at}": each.value for at, each in enumerate(come_from)}
    new = {"new_status": to.value, "new_queue_rank": QUEUE_RANK.get(to), **_named("new", values)}
    moved = _move(len(was), tuple(values)).change(connection, {"its_id": review_id, **was, **new}) == 1
    if moved and to not in UNDECIDED and not UNDECIDED.isdisjoint(come_from):
        drafts.drop_all(connection, review_id)
    return moved


@lru_cache(maxsize=64)
def _move(statuses: int, columns: tuple[str, ...]) -> Prepared:
    """By how many statuses it may come from, and what else is set."""
    set_to: dict[str, Any] = {name: bindparam(f"new_{name}") for name in ("status", "queue_rank", *columns)}
    was = or_(false(), *(REVIEW.c.status == bindparam(f"was_{at}") for at in range(statuses)))
    return Prepared(
        update(REVIEW)
        .where(REVIEW.c.id == bindparam("its_id"), was)
        .values(**set_to, version=REVIEW.c.version + 1)
    )


def _named(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}_{name}": value for name, value in values.items()}


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


def take(
    connection: Connection,
    review_id: str,
    version: int,
    seen: str,
    decided_by: str,
    decided_at: datetime | None = None,
    decision_id: str | None = None,
) -> bool:
    """The compare-and-set of a verdict: open, of the version and digest that were seen; else False."""
    which = {"its_id": review_id, "seen_version": version, "seen_digest": seen}
    new = {"decided_by": decided_by, "decided_at": decided_at, "decision_id": decision_id}
    taken = _TAKE.change(connection, {**which, **_named("new", new)}) == 1
    if taken:
        drafts.drop_all(connection, review_id)
    return taken


def undecided_in_group(connection: Connection, group_key: str) -> int:
    return int(_WAITING.value(connection, {"group_key": group_key}))


def undecided_of_thread(connection: Connection, source: str, thread_id: str) -> list[RowMapping]:
    """Also those whose thread moved on; the caller compares them with the pause."""
    return _UNDECIDED.mappings(connection, {"thread_id": thread_id, "source": source})


def add_decision(connection: Connection, **values: Any) -> None:
    _ADD_DECISION.change(connection, values)


def decision(connection: Connection, decision_id: str) -> RowMapping | None:
    return _DECISION.mapping(connection, {"its_id": decision_id})


def decisions(connection: Connection, ids: Sequence[str]) -> dict[str, RowMapping]:
    found = (_DECISION.mapping(connection, {"its_id": each}) for each in ids)
    return {row["id"]: row for row in found if row is not None}


def first_answer(connection: Connection, actor_id: str, key: str) -> RowMapping | None:
    return _FIRST_ANSWER.mapping(connection, {"actor": actor_id, "its_key": key})


def keep_answer(connection: Connection, **values: Any) -> None:
    _KEEP_ANSWER.change(connection, values)
