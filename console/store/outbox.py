"""Work for the worker, the lease that lets one process do it, and the journal of tools it started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, func, insert, select, update

from console.store import outbox_statements as say
from console.store.outbox_statements import OPEN_STATES as OPEN_STATES
from console.store.outbox_statements import OUTBOX, TOOL_RUN


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
    row = {
        "kind": "resume",
        "source": source,
        "thread_id": thread_id,
        "group_key": group_key,
        "payload_text": "",
        "state": "ready" if ready else "waiting",
        "attempts": 0,
        "not_before": now,
        "created_at": now,
        "head": head,
        "error": "",
    }
    say.PUT_RESUME.change(connection, row)


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
    values = {"now": datetime.now(UTC), "at_most": limit, **_numbered("dead", dead)}
    if sources is None:
        return say.due(len(dead), None).mappings(connection, values)
    if not sources:
        return []
    return say.due(len(dead), len(sources)).mappings(connection, values | _numbered("source", sources))


def _numbered(name: str, values: Sequence[str]) -> dict[str, str]:
    return {f"{name}_{at}": value for at, value in enumerate(values)}


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
    if row["fence"] is None:
        say.MAKE_LEASE.change(connection, {**key, "owner": None, "fence": 0, "until": until})
    wanted = {"now": now, "new_owner": owner, "new_until": until, "new_outbox_id": row["id"]}
    its = {f"its_{name}": value for name, value in key.items()}
    fence = say.take_lease(len(dead)).value(connection, its | wanted | _numbered("dead", dead))
    if fence is None:
        return None
    lease = Lease(row["source"], row["thread_id"], owner, int(fence))
    state = "dispatched" if row["state"] == "dispatched" else "taken"
    still = {"its_id": row["id"], "found_as": row["state"], "new_state": state}
    if say.TAKE_ROW.change(connection, still) != 1:
        release(connection, lease)
        return None
    return lease


def renew(connection: Connection, lease: Lease, seconds: float) -> bool:
    """Push the lease's end away; False when it was lost."""
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    return say.RENEW.change(connection, {**_named(lease), "new_until": until}) == 1


def holds(connection: Connection, lease: Lease) -> bool:
    return say.HOLDS.first(connection, _named(lease)) is not None


def release(connection: Connection, lease: Lease) -> None:
    say.RELEASE.change(connection, {**_named(lease), "new_until": datetime.now(UTC)})


def _named(lease: Lease) -> dict[str, Any]:
    return {f"its_{name}": getattr(lease, name) for name in say.KEY}


def set_state(connection: Connection, outbox_id: int, state: str) -> None:
    say.SET_STATE.change(connection, {"its_id": outbox_id, "new_state": state})


def end(connection: Connection, outbox_id: int, state: str, error: str = "") -> None:
    say.END_ROW.change(connection, {"its_id": outbox_id, "new_state": state, "new_error": error})


def open_for_thread(connection: Connection, source: str, thread_id: str) -> int:
    query = select(func.count()).where(
        OUTBOX.c.source == source, OUTBOX.c.thread_id == thread_id, OUTBOX.c.state.in_(OPEN_STATES)
    )
    return int(connection.execute(query).scalar_one())


def owners(connection: Connection) -> list[str]:
    return [str(row[0]) for row in say.OWNERS.all(connection, {})]


def journal_start(
    connection: Connection,
    lease: Lease,
    tool_call_id: str,
    name: str,
    args_text: str,
    decision_id: str | None,
) -> int | None:
    """Write the start of a call; None when the lease was lost or the same call is already open."""
    new = {
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
    values = _named(lease) | {f"new_{key}": value for key, value in new.items()}
    found = say.START.value(connection, values)
    return None if found is None else int(found)


def journal_end(connection: Connection, run_id: int, ended: str, error: str = "") -> None:
    now = datetime.now(UTC)
    say.END.change(
        connection, {"its_id": run_id, "new_ended_at": now, "new_ended": ended, "new_error": error}
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
    return say.JOURNAL.mappings(connection, {"source": source, "thread_id": thread_id})
