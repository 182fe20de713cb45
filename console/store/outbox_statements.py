"""What every run says to the outbox, to the lease of its thread and to its journal, each made once."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy import ColumnElement, Integer, and_, bindparam, exists, func, insert, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from console.store.prepared import Prepared
from console.store.tables import Outbox, RunLease, ToolRun

OUTBOX, LEASE, TOOL_RUN = Outbox.__table__, RunLease.__table__, ToolRun.__table__  # type: ignore[attr-defined]
OPEN_STATES = ("ready", "taken", "dispatched")


# --- rows


@lru_cache(maxsize=64)
def due(dead: int, sources: int | None) -> Prepared:
    """By how many owners are dead, and how many sources are asked for; None: all of them."""
    now = bindparam("now", type_=OUTBOX.c.not_before.type)
    gone = [LEASE.c.owner == bindparam(f"dead_{at}") for at in range(dead)]
    free = or_(LEASE.c.owner.is_(None), LEASE.c.until < now, *gone)
    turn = func.row_number().over(partition_by=OUTBOX.c.source, order_by=(OUTBOX.c.attempts, OUTBOX.c.id))
    query = (
        select(OUTBOX, LEASE.c.owner, LEASE.c.until, LEASE.c.fence)
        .outerjoin(LEASE, and_(LEASE.c.source == OUTBOX.c.source, LEASE.c.thread_id == OUTBOX.c.thread_id))
        .where(_is_open(), OUTBOX.c.not_before <= now, free)
        .order_by(turn, OUTBOX.c.id)
        .limit(bindparam("at_most", type_=Integer))
    )
    if sources is not None:
        query = query.where(or_(*(OUTBOX.c.source == bindparam(f"source_{at}") for at in range(sources))))
    return Prepared(query)


def _is_open() -> ColumnElement[bool]:
    return or_(*(OUTBOX.c.state == state for state in OPEN_STATES))


_ROW = OUTBOX.c.id == bindparam("its_id")
_ASKED = upsert(OUTBOX)
PUT_RESUME = Prepared(
    _ASKED.on_conflict_do_update(
        index_elements=[OUTBOX.c.group_key],
        set_={name: _ASKED.excluded[name] for name in ("state", "not_before", "attempts")},
    ),
    [column.name for column in OUTBOX.columns if column.name != "id"],
)
TAKE_ROW = Prepared(
    update(OUTBOX).where(_ROW, OUTBOX.c.state == bindparam("found_as")).values(state=bindparam("new_state"))
)
SET_STATE = Prepared(update(OUTBOX).where(_ROW).values(state=bindparam("new_state")))
END_ROW = Prepared(
    update(OUTBOX).where(_ROW).values(state=bindparam("new_state"), error=bindparam("new_error"))
)


# --- the lease

KEY = ("source", "thread_id", "owner", "fence")
_THREAD = and_(*(LEASE.c[name] == bindparam(f"its_{name}") for name in KEY[:2]))
_ITS = and_(*(LEASE.c[name] == bindparam(f"its_{name}") for name in KEY))
MAKE_LEASE = Prepared(
    upsert(LEASE).on_conflict_do_nothing(), ["source", "thread_id", "owner", "fence", "until"]
)
HOLDS = Prepared(select(LEASE.c.fence).where(_ITS))
RENEW = Prepared(update(LEASE).where(_ITS).values(until=bindparam("new_until")))
RELEASE = Prepared(update(LEASE).where(_ITS).values(owner=None, until=bindparam("new_until")))
OWNERS = Prepared(select(LEASE.c.owner).where(LEASE.c.owner.is_not(None)).distinct())


@lru_cache(maxsize=16)
def take_lease(dead: int) -> Prepared:
    """Answers with the new fence, or with nothing when a live owner has it."""
    gone = [LEASE.c.owner == bindparam(f"dead_{at}") for at in range(dead)]
    free = or_(LEASE.c.owner.is_(None), LEASE.c.until < bindparam("now", type_=LEASE.c.until.type), *gone)
    return Prepared(
        update(LEASE)
        .where(_THREAD, free)
        .values(
            owner=bindparam("new_owner"),
            fence=LEASE.c.fence + 1,
            until=bindparam("new_until"),
            outbox_id=bindparam("new_outbox_id"),
        )
        .returning(LEASE.c.fence)
    )


# --- the journal

_STARTED = (
    "source", "thread_id", "tool_call_id", "name", "args_text", "decision_id", "fence", "owner",
    "started_at", "error",
)  # fmt: skip
_RUNNING = exists().where(
    TOOL_RUN.c.source == bindparam("its_source"),
    TOOL_RUN.c.thread_id == bindparam("its_thread_id"),
    TOOL_RUN.c.tool_call_id == bindparam("new_tool_call_id"),
    TOOL_RUN.c.ended_at.is_(None),
)
# Answers with the new id, or with nothing when the lease is lost or the same call is open already.
START = Prepared(
    insert(TOOL_RUN)
    .from_select(
        list(_STARTED),
        select(*(bindparam(f"new_{name}", type_=TOOL_RUN.c[name].type) for name in _STARTED)).where(
            exists().where(_ITS), ~_RUNNING
        ),
    )
    .returning(TOOL_RUN.c.id)
)
END = Prepared(
    update(TOOL_RUN)
    .where(TOOL_RUN.c.id == bindparam("its_id"), TOOL_RUN.c.ended_at.is_(None))
    .values(ended_at=bindparam("new_ended_at"), ended=bindparam("new_ended"), error=bindparam("new_error"))
)
JOURNAL = Prepared(
    select(TOOL_RUN)
    .where(TOOL_RUN.c.thread_id == bindparam("thread_id"), TOOL_RUN.c.source == bindparam("source"))
    .order_by(TOOL_RUN.c.id)
)
