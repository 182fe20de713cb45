"""Work for the worker, the lease that lets one process do it, and the journal of tools it started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    and_,
    bindparam,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from console.store.tables import Outbox, RunLease, ToolRun

OUTBOX, LEASE, TOOL_RUN = Outbox.__table__, RunLease.__table__, ToolRun.__table__  # type: ignore[attr-defined]
OPEN_STATES = ("ready", "taken", "dispatched")


@dataclass(frozen=True)
class Lease:
    """The right to run one thread. Every write of the run names the fence: a late owner changes nothing."""

    source: str
    thread_id: str
    owner: str
    fence: int


def put(
    connection: Connection, kind: str, source: str, thread_id: str, payload_text: str, head: str = ""
) -> None:
    now = datetime.now(UTC)
    connection.execute(
        insert(OUTBOX).values(
            kind=kind,
            source=source,
            thread_id=thread_id,
            payload_text=payload_text,
            state="ready",
            attempts=0,
            not_before=now,
            created_at=now,
            head=head,
            error="",
        )
    )


def put_resume(
    connection: Connection, source: str, thread_id: str, group_key: str, head: str, ready: bool
) -> None:
    """One row per pause: it waits until the last review of the pause is decided."""
    now = datetime.now(UTC)
    state = "ready" if ready else "waiting"
    row = upsert(OUTBOX).values(
        kind="resume",
        source=source,
        thread_id=thread_id,
        group_key=group_key,
        payload_text="",
        state=state,
        attempts=0,
        not_before=now,
        created_at=now,
        head=head,
        error="",
    )
    connection.execute(
        row.on_conflict_do_update(
            index_elements=[OUTBOX.c.group_key], set_={"state": state, "not_before": now, "attempts": 0}
        )
    )


def due(
    connection: Connection,
    dead: Sequence[str] = (),
    sources: Sequence[str] | None = None,
    limit: int = 50,
) -> list[RowMapping]:
    """Rows one may try to take: ready ones, and begun ones whose lease has lapsed or whose owner is `dead`.

    Sources take turns, and in each those that failed least come first: neither a source whose threads
    cannot be read nor one that is not among `sources` any more keeps the others from being found.
    """
    now = datetime.now(UTC)
    free = or_(LEASE.c.owner.is_(None), LEASE.c.until < now, LEASE.c.owner.in_(dead))
    turn = func.row_number().over(partition_by=OUTBOX.c.source, order_by=(OUTBOX.c.attempts, OUTBOX.c.id))
    query = (
        select(OUTBOX, LEASE.c.owner, LEASE.c.until, LEASE.c.fence)
        .outerjoin(LEASE, and_(LEASE.c.source == OUTBOX.c.source, LEASE.c.thread_id == OUTBOX.c.thread_id))
        .where(OUTBOX.c.state.in_(OPEN_STATES), OUTBOX.c.not_before <= now, free)
        .order_by(turn, OUTBOX.c.id)
        .limit(limit)
    )
    if sources is not None:
        query = query.where(OUTBOX.c.source.in_(sources))
    return list(connection.execute(query).mappings())


def defer(connection: Connection, lease: Lease, outbox_id: int, seconds: float, error: str) -> None:
    """Count a failed attempt and give the row back: it is due again after so many seconds."""
    later = datetime.now(UTC) + timedelta(seconds=seconds)
    row = update(OUTBOX).where(OUTBOX.c.id == outbox_id)
    connection.execute(row.values(attempts=OUTBOX.c.attempts + 1, not_before=later, error=error))
    release(connection, lease)


def take(
    connection: Connection, row: RowMapping, owner: str, dead: Sequence[str], seconds: float
) -> Lease | None:
    """Lease the row's thread unless a live owner holds it; None when someone else was first."""
    now = datetime.now(UTC)
    until = now + timedelta(seconds=seconds)
    key = {"source": row["source"], "thread_id": row["thread_id"]}
    connection.execute(upsert(LEASE).values(**key, owner=None, fence=0, until=now).on_conflict_do_nothing())
    taken = connection.execute(
        update(LEASE)
        .where(
            LEASE.c.source == row["source"],
            LEASE.c.thread_id == row["thread_id"],
            or_(LEASE.c.owner.is_(None), LEASE.c.until < now, LEASE.c.owner.in_(dead)),
        )
        .values(owner=owner, fence=LEASE.c.fence + 1, until=until, outbox_id=row["id"])
    )
    if taken.rowcount != 1:
        return None
    still = connection.execute(
        update(OUTBOX)
        .where(OUTBOX.c.id == row["id"], OUTBOX.c.state == row["state"])
        .values(state="dispatched" if row["state"] == "dispatched" else "taken")
    )
    fence = connection.execute(
        select(LEASE.c.fence).where(LEASE.c.source == row["source"], LEASE.c.thread_id == row["thread_id"])
    ).scalar_one()
    lease = Lease(row["source"], row["thread_id"], owner, int(fence))
    if still.rowcount != 1:
        release(connection, lease)
        return None
    return lease


