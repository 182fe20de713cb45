"""The moments at which a console is killed: one before or after every step between a verdict and its outcome.

A point is armed in the process that is to die, by wrapping the step's own function. Nothing in the console
knows of it.
"""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from console.services import decide, planning, settle, worker
from console.sources.saver import GuardedSaver
from console.store import outbox
from tests.faults.fork import die
from tests.services import agents

SETTLED, STUCK = "settled", "stuck"


@dataclass(frozen=True)
class Point:
    """`counts`: what its steps are counted by, so that one may die at the second as well. Those `taken apart`
    need a pause whose answers are taken one by one, and a rejection among them.

    `ends`: what a pause with one allowed call must come to. With several calls the others may have started
    or not, so either end is right there. `batched_only`: that holds where the gate is a step of its own; in
    per_call mode the gate and its tool are one step, the first thing stored comes after the tool, and a call
    rejected beside it may be what is stored.
    """

    name: str
    arm: Callable[[Callable[[], None]], None]
    counts: str = "once"
    ends: str = SETTLED
    batched_only: bool = False


def _wrap(owner: Any, name: str, *, before: Any = None, after: Any = None) -> None:
    real = getattr(owner, name)

    @wraps(real)
    def wrapped(*args: Any, **more: Any) -> Any:
        if before is not None:
            before()
        found = real(*args, **more)
        if after is not None:
            after()
        return found

    @wraps(real)
    async def awaited(*args: Any, **more: Any) -> Any:
        if before is not None:
            before()
        found = await real(*args, **more)
        if after is not None:
            after()
        return found

    setattr(owner, name, awaited if inspect.iscoroutinefunction(real) else wrapped)


def before(owner: Any, name: str) -> Callable[[Callable[[], None]], None]:
    return lambda hit: _wrap(owner, name, before=hit)


def after(owner: Any, name: str) -> Callable[[Callable[[], None]], None]:
    return lambda hit: _wrap(owner, name, after=hit)


def _result_stored(hit: Callable[[], None]) -> None:
    """After the first write to the checkpoints that follows the end of a tool."""
    ended = threading.Event()
    _wrap(worker._Journal, "end", after=ended.set)
    _wrap(GuardedSaver, "aput_writes", after=lambda: hit() if ended.is_set() else None)


def _one_taken(hit: Callable[[], None]) -> None:
    """The rejection's result is stored while the call beside it has come up to its start."""
    _wrap(worker._Journal, "start", before=lambda: time.sleep(60))
    _wrap(GuardedSaver, "aput_writes", after=hit)


POINTS = (
    Point("checked, verdict not begun", before(decide, "_commit"), "reviews"),
    Point("verdict written, not committed", after(decide, "_write_verdict"), "reviews"),
    Point("verdict committed, nobody told", before(worker.Worker, "wake"), "reviews"),
    Point("lease written, not committed", after(outbox, "take")),
    Point("planned, nothing written", after(planning, "_plan_resume")),
    Point("dispatched written, not committed", after(planning, "_record_dispatch")),
    Point("dispatched committed, not handed over", before(planning, "publish")),
    Point("handed over, nothing stored", before(GuardedSaver, "aput_writes"), batched_only=True),
    Point("answer stored, step not ended", after(GuardedSaver, "aput_writes"), batched_only=True),
    Point("step ended, no tool begun", after(GuardedSaver, "aput"), batched_only=True),
    Point("one answer taken, another not begun", _one_taken, "taken apart"),
    Point("tool called, start not journalled", before(worker._Journal, "start"), "calls"),
    Point("start journalled, body not begun", after(worker._Journal, "start"), "calls", STUCK),
    Point("inside the tool, before its effect", before(agents, "leave_mark"), "calls", STUCK),
    Point("inside the tool, after its effect", after(agents, "leave_mark"), "calls", STUCK),
    Point("tool ended, end not journalled", before(worker._Journal, "end"), "calls", STUCK),
    Point("end journalled, result not stored", after(worker._Journal, "end"), "calls", STUCK),
    Point("result stored, run not ended", _result_stored, batched_only=True),
    Point("run ended, not read back", before(worker, "finish")),
    Point("outcome half written", after(settle, "_write_outcome"), "reviews"),
    Point("outcome written, not committed", after(settle, "_write_thread")),
    Point("outcome committed, nobody told", before(settle, "publish")),
)
BY_NAME = {point.name: point for point in POINTS}
# Killed a second time, by the restart's own steps. The first point decides how it may end.
AGAIN = (
    ("dispatched committed, not handed over", "lease written, not committed"),
    ("dispatched committed, not handed over", "handed over, nothing stored"),
    ("inside the tool, after its effect", "lease written, not committed"),
    ("inside the tool, after its effect", "outcome written, not committed"),
    ("run ended, not read back", "outcome half written"),
)


class Fuse:
    """Dies at the nth time; threads may come to it at once."""

    def __init__(self, nth: int) -> None:
        self._left, self._lock = nth, threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                die()


def arm(name: str, nth: int) -> None:
    BY_NAME[name].arm(Fuse(nth))
