"""Finding what happened past the console: one cheap look a second, and now and then everything.

A look asks a source what was stored since the last one. A full pass compares all that waits there with all
that waits here; it finds what a look cannot: deleted threads, work that got lost, and what happened while no
console ran. Several consoles may sweep one source: each thread is compared under the write lock, so the
second finds nothing left to write.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from console.domain.review import ThreadStatus
from console.services import drafts
from console.services.deps import Deps
from console.services.door import snapshot_of
from console.services.doubts import show_doubt
from console.services.observe import Seen, observe, stamp_of, tell
from console.sources.port import SourceError
from console.store import outbox, sweeps, threads
from console.store.engine import read, write

log = logging.getLogger("console.sweep")
LOOK_SECONDS, FULL_SECONDS = 1.0, 300.0
# How long a thread stands still half-way, with nobody here running it, before it counts as left there.
QUIET_SECONDS = 60.0
_LEFT_HALF_WAY = "another program ran this thread and left it half-way"


@dataclass
class Standing:
    """What is remembered of one source between looks. `half_way`: thread id -> its stamp, and since when."""

    mark: str = ""
    full_at: float = 0.0
    again: set[str] = field(default_factory=set)
    half_way: dict[str, tuple[str, float]] = field(default_factory=dict)
    complaint: str = ""


class Sweep:
    """`turn` is one look at every source. All times are seconds; `now` is any clock that only rises."""

    def __init__(
        self, deps: Deps, *, full_seconds: float | None = None, quiet_seconds: float | None = None
    ) -> None:
        self._deps = deps
        self._full = FULL_SECONDS if full_seconds is None else full_seconds
        self._quiet = QUIET_SECONDS if quiet_seconds is None else quiet_seconds
        # (source, thread id) -> the stamp under which a run of ours wrote down what became of it.
        self._in_line: dict[tuple[str, str], str] = {}
        self._standing = {name: Standing() for name, port in deps.sources.items() if not port.problem}

    def is_in_line(self, source: str, thread_id: str, stamp: str) -> None:
        """Told by a run that ended: what it stored needs no look, unless the thread moved after `stamp`."""
        self._in_line[source, thread_id] = stamp

    def turn(self, now: float) -> None:
        for name, standing in self._standing.items():
            try:
                self._look(name, standing, now)
                standing.complaint = ""
            except SourceError as problem:
                if str(problem) != standing.complaint:
                    log.warning("the source %s cannot be swept: %s", name, problem)
                standing.complaint = str(problem)

    def _look(self, name: str, standing: Standing, now: float) -> None:
        if not standing.mark or now >= standing.full_at:
            self._full_pass(name, standing, now)
        todo, standing.again = standing.again, set()
        port = self._deps.sources[name]
        while True:
            moved = port.changed_since(standing.mark)
            standing.mark = moved.mark
            todo |= self._of_concern(name, moved.threads)
            if not moved.complete:
                standing.full_at = now
            if not moved.more:
                break
        for thread_id in sorted(todo):
            written = self._in_line.pop((name, thread_id), None)
            if written is None or written != port.stamp(thread_id):
                self._see(name, standing, thread_id, now)
        for thread_id, (stamp, since) in list(standing.half_way.items()):
            if now - since >= self._quiet:
                del standing.half_way[thread_id]
                lay_to_rest(self._deps, name, thread_id, stamp)

    def _of_concern(self, name: str, ids: Sequence[str]) -> set[str]:
        """Those the console knows, and those that wait for an answer."""
        if not ids:
            return set()
        with read(self._deps.engine) as connection:
            found = sweeps.known(connection, name, ids)
        strangers = [each for each in ids if each not in found]
        waiting = self._deps.sources[name].waiting(strangers) if strangers else []
        return found | {each.thread_id for each in waiting}

    def _see(self, name: str, standing: Standing, thread_id: str, now: float) -> None:
        try:
            seen = observe(self._deps, name, thread_id)
        except Exception:
            # One thread that cannot be read must not hide the others; it is found again by the full pass.
            log.exception("looking at %s/%s failed", name, thread_id)
            return
        if seen is Seen.HALF_WAY:
            stamp = stamp_of(self._deps, name, thread_id)
            known, since = standing.half_way.get(thread_id, ("", now))
            standing.half_way[thread_id] = stamp, since if known == stamp else now
        else:
            standing.half_way.pop(thread_id, None)
        if seen is Seen.BUSY:
            standing.again.add(thread_id)

    def _full_pass(self, name: str, standing: Standing, now: float) -> None:
        port = self._deps.sources[name]
        if not standing.mark:
            standing.mark = port.changed_since("").mark
        standing.full_at = now + self._full
        self._in_line.clear()
        put_back(self._deps, name)
        with read(self._deps.engine) as connection:
            here = sweeps.statuses(connection, name)
            pauses = sweeps.pauses(connection, name)
            lost = sweeps.running_without_work(connection, name)
        todo = set(lost) | set(port.absent([each for each, status in here.items() if status in _CHECKED]))
        waiting = port.waiting()
        for each in waiting:
            status = here.get(each.thread_id, "")
            poisoned = each.failed and status == ThreadStatus.PAUSED
            if (each.thread_id, each.checkpoint_id) not in pauses or poisoned:
                todo.add(each.thread_id)
        there = {each.thread_id for each in waiting}
        todo |= {
            thread_id for thread_id, status in here.items() if status in _WAITS and thread_id not in there
        }
        for thread_id in sorted(todo):
            self._see(name, standing, thread_id, now)


_WAITS = {ThreadStatus.PAUSED, ThreadStatus.POISONED}
# A thread that is running may not be stored yet, and one that failed may never have been.
_CHECKED = {ThreadStatus.IDLE, *_WAITS, ThreadStatus.STUCK}


def put_back(deps: Deps, source: str) -> int:
    """Give decided pauses whose work got lost back to the worker, which reads anew how far each came."""
    with write(deps.engine) as connection:
        found = sweeps.lost_groups(connection, source)
        for row in found:
            where = source, row["thread_id"], row["group_key"]
            log.warning("the verdict on thread %s/%s had lost its work; it is put back", *where[:2])
            outbox.put_resume(connection, *where, head=row["checkpoint_id"], ready=True)
            if row["begun"]:
                outbox.again(connection, row["group_key"])
    if found:
        deps.wake()
    return len(found)


def say_what_waits(deps: Deps) -> None:
    """Verdicts of a source that is named no more, or whose agent is missing, wait until it is back."""
    with read(deps.engine) as connection:
        decided = sweeps.waiting_verdicts(connection)
    for name, count in sorted(decided.items()):
        port = deps.sources.get(name)
        why = "it is named in the settings no more" if port is None else port.problem
        if why:
            log.warning("%d decided reviews of the source %s wait: %s", count, name, why)


def lay_to_rest(deps: Deps, source: str, thread_id: str, stamp: str) -> None:
    """A thread that another program left half-way, and that has stood still since `stamp`.

    Whether its open calls ran is unknown: the journal sees only what runs here.
    """
    snapshot = snapshot_of(deps, source, thread_id)
    if snapshot is None or snapshot.pause is not None or not snapshot.unfinished:
        return
    with write(deps.engine) as connection:
        if stamp_of(deps, source, thread_id) != stamp:
            return
        if outbox.open_for_thread(connection, source, thread_id):
            return
        names = [call.name for call in snapshot.open_calls()]
        status = ThreadStatus.STUCK if names else ThreadStatus.FAILED
        unknown = f"; whether {', '.join(names)} ran is not known" if names else ""
        why = f"{_LEFT_HALF_WAY}{unknown}"[:2000]
        at_rest = [ThreadStatus.IDLE, ThreadStatus.PAUSED, ThreadStatus.POISONED, ThreadStatus.GONE]
        if not threads.move(connection, source, thread_id, at_rest, status, why):
            return
        if status is ThreadStatus.STUCK:
            show_doubt(connection, source, thread_id, snapshot, why, f"uncertain: {_LEFT_HALF_WAY}")
    tell(deps, source, thread_id)


class Sweeper:
    """Turns in a thread of its own; `stop` waits for the one under way, but only a few seconds."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._sweep = Sweep(deps)
        self.is_in_line = self._sweep.is_in_line
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._main, name="sweep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _main(self) -> None:
        greeted = False
        while not self._stop.is_set():
            try:
                if not greeted:
                    say_what_waits(self._deps)
                    drafts.purge(self._deps)
                    greeted = True
                self._sweep.turn(time.monotonic())
            except Exception:
                # A locked or full database must not end the sweep: it tries again at the next turn.
                log.exception("the sweep failed")
            self._stop.wait(LOOK_SECONDS)