def renew(connection: Connection, lease: Lease, seconds: float) -> bool:
    """Push the lease's end away; False when it was lost."""
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    return connection.execute(_RENEW, {**_named(lease), "until": until}).rowcount == 1


def holds(connection: Connection, lease: Lease) -> bool:
    return bool(connection.execute(_HOLDS, _named(lease)).scalar_one())


def release(connection: Connection, lease: Lease) -> None:
    connection.execute(_RELEASE, {**_named(lease), "until": datetime.now(UTC)})


def _held(lease: Lease) -> Any:
    return and_(
        LEASE.c.source == lease.source,
        LEASE.c.thread_id == lease.thread_id,
        LEASE.c.owner == lease.owner,
        LEASE.c.fence == lease.fence,
    )


def _named(lease: Lease) -> dict[str, Any]:
    return {f"its_{name}": getattr(lease, name) for name in _KEY}


# Built once: a run asks before everything it stores whether the lease is still its own.
_KEY = ("source", "thread_id", "owner", "fence")
_ITS = and_(*(LEASE.c[name] == bindparam(f"its_{name}") for name in _KEY))
_HOLDS = select(exists().where(_ITS))
_RENEW = update(LEASE).where(_ITS).values(until=bindparam("until"))
_RELEASE = update(LEASE).where(_ITS).values(owner=None, until=bindparam("until"))


def set_state(connection: Connection, outbox_id: int, state: str, **values: Any) -> None:
    connection.execute(update(OUTBOX).where(OUTBOX.c.id == outbox_id).values(state=state, **values))


def open_for_thread(connection: Connection, source: str, thread_id: str) -> int:
    query = select(func.count()).where(
        OUTBOX.c.source == source, OUTBOX.c.thread_id == thread_id, OUTBOX.c.state.in_(OPEN_STATES)
    )
    return int(connection.execute(query).scalar_one())


def owners(connection: Connection) -> list[str]:
    query = select(LEASE.c.owner).where(LEASE.c.owner.is_not(None)).distinct()
    return [str(owner) for owner in connection.execute(query).scalars()]


def journal_start(
    connection: Connection,
    lease: Lease,
    tool_call_id: str,
    name: str,
    args_text: str,
    decision_id: str | None,
) -> int | None:
    """Write the start of a call; None when the lease was lost or the same call is already open."""
    held = exists().where(_held(lease))
    running = exists().where(
        TOOL_RUN.c.source == lease.source,
        TOOL_RUN.c.thread_id == lease.thread_id,
        TOOL_RUN.c.tool_call_id == tool_call_id,
        TOOL_RUN.c.ended_at.is_(None),
    )
    values = {
        "source": lease.source,
        "thread_id": lease.thread_id,
        "tool_call_id": tool_call_id,
        "name": name,
        "args_text": args_text,
        "decision_id": decision_id,
        "fence": lease.fence,
        "owner": lease.owner,
        "started_at": datetime.now(UTC),
        "error": "",
    }
    row = select(*(literal(value, TOOL_RUN.c[key].type) for key, value in values.items())).where(
        held, ~running
    )
    done = connection.execute(insert(TOOL_RUN).from_select(list(values), row))
    if done.rowcount != 1:
        return None
    last = select(func.max(TOOL_RUN.c.id)).where(
        TOOL_RUN.c.thread_id == lease.thread_id, TOOL_RUN.c.tool_call_id == tool_call_id
    )
    return int(connection.execute(last).scalar_one())


def journal_end(connection: Connection, run_id: int, ended: str, error: str = "") -> None:
    connection.execute(
        update(TOOL_RUN)
        .where(TOOL_RUN.c.id == run_id, TOOL_RUN.c.ended_at.is_(None))
        .values(ended_at=datetime.now(UTC), ended=ended, error=error)
    )


def journal_void(connection: Connection, run_ids: Sequence[int]) -> None:
    """Take starts back that a person found to have led to nothing: the call may start again."""
    connection.execute(
        update(TOOL_RUN)
        .where(TOOL_RUN.c.id.in_(run_ids), TOOL_RUN.c.ended_at.is_(None))
        .values(ended_at=datetime.now(UTC), ended="void")
    )


def again(connection: Connection, group_key: str, state: str = "dispatched") -> bool:
    """Put the pause's resume back to `dispatched`, so that the worker reads anew how far it came.

    As `ready` it is handed over as if it never had been.
    """
    done = connection.execute(
        update(OUTBOX)
        .where(OUTBOX.c.group_key == group_key)
        .values(state=state, not_before=datetime.now(UTC), attempts=0, error="")
    )
    return done.rowcount == 1


def drop_resume(connection: Connection, group_key: str) -> None:
    """Of a pause that is closed: nothing of it is handed over any more."""
    connection.execute(update(OUTBOX).where(OUTBOX.c.group_key == group_key).values(state="done"))


def journal(connection: Connection, source: str, thread_id: str) -> list[RowMapping]:
    """Every start of the thread, oldest first."""
    query = (
        select(TOOL_RUN)
        .where(TOOL_RUN.c.thread_id == thread_id, TOOL_RUN.c.source == source)
        .order_by(TOOL_RUN.c.id)
    )
    return list(connection.execute(query).mappings())
