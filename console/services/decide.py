"""Deciding a review: everything is checked before anything is saved, then one transaction says who won.

Order of checks (CONTRACT): role, visibility, replayed key, conflict, validity, commit.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from console.domain.access import Actor, Permission, require
from console.domain.canonical import canonical, sha256
from console.domain.errors import BadRequest, Conflict, Invalid, Problem
from console.domain.ledger import Kind as Event
from console.domain.review import UNDECIDED, Status, ThreadStatus, digest
from console.forms.exact import dumps, loads
from console.services import attempts, records
from console.services.changes import Change
from console.services.deps import Deps
from console.services.door import review_row, snapshot_of
from console.services.health import refuse_while_read_only
from console.services.observe import observe
from console.services.reading import MISSING as MISSING
from console.services.reading import Said, read_verdict
from console.services.views import VerdictView
from console.store import claims, ledger, outbox, reviews, seen
from console.store.engine import Connection, RowMapping, read, write

_KEY = re.compile(r"[\x21-\x7e]{1,128}")


def decide(
    deps: Deps,
    actor: Actor,
    review_id: str,
    *,
    version: int,
    digest: str,
    decisions: Any = MISSING,
    answer: Any = MISSING,
    idempotency_key: str | None = None,
) -> VerdictView:
    """Record the actor's verdict on a review, or raise; the run is resumed by the worker afterwards.

    Raises Forbidden, NotFound, Conflict (with the winner, or `stale`), Invalid (with positions and
    pointers). Whatever it raises, the thread is as answerable as before.
    """
    require(actor, Permission.DECIDE)
    refuse_while_read_only(deps)
    if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
        raise BadRequest("Idempotency-Key is 1 to 128 visible ASCII characters.")
    request = _request_digest(review_id, version, digest, decisions, answer)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
        first = _first_answer(connection, actor, idempotency_key)
    with attempts.recorded(deps, actor, row, version, digest, decisions):
        if first is not None:
            return _the_same_answer(first, request)
        _refuse_unless_current(row, version, digest)
        _refuse_unless_pending(deps, row)
        said = read_verdict(deps, row, decisions, answer)
        return _commit(deps, actor, row, version, digest, said, idempotency_key, request)


def refuse_form(
    deps: Deps,
    actor: Actor,
    review_id: str,
    *,
    version: Any,
    digest: Any,
    decisions: Any,
    problems: list[Problem],
) -> NoReturn:
    """Of a body whose form is wrong, in the order that every verdict is checked: 404 and 409 come first.

    `version`, `digest` and `decisions` are whatever was sent under these names.
    """
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        row = review_row(deps, connection, actor, review_id)
    with attempts.recorded(deps, actor, row, version, digest, decisions):
        # What is missing or no value of its kind is the form's fault, not a sign of age.
        _refuse_unless_current(
            row,
            version if type(version) is int else row["version"],
            digest if isinstance(digest, str) else row["digest"],
        )
        raise Invalid(problems)


def _request_digest(review_id: str, version: int, seen: str, decisions: Any, answer: Any) -> str:
    parts = [
        review_id,
        str(version),
        seen,
        *("" if each is MISSING else dumps(each) for each in (decisions, answer)),
    ]
    return sha256(canonical(parts))


def _first_answer(connection: Connection, actor: Actor, key: str | None) -> RowMapping | None:
    return reviews.first_answer(connection, actor.id, key) if key else None


def _the_same_answer(first: RowMapping, request: str) -> VerdictView:
    if first["request_digest"] != request:
        raise Conflict("This Idempotency-Key was used for another request.", kind="idempotency-key-reused")
    kept = loads(first["answer_text"])
    return VerdictView(**{**kept, "decided_at": datetime.fromisoformat(kept["decided_at"])})


def _refuse_unless_current(row: RowMapping, version: int, seen_digest: str) -> None:
    """`Conflict` when someone was first or the request is no longer the one that was seen."""
    if row["status"] not in UNDECIDED:
        raise _too_late(row)
    if row["version"] != version or row["digest"] != seen_digest:
        raise _stale()


def _stale() -> Conflict:
    return Conflict(
        "The request changed since you read it. Nothing was recorded; read it again.",
        kind="stale",
        stale=True,
    )


def _too_late(row: RowMapping) -> Conflict:
    if row["decided_by"] is None:
        return Conflict(f"This review is {row['status']}. Nothing was recorded.", kind="closed", stale=True)
    at = row["decided_at"].strftime("%H:%M:%S")
    return Conflict(
        f"{row['decided_by']} decided this at {at} UTC. Yours was not recorded.",
        kind="already-decided",
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
    )


def _refuse_unless_pending(deps: Deps, row: RowMapping) -> None:
    """Ask the source itself: is this interrupt still pending, and is it what was shown?"""
    snapshot = snapshot_of(deps, row["source"], row["thread_id"])
    if snapshot is not None and snapshot.status is ThreadStatus.POISONED:
        observe(deps, row["source"], row["thread_id"])
        raise Conflict("This thread takes no answer any more; it needs repair first.", kind="poisoned")
    pause = snapshot.pause if snapshot else None
    pending = (
        pause.find(row["interrupt_id"]) if pause and pause.checkpoint_id == row["checkpoint_id"] else None
    )
    if pause is None or pending is None or digest(pause, pending) != row["digest"]:
        observe(deps, row["source"], row["thread_id"])
        raise _stale()


def _commit(
    deps: Deps,
    actor: Actor,
    row: RowMapping,
    version: int,
    seen_digest: str,
    said: Said,
    key: str | None,
    request: str,
) -> VerdictView:
    """Compare-and-set, decision, ledger entry and outbox row in one transaction: all of it or nothing."""
    now, decision_id = datetime.now(UTC), uuid.uuid4().hex
    with write(deps.engine) as connection:
        # Under the write lock: the same key may have been answered since it was first looked up.
        if (first := _first_answer(connection, actor, key)) is not None:
            return _the_same_answer(first, request)
        won = reviews.take(connection, row["id"], version, seen_digest, actor.name, now, decision_id)
        view = _write_verdict(connection, actor, row, said, decision_id, now, key, request) if won else None
    if view is None:
        with read(deps.engine) as connection:
            latest = review_row(deps, connection, actor, row["id"])
        _refuse_unless_current(latest, version, seen_digest)
        raise _stale()
    where = {"source": row["source"], "thread_id": row["thread_id"]}
    deps.changes.publish(Change("queue"), Change("review", **where), Change("audit"))
    deps.wake()
    return view


def _write_verdict(
    connection: Connection,
    actor: Actor,
    row: RowMapping,
    said: Said,
    decision_id: str,
    now: datetime,
    key: str | None,
    request: str,
) -> VerdictView:
    reviews.add_decision(
        connection,
        id=decision_id,
        review_id=row["id"],
        version=row["version"],
        actor_id=actor.id,
        actor_name=actor.name,
        via=actor.via,
        at=now,
        body_text=said.body_text,
        result_digest=sha256(said.body_text.encode()),
    )
    opened = seen.first_at(connection, row["id"], row["version"], actor.id)
    ledger.append(connection, _entry(actor, row, said, decision_id, _ms_between(opened, now)))
    claims.drop(connection, row["id"])
    waiting = reviews.undecided_in_group(connection, row["group_key"])
    outbox.put_resume(
        connection,
        row["source"],
        row["thread_id"],
        row["group_key"],
        head=row["checkpoint_id"],
        ready=waiting == 0,
    )
    view = VerdictView(
        review_id=row["id"],
        decision_id=decision_id,
        version=row["version"] + 1,
        status=Status.DECIDED.value,
        decided_by=actor.name,
        decided_at=now,
        decisions=[each.raw for each in said.decided],
        waiting_for=waiting,
        answer_text=said.answer_text,
    )
    if key is not None:
        kept = dumps({**vars(view), "decided_at": now.isoformat()})
        reviews.keep_answer(
            connection, actor_id=actor.id, key=key, request_digest=request, answer_text=kept, at=now
        )
    return view


def _ms_between(opened: datetime | None, now: datetime) -> dict[str, int]:
    """How long this version stood open before the verdict; nothing when never seen or the clock went back."""
    passed = (now - opened) // timedelta(milliseconds=1) if opened is not None else -1
    return {"ms_open": passed} if passed >= 0 else {}


def _entry(
    actor: Actor, row: RowMapping, said: Said, decision_id: str, ms_open: Mapping[str, int]
) -> ledger.Entry:
    actions = reviews.actions_of(row)
    shown = [
        {
            "position": each.position,
            "tool": actions[each.position].name,
            "proposed": actions[each.position].args_text,
            "decision": each.type,
            "message": each.message,
            "final": records.final_args(each.raw, actions[each.position].args_text),
        }
        for each in said.decided
    ]
    payload = {"actions": shown, **({"answer": said.answer_text} if said.answer_text is not None else {})}
    return ledger.Entry(
        Event.DECIDED,
        actor,
        **attempts.about(row),
        verdict=said.verdict,
        decided_by_id=actor.id,
        payload=dumps(payload),
        more={
            "ns": row["ns"],
            "checkpoint_id": row["checkpoint_id"],
            "interrupt_id": row["interrupt_id"],
            "version": row["version"],
            "seen_digest": row["digest"],
            "result_digest": sha256(said.body_text.encode()),
            "decision_id": decision_id,
            **ms_open,
        },
    )
