"""A source in memory that behaves as LangGraph does at its pauses, and a worker that is driven by hand.

With it a whole life of a review takes milliseconds. That the real one behaves so is tests/sources' to show.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from console.domain.review import Action, Kind, Pause, Pending, ThreadStatus
from console.domain.thread import Message, Snapshot, ToolCall
from console.forms.exact import dumps
from console.services.deps import Deps
from console.services.planning import Begun
from console.services.worker import Worker
from console.sources.port import Journal, Left, Moved, ResumeRefused, Run, Sink, Waiting

SCHEMA = '{"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}'
GATED, FREE, QUESTION = "charge", "note", "ask"
MOMENTS = ("handed", "answered", "started", "effect", "ended", "kept")


class Died(BaseException):
    """The process ended here: nothing that follows in it happens."""


@dataclass
class Thread:
    messages: list[Message] = field(default_factory=list)
    waiting: tuple[Pending, ...] = ()
    poisoned: bool = False
    under_way: bool = False
    head: str = ""


@dataclass
class Scripted:
    """A message is a JSON list of `[tool, args]`, which the agent then calls, or anything else.

    `charge` is gated, `note` is free, `ask` is a question without a tool. `die_at` names one of MOMENTS:
    the run ends there for good. `flipped` are threads whose gate runs what was rejected. `happened` is what
    the tools really did, in order.
    """

    name: str
    threads: dict[str, Thread] = field(default_factory=dict)
    happened: list[tuple[str, str]] = field(default_factory=list)
    die_at: str = ""
    flipped: set[str] = field(default_factory=set)
    fails: Callable[[], None] = lambda: None
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def _next(self, what: str) -> str:
        return f"{what}{next(self._numbers)}"

    def _moment(self, moment: str) -> None:
        if self.die_at == moment:
            self.die_at = ""
            raise Died(moment)

    def snapshot(self, thread_id: str) -> Snapshot | None:
        self.fails()
        if (at := self.threads.get(thread_id)) is None:
            return None
        pause = Pause(self.name, thread_id, "", at.head, at.waiting) if at.waiting else None
        status = ThreadStatus.PAUSED if pause else ThreadStatus.IDLE
        if at.poisoned:
            status = ThreadStatus.POISONED
        error = "the stored answer fails" if at.poisoned else ""
        return Snapshot(at.head, status, tuple(at.messages), pause, error, at.under_way and pause is None)

    def not_loaded(self, most: int) -> dict[str, int]:
        return {}

    def schema_origins(self) -> dict[str, str]:
        return {}

    def trial(self, answer: Any) -> None:
        return None

    problem = ""

    def changed_since(self, mark: str) -> Moved:
        return Moved(() if not mark else tuple(self.threads), "all")

    def waiting(self, threads: Sequence[str] | None = None) -> list[Waiting]:
        return [
            Waiting(thread_id, at.head, at.poisoned)
            for thread_id, at in self.threads.items()
            if at.waiting and (threads is None or thread_id in threads)
        ]

    def absent(self, threads: Sequence[str]) -> list[str]:
        return [each for each in threads if each not in self.threads]

    def stamp(self, thread_id: str) -> str:
        return repr(self.threads.get(thread_id, ""))

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        return Left.UNKNOWN

    async def open(self) -> None:
        return None

    async def close(self) -> None:
        return None

    # What others do to a thread, past the console

    def poison(self, thread_id: str) -> None:
        """A bare client stores an answer that fails; the pause stays and takes no other."""
        self.threads[thread_id].poisoned = True

    def move_on(self, thread_id: str) -> None:
        """Someone speaks into the pause with a bare client: LangGraph discards it."""
        at = self.threads[thread_id]
        at.waiting, at.poisoned, at.under_way, at.head = (), False, False, self._next("cp")
        at.messages.append(Message(self._next("m"), "human", "never mind"))

    def ask_otherwise(self, thread_id: str) -> None:
        """The agent's own code changed: the same interrupt shows another description."""
        at = self.threads[thread_id]
        text = self._next("described ")
        at.waiting = tuple(
            replace(each, actions=tuple(replace(action, description=text) for action in each.actions))
            for each in at.waiting
        )

    # Running

    async def run(self, run: Run, journal: Journal, sink: Sink) -> None:
        at = self.threads.setdefault(run.thread_id, Thread())
        self._moment("handed")
        if run.fork:
            at.poisoned, at.head = False, self._next("cp")
            at.waiting = tuple(replace(each, interrupt_id=self._next("i")) for each in at.waiting)
            return
        if run.answers is not None:
            self._take_answers(at, run)
            self._moment("answered")
        elif run.message is not None or run.close_calls:
            self._take_message(at, run)
        self._finish_turn(at, run, journal)

    def _take_message(self, at: Thread, run: Run) -> None:
        for call_id, tool, text, status in run.close_calls:
            at.messages.append(
                Message(self._next("m"), "tool", text, tool_call_id=call_id, name=tool, status=status)
            )
        at.waiting, at.poisoned, at.under_way, at.head = (), False, True, self._next("cp")
        if run.message is not None:
            at.messages.append(Message(self._next("m"), "human", run.message))
            self._propose(at, run.message)

    def _propose(self, at: Thread, said: str) -> None:
        calls = [ToolCall(self._next("call"), name, dumps(args)) for name, args in _asked(said)]
        if calls and calls[0].name == QUESTION:
            at.messages.append(Message(self._next("m"), "ai", "asking"))
            at.waiting = (Pending(self._next("i"), Kind.ANSWER, value_text='"which?"', answer_shape="value"),)
        elif calls:
            at.messages.append(Message(self._next("m"), "ai", "calling", tool_calls=tuple(calls)))
            gated = [call for call in calls if call.name == GATED]
            actions = tuple(
                Action(place, each.name, each.args_text, "", ("approve", "edit", "reject"), SCHEMA, each.id)
                for place, each in enumerate(gated)
            )
            at.waiting = (Pending(self._next("i"), Kind.APPROVAL, actions),) if actions else ()

    def _take_answers(self, at: Thread, run: Run) -> None:
        answers = run.answers or {}
        if {each.interrupt_id for each in at.waiting} != set(answers) or at.poisoned:
            raise ResumeRefused("these answers are not for what is pending")
        for pending in at.waiting:
            if pending.kind is Kind.APPROVAL:
                flips = run.thread_id in self.flipped
                self._apply(at, pending, answers[pending.interrupt_id]["decisions"], flips)
        self.flipped.discard(run.thread_id)
        at.waiting, at.under_way, at.head = (), True, self._next("cp")

    def _apply(self, at: Thread, pending: Pending, decisions: list[Any], flips: bool) -> None:
        asked = at.messages[-1]
        changed = {}
        for action, said in zip(pending.actions, decisions, strict=True):
            if said["type"] == "edit":
                changed[action.tool_call_id] = dumps(said["edited_action"]["args"])
        calls = tuple(
            replace(call, args_text=changed.get(call.id, call.args_text)) for call in asked.tool_calls
        )
        at.messages[-1] = replace(asked, tool_calls=calls)
        for action, said in zip(pending.actions, decisions, strict=True):
            if said["type"] == "reject" and not flips:
                at.messages.append(
                    Message(
                        self._next("m"),
                        "tool",
                        "no",
                        tool_call_id=action.tool_call_id,
                        name=action.name,
                        status="error",
                        decision="reject",
                    )
                )

    def _finish_turn(self, at: Thread, run: Run, journal: Journal) -> None:
        if at.waiting:
            return
        found = Snapshot(at.head, ThreadStatus.IDLE, tuple(at.messages))
        results = [self._call(call, run, journal) for call in found.open_calls()]
        at.messages += results
        self._moment("kept")
        at.messages.append(Message(self._next("m"), "ai", "done"))
        at.under_way, at.head = False, self._next("cp")

    def _call(self, call: ToolCall, run: Run, journal: Journal) -> Message:
        number = journal.start(call.id, call.name, call.args_text)
        self._moment("started")
        self.happened.append((call.id, call.args_text))
        self._moment("effect")
        journal.end(number, "ok", "")
        self._moment("ended")
        return Message(self._next("m"), "tool", "did", tool_call_id=call.id, name=call.name, status="success")


def _asked(said: str) -> list[Any]:
    try:
        found = json.loads(said)
    except ValueError:
        return []
    return found if isinstance(found, list) else []


class ByHand:
    """The worker's own steps, one at a time and in the caller's thread."""

    def __init__(self, deps: Deps) -> None:
        self.worker = Worker(deps)

    def take(self, source: str = "", thread_id: str = "") -> Begun | None:
        """The first row that is due, of one thread if it is named."""
        rows, dead = self.worker._due()
        for row in rows:
            wanted = not thread_id or (row["source"], row["thread_id"]) == (source, thread_id)
            if wanted and (job := self.worker._take(row, dead)) is not None:
                return job
        return None

    def work(self, job: Begun) -> None:
        self.worker._loop.run_until_complete(self.worker._work(job))

    def close(self) -> None:
        for pool in (self.worker._steps, self.worker._beats):
            pool.shutdown()
        self.worker._loop.close()

    def all(self) -> int:
        """Everything that is due now; how many rows that were."""
        done = 0
        while (job := self.take()) is not None:
            self.work(job)
            done += 1
        return done


__all__ = ["FREE", "GATED", "MOMENTS", "QUESTION", "ByHand", "Died", "Scripted", "Thread"]
