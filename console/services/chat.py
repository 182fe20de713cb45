"""Threads: starting, speaking as the customer, and reading what was said."""

from __future__ import annotations

import uuid

from console.domain.access import Actor, Permission, require
from console.domain.errors import Conflict, Invalid, NotFound, Problem
from console.domain.ledger import Kind as Event
from console.domain.review import ThreadStatus
from console.domain.text import has_lone_surrogate
from console.domain.thread import Message
from console.forms.exact import dumps
from console.services import masks
from console.services.calls import Calls, unmatched
from console.services.changes import Change
from console.services.closings import closings
from console.services.deps import Deps, visible_sources
from console.services.door import snapshot_of, thread_by_ref, thread_row
from console.services.observe import observe
from console.services.paging import bounded, thread_ref
from console.services.views import MessagesView, MessageView, ThreadView
from console.store import ledger, outbox, reviews, threads
from console.store.engine import Connection, RowMapping, read, write

MAX_TEXT = 10_000
WINDOW = 50
_WHY_NOT = {
    ThreadStatus.RUNNING: "The agent is still working on this thread. Wait until it has answered.",
    ThreadStatus.PAUSED: "The thread is paused for review. A message now would discard what is waiting.",
    ThreadStatus.POISONED: "The thread takes no answer any more; it needs repair first.",
    ThreadStatus.STUCK: "It is uncertain whether a tool ran; a person has to settle that first.",
    ThreadStatus.GONE: "The thread was deleted in its source. Start a new one.",
}


def start(deps: Deps, actor: Actor, source: str | None, message: str) -> ThreadView:
    """Begin a thread with the customer's first message; the worker runs it."""
    require(actor, Permission.CHAT)
    visible = visible_sources(deps, actor)
    chosen = source if source is not None else next(iter(visible), None)
    if chosen is None or chosen not in visible:
        raise NotFound("There is no such source.")
    text = _checked(message, "/message")
    thread_id = uuid.uuid4().hex
    with write(deps.engine) as connection:
        threads.add(connection, chosen, thread_id, ThreadStatus.RUNNING, text[:120], actor.name)
        outbox.put(connection, "message", chosen, thread_id, dumps({"text": text, "close": []}))
        entry = ledger.Entry(
            Event.THREAD_STARTED, actor, source=chosen, thread_id=thread_id, payload=dumps({"text": text})
        )
        ledger.append(connection, entry)
        row = thread_row(deps, connection, actor, chosen, thread_id)
    return told(deps, row)


def say(deps: Deps, actor: Actor, source: str, thread_id: str, text: str) -> ThreadView:
    """Speak as the customer; `Conflict` while the thread is paused, running or in doubt."""
    require(actor, Permission.CHAT)
    with read(deps.engine) as connection:
        before = thread_row(deps, connection, actor, source, thread_id)
    text = _checked(text, "/text")
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is not None and snapshot.pause is not None:
        observe(deps, source, thread_id)
    with write(deps.engine) as connection:
        row = thread_row(deps, connection, actor, source, thread_id)
        _begin(connection, row, seen=before)
        calls = Calls.of(outbox.journal(connection, source, thread_id))
        payload = {"text": text, "close": closings(snapshot, calls, row["error"])}
        outbox.put(
            connection,
            "message",
            source,
            thread_id,
            dumps(payload),
            head=snapshot.head if snapshot else "",
        )
        entry = ledger.Entry(
            Event.MESSAGE_SENT, actor, source=source, thread_id=thread_id, payload=dumps({"text": text})
        )
        ledger.append(connection, entry)
        row = thread_row(deps, connection, actor, source, thread_id)
    return told(deps, row)


def _begin(connection: Connection, row: RowMapping, seen: RowMapping) -> None:
    """Move the thread to running, unless something ran since it was `seen`.

    What was read of its checkpoint in between would belong to another moment, and a message that names an
    old checkpoint counts as sent already.
    """
    status = ThreadStatus(row["status"])
    if status in _WHY_NOT:
        raise Conflict(_WHY_NOT[status], kind=f"thread-{status}")
    at_rest = [ThreadStatus.IDLE, ThreadStatus.FAILED]
    moved = threads.move(connection, row["source"], row["thread_id"], at_rest, ThreadStatus.RUNNING)
    if not moved or seen["status"] not in at_rest or row["updated_at"] != seen["updated_at"]:
        raise Conflict("The thread has just moved on. Read it and send again.", kind="thread-moved")


