"""What a person does about a thread that cannot go on by itself: settle a doubt, close a pause, repair one.

Each is an outbox row like any other run, and each is in the ledger with its reason before it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict, Invalid, Problem
from console.domain.ledger import Kind as Event
from console.domain.review import UNDECIDED, Status, ThreadStatus
from console.domain.text import has_lone_surrogate
from console.forms.exact import dumps
from console.services import choices
from console.services.calls import Calls
from console.services.chat import told
from console.services.deps import Deps
from console.services.door import review_row, snapshot_of, thread_row
from console.services.observe import GONE
from console.services.planning import began
from console.services.views import ThreadView
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, read, write
from console.store.sweeps import is_doubt

CHOICES = ("ran", "not_run", "give_up")
MAX_REASON, MAX_RESULT = 2_000, 10_000


def resolve(
    deps: Deps, actor: Actor, source: str, thread_id: str, *, choice: Any, reason: Any, result: Any = ""
) -> ThreadView:
    """Settle what is uncertain on a stuck thread, by a person's word.

    `ran`: the call did run, `result` is what it answered, the agent goes on with that. `not_run`: it led to
    nothing and is run now; refused while the process that started it lives, since it may yet do its work.
    `give_up`: nobody knows; the call is closed and the agent told so. `reason` says how one knows.
    """
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        before = thread_row(deps, connection, actor, source, thread_id)
    _check(choice, reason, result)
    _refuse_unless(before, ThreadStatus.STUCK, "Only a thread that is stuck has something to settle.")
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is None and choice == "not_run":
        raise Conflict("The thread is gone from its source, so nothing can be run.", kind="thread-gone")
    with write(deps.engine) as connection:
        row = _unchanged(deps, connection, actor, before)
        calls = Calls.of(outbox.journal(connection, source, thread_id))
        group = [each for each in reviews.latest_group(connection, source, thread_id) if _is_stuck(each)]
        shown = _shown(group)
        open_calls = snapshot.open_calls() if snapshot else []
        unsure = [call for call in open_calls if began(calls, call.id) or call.id in shown]
        status, why = ThreadStatus.RUNNING, ""
        if choice == "not_run" and snapshot is not None:
            choices.run_again(connection, actor, row, snapshot, calls, unsure, group)
        else:
            said = {call.id: _said(choice, actor, result) for call in unsure}
            if snapshot is None:
                status, why = ThreadStatus.GONE, GONE
            elif not choices.close(connection, row, snapshot, calls, said):
                # Without a call to close, going on would run what is in doubt.
                status, why = ThreadStatus.FAILED, f"settled by {actor.name}; the run was not taken further"
            choices.end_runs(connection, calls, unsure, "ok" if choice == "ran" else "error", reason)
            choices.settle(
                connection,
                group,
                {call.id for call in unsure},
                choices.OUTCOME[choice].format(name=actor.name),
            )
        threads.move(connection, source, thread_id, [ThreadStatus.STUCK], status, why)
        more = {"choice": choice, "reason": reason, "calls": [call.id for call in unsure]}
        for entry in _entries(Event.STUCK_RESOLVED, actor, row, group, more, dumps({"result": result})):
            ledger.append(connection, entry)
        if choice == "not_run":
            # No run settles a doubt that nobody had to review: the choice does.
            for doubt in filter(is_doubt, group):
                ledger.append(connection, _entry(Event.SETTLED, actor, row, doubt, {}, None))
        row = thread_row(deps, connection, actor, source, thread_id)
    return told(deps, row)


def cancel(
    deps: Deps, actor: Actor, review_id: str, reason: Any = "", version: int | None = None
) -> ThreadView:
    """Close the whole pause of a review without running anything; every call gets a result that says so.

    `version` is the review's as it was seen: with it, a verdict that came in between is not taken back.
    """
    require(actor, Permission.DECIDE)
    with read(deps.engine) as connection:
        review = review_row(deps, connection, actor, review_id)
        before = thread_row(deps, connection, actor, review["source"], review["thread_id"])
    check_text(reason, "/reason", MAX_REASON, needed=False)
    _refuse_unless_waiting(review)
    snapshot = snapshot_of(deps, review["source"], review["thread_id"])
    pause = snapshot.pause if snapshot else None
    if snapshot is None or pause is None or pause.checkpoint_id != review["checkpoint_id"]:
        raise Conflict("The thread has moved on. Read it again.", kind="stale", stale=True)
    if not snapshot.open_calls():
        raise Conflict("This pause has no call that could be closed; answer it instead.", kind="no-call")
    with write(deps.engine) as connection:
        row = _unchanged(deps, connection, actor, before)
        if version not in {None, review_row(deps, connection, actor, review_id)["version"]}:
            raise Conflict(
                "The review changed since you read it. Nothing was closed.", kind="stale", stale=True
            )
        calls = Calls.of(outbox.journal(connection, row["source"], row["thread_id"]))
        group = [
            each
            for each in reviews.of_group(connection, review["group_key"])
            if reviews.move(
                connection,
                each["id"],
                (*UNDECIDED, Status.DECIDED),
                Status.CANCELLED,
                outcome="closed without running",
                settled_at=datetime.now(UTC),
            )
        ]
        why = f" Reason: {reason}" if reason else ""
        said = f"This call was closed by a person without running.{why}", "error"
        choices.close(connection, row, snapshot, calls, {call.id: said for call in snapshot.open_calls()})
        outbox.drop_resume(connection, review["group_key"])
        waiting = [ThreadStatus.PAUSED, ThreadStatus.POISONED]
        if not threads.move(connection, row["source"], row["thread_id"], waiting, ThreadStatus.RUNNING):
            raise Conflict("The thread is being worked on. Read it again.", kind="thread-moved")
        for entry in _entries(Event.CANCELLED, actor, row, group, {"reason": reason} if reason else {}, None):
            ledger.append(connection, entry)
        row = thread_row(deps, connection, actor, row["source"], row["thread_id"])
    return told(deps, row)


def repair(deps: Deps, actor: Actor, review_id: str) -> ThreadView:
    """Bring a poisoned thread back to its pause: it asks again, under a new review."""
    require(actor, Permission.ADMINISTER)
    with read(deps.engine) as connection:
        review = review_row(deps, connection, actor, review_id)
        before = thread_row(deps, connection, actor, review["source"], review["thread_id"])
    _refuse_unless(before, ThreadStatus.POISONED, "Only a thread that takes no answer any more is repaired.")
    snapshot = snapshot_of(deps, before["source"], before["thread_id"])
    if snapshot is None or snapshot.status is not ThreadStatus.POISONED:
        raise Conflict("The thread has moved on. Read it again.", kind="stale", stale=True)
    with write(deps.engine) as connection:
        row = _unchanged(deps, connection, actor, before)
        calls = Calls.of(outbox.journal(connection, row["source"], row["thread_id"]))
        if begun := [call.name for call in snapshot.open_calls() if began(calls, call.id)]:
            raise Conflict(f"{begun[0]} has begun; asking again could run it twice.", kind="tool-began")
        outbox.put(connection, "repair", row["source"], row["thread_id"], "", head=snapshot.head)
        threads.move(
            connection, row["source"], row["thread_id"], [ThreadStatus.POISONED], ThreadStatus.RUNNING
        )
        ledger.append(
            connection, _entry(Event.REPAIRED, actor, row, review, {"checkpoint_id": snapshot.head}, None)
        )
        row = thread_row(deps, connection, actor, row["source"], row["thread_id"])
    return told(deps, row)


def _check(choice: Any, reason: Any, result: Any) -> None:
    if choice not in CHOICES:
        raise Invalid([Problem(f"choice is one of {', '.join(CHOICES)}", pointer="/choice")])
    check_text(reason, "/reason", MAX_REASON, needed=True)
    check_text(result, "/result", MAX_RESULT, needed=choice == "ran")


def check_text(text: Any, pointer: str, longest: int, *, needed: bool) -> None:
    if not isinstance(text, str) or len(text) > longest or has_lone_surrogate(text) or "\x00" in text:
        raise Invalid([Problem(f"must be text of at most {longest:,} characters", pointer=pointer)])
    if needed and not text.strip():
        wanted = "say how you know" if pointer == "/reason" else "say what the call answered"
        raise Invalid([Problem(wanted, pointer=pointer)])


def _refuse_unless(row: RowMapping, status: ThreadStatus, why: str) -> None:
    if row["status"] != status:
        raise Conflict(f"{why} This one is {row['status']}.", kind=f"thread-{row['status']}")


def _refuse_unless_waiting(review: RowMapping) -> None:
    if review["status"] not in {*UNDECIDED, Status.DECIDED}:
        raise Conflict(
            f"This review is {review['status']}. Nothing was closed.",
            kind="closed",
            decided_by=review["decided_by"],
            decided_at=review["decided_at"],
        )


def _unchanged(deps: Deps, connection: Connection, actor: Actor, before: RowMapping) -> RowMapping:
    """The thread as it was when its checkpoint was read; `Conflict` when something happened in between."""
    row = thread_row(deps, connection, actor, before["source"], before["thread_id"])
    if (row["status"], row["updated_at"]) != (before["status"], before["updated_at"]):
        raise Conflict("The thread has just moved on. Read it again.", kind="thread-moved")
    return row


def _is_stuck(review: RowMapping) -> bool:
    return str(review["status"]) == Status.STUCK


def _shown(group: Sequence[RowMapping]) -> set[str | None]:
    """Tool call ids of what is in doubt without a review of its own, also where the journal knows nothing."""
    doubts = [row for row in group if is_doubt(row)]
    return {action.tool_call_id for row in doubts for action in reviews.actions_of(row)}


def _said(choice: str, actor: Actor, result: str) -> tuple[str, str]:
    if choice == "ran":
        return result, "success"
    return "Whether this call ran could not be established. Do not call it again unasked.", "error"


def _entries(
    event: Event,
    actor: Actor,
    row: RowMapping,
    group: Sequence[RowMapping],
    more: Mapping[str, Any],
    payload: str | None,
) -> list[ledger.Entry]:
    """One for each review; one for the thread alone where no review is behind it."""
    about: Sequence[RowMapping | None] = group or [None]
    return [_entry(event, actor, row, review, more, payload) for review in about]


def _entry(
    event: Event,
    actor: Actor,
    row: RowMapping,
    review: RowMapping | None,
    more: Mapping[str, Any],
    payload: str | None,
) -> ledger.Entry:
    return ledger.Entry(
        event,
        actor,
        source=row["source"],
        thread_id=row["thread_id"],
        review_id=review["id"] if review else None,
        tool=(review["tool"] or None) if review else None,
        outcome=event.value,
        payload=payload,
        more=dict(more),
    )