def retry(deps: Deps, actor: Actor, source: str, thread_id: str) -> ThreadView:
    """Run a failed thread on from its last checkpoint; tools that had ended are not run again."""
    require(actor, Permission.CHAT)
    with read(deps.engine) as connection:
        thread_row(deps, connection, actor, source, thread_id)
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is None:
        raise Conflict(
            "The run ended before anything was stored. Send the message again.", kind="nothing-to-run"
        )
    with write(deps.engine) as connection:
        row = thread_row(deps, connection, actor, source, thread_id)
        journal = outbox.journal(connection, source, thread_id)
        calls = Calls.of(journal, history=reviews.of_thread(connection, source, thread_id))
        begun = [call.name for call in snapshot.open_calls() if calls.started(call.id)]
        strays = [run["name"] for run in unmatched(journal, snapshot)]
        decided = [call.name for call in snapshot.open_calls() if call.id in calls.reviewed]
        if decided and not begun:
            raise Conflict(
                f"What was decided on {decided[0]} is settled. Send a message instead.", kind="tool-decided"
            )
        if begun or strays:
            # Running on would call it a second time, and nobody decided that.
            name = (begun or strays)[0]
            raise Conflict(f"{name} may have begun once already. Send a message instead.", kind="tool-began")
        if not threads.move(connection, source, thread_id, [ThreadStatus.FAILED], ThreadStatus.RUNNING):
            raise Conflict("Only a failed run can be tried again.", kind=f"thread-{row['status']}")
        outbox.put(connection, "continue", source, thread_id, "", head=snapshot.head)
        ledger.append(
            connection,
            ledger.Entry(
                Event.MESSAGE_SENT, actor, source=source, thread_id=thread_id, more={"reason": "tried again"}
            ),
        )
        row = thread_row(deps, connection, actor, source, thread_id)
    return told(deps, row)


def told(deps: Deps, row: RowMapping) -> ThreadView:
    """Wake the worker and tell the browsers, after the commit."""
    where = {"source": row["source"], "thread_id": row["thread_id"]}
    deps.changes.publish(Change("thread", **where), Change("audit"))
    deps.wake()
    return thread_view(row)


def _checked(text: str, pointer: str) -> str:
    if not text.strip():
        raise Invalid([Problem("write something first", pointer=pointer)])
    if len(text) > MAX_TEXT:
        raise Invalid([Problem(f"longer than {MAX_TEXT:,} characters", pointer=pointer)])
    if has_lone_surrogate(text) or "\x00" in text:
        raise Invalid([Problem("holds a character that cannot be stored", pointer=pointer)])
    return text


def thread(deps: Deps, actor: Actor, ref: str, source: str | None = None) -> ThreadView:
    """One thread by the ref that stands in paths."""
    require(actor, Permission.VIEW)
    with read(deps.engine) as connection:
        return thread_view(thread_by_ref(deps, connection, actor, ref, source))


def threads_recent(deps: Deps, actor: Actor, limit: int = 20) -> list[ThreadView]:
    """Those with the newest activity first."""
    require(actor, Permission.VIEW)
    with read(deps.engine) as connection:
        rows = threads.recent(connection, visible_sources(deps, actor), bounded(limit))
    return [thread_view(row) for row in rows]


def messages(deps: Deps, actor: Actor, source: str, thread_id: str, *, limit: int = WINDOW) -> MessagesView:
    """The newest messages, oldest of them first, each call with what became of it."""
    require(actor, Permission.VIEW)
    with read(deps.engine) as connection:
        row = thread_row(deps, connection, actor, source, thread_id)
        history = reviews.of_thread(connection, source, thread_id)
        chosen = reviews.decisions(
            connection, [each["decision_id"] for each in history if each["decision_id"]]
        )
        journal = outbox.journal(connection, source, thread_id)
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is None:
        return MessagesView([], 0)
    calls = Calls.of(
        journal, snapshot.messages, history, chosen, running=row["status"] == ThreadStatus.RUNNING
    )
    shown = snapshot.messages[-bounded(limit) :]
    items = [_message(each, calls) for each in shown]
    if masking := masks.of(deps):
        items = [masks.message(masking, each) for each in items]
    return MessagesView(items, len(snapshot.messages) - len(shown))


def draft(deps: Deps, source: str, thread_id: str, shown: MessagesView) -> str:
    """The message being written, unless it is complete and among those shown already."""
    text = deps.drafts.get(source, thread_id)
    last = next((each.text for each in reversed(shown.items) if each.role == "ai"), "")
    return "" if text and text == last else text


def _message(message: Message, calls: Calls) -> MessageView:
    return MessageView(
        id=message.id,
        role=message.role,
        text=message.text,
        blocks=message.blocks,
        tool_calls=[calls.view(call) for call in message.tool_calls],
        tool_call_id=message.tool_call_id,
        name=message.name,
        status=message.status,
    )


def thread_view(row: RowMapping) -> ThreadView:
    return ThreadView(
        source=row["source"],
        thread_id=row["thread_id"],
        thread_ref=thread_ref(row["thread_id"]),
        status=row["status"],
        title=row["title"],
        error=row["error"],
        created_by=row["created_by"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        composer=_WHY_NOT.get(ThreadStatus(row["status"]), ""),
    )


def values(deps: Deps, actor: Actor, source: str, thread_id: str) -> dict[str, object]:
    """The thread's state beside its messages, as JSON."""
    require(actor, Permission.VIEW)
    with read(deps.engine) as connection:
        thread_row(deps, connection, actor, source, thread_id)
    snapshot = snapshot_of(deps, source, thread_id)
    found, masking = snapshot.values if snapshot else {}, masks.of(deps)
    return masks.value(masking, found) if masking else found
