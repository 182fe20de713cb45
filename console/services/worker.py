"""The worker: a thread with its own event loop, which owns the sources' savers and drives every run.

A stranger's blocking tool can freeze this loop, never the browsers'.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from console.services.changes import Change
from console.services.deps import Deps
from console.services.owners import is_dead, own_name
from console.services.planning import Begun, Job, begin
from console.services.settle import finish, set_aside
from console.services.sweep import Sweeper
from console.sources.port import Run
from console.store import outbox
from console.store.engine import RowMapping, read, trouble_of, write
from console.store.lease_check import LeaseCheck

log = logging.getLogger("console.worker")
LEASE_SECONDS, HEARTBEAT_SECONDS, POLL_SECONDS = 20.0, 5.0, 0.2
MAX_RUNS = 32
DRAIN_SECONDS = 6.0
T = TypeVar("T")


class LeaseLost(RuntimeError):
    """Another process may run this thread now, so no further tool of this run may start."""


class _Journal:
    def __init__(self, deps: Deps, job: Job, decisions: dict[str, str], leases: LeaseCheck) -> None:
        self._deps, self._job, self._decisions, self._leases = deps, job, decisions, leases
        self.started = False

    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        with write(self._deps.engine) as connection:
            chosen = self._decisions.get(tool_call_id)
            found = outbox.journal_start(connection, self._job.lease, tool_call_id, name, args_text, chosen)
        if found is None:
            raise LeaseLost(f"{name} was not started: the lease is lost, or the call is running already")
        self.started = True
        self._deps.changes.publish(Change("thread", self._job.source, self._job.thread_id))
        return found

    def end(self, run_id: int, ended: str, error: str) -> None:
        with write(self._deps.engine) as connection:
            outbox.journal_end(connection, run_id, ended, error)

    def check(self) -> None:
        """Raise when another owner has the thread: nothing of this run may be stored any more."""
        if not self._leases.holds(self._job.lease):
            raise LeaseLost("the lease is lost, so nothing of this run is kept")


class _Sink:
    """Tokens become the draft. A finished step may not be readable for a moment yet, so it is told twice."""

    def __init__(self, deps: Deps, job: Job) -> None:
        self._deps, self._source, self._thread = deps, job.source, job.thread_id
        self._complete = False

    def token(self, text: str) -> None:
        if self._complete:
            self._deps.drafts.clear(self._source, self._thread)
            self._complete = False
        self._deps.drafts.append(self._source, self._thread, text)
        self._deps.changes.publish(Change("token", self._source, self._thread, text))

    def step(self) -> None:
        self._complete = True
        self._tell()
        asyncio.get_running_loop().call_later(0.15, self._tell)

    def _tell(self) -> None:
        self._deps.changes.publish(Change("thread", self._source, self._thread))


class Worker:
    """`start` returns once runs are accepted; `stop` lets running steps end, for a few seconds."""

    def __init__(
        self, deps: Deps, *, lease_seconds: float | None = None, heartbeat_seconds: float | None = None
    ) -> None:
        self._deps = deps
        self._lease_seconds = LEASE_SECONDS if lease_seconds is None else lease_seconds
        self._heartbeat_seconds = HEARTBEAT_SECONDS if heartbeat_seconds is None else heartbeat_seconds
        self._sweeper, self._leases = Sweeper(deps), LeaseCheck(deps.engine)
        self._owner = own_name()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="worker", daemon=True)
        # Verdicts on what cannot be run here wait: an attempt would only fail.
        self._runnable = [name for name, source in deps.sources.items() if not source.problem]
        self._look = asyncio.Event()
        self._stopping = asyncio.Event()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        # Not the loop's own threads: there a few slow tools would hold up every lease's renewal.
        self._steps = ThreadPoolExecutor(MAX_RUNS + 2, thread_name_prefix="worker-step")
        self._beats = ThreadPoolExecutor(4, thread_name_prefix="worker-beat")

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        self._deps.wake = self.wake
        self._sweeper.start()

    def wake(self) -> None:
        self._call(self._look.set)

    def stop(self) -> None:
        self._sweeper.stop()
        self._call(self._end)
        self._thread.join(DRAIN_SECONDS + 4)

    def _end(self) -> None:
        self._stopping.set()
        self._look.set()

    def _call(self, what: Callable[[], object]) -> None:
        # An empty context: a run must not carry the identity of the browser tab that woke the worker.
        try:
            self._loop.call_soon_threadsafe(what, context=contextvars.Context())
        except RuntimeError:
            log.debug("the worker's loop is closed already")

    def _main(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as problem:
            log.exception("the worker ended")
            self._failure = problem
        finally:
            self._ready.set()
            self._steps.shutdown(wait=False, cancel_futures=True)
            self._beats.shutdown(wait=False, cancel_futures=True)
            self._leases.close()
            self._loop.close()

    async def _step(self, what: Callable[..., T], *args: object) -> T:
        return await self._loop.run_in_executor(self._steps, partial(what, *args))

    async def _serve(self) -> None:
        for source in self._deps.sources.values():
            await source.open()
        self._ready.set()
        while not self._stopping.is_set():
            try:
                await self._take_due()
            except Exception:
                # A locked or full database must not end the worker: it tries again at the next turn.
                log.exception("looking for work failed")
            await self._wait()
        await self._drain()
        for source in self._deps.sources.values():
            await source.close()

    async def _wait(self) -> None:
        turn = self._loop.call_later(POLL_SECONDS, self._look.set)
        await self._look.wait()
        turn.cancel()
        self._look.clear()

    async def _take_due(self) -> None:
        if len(self._tasks) >= MAX_RUNS:
            return
        rows, dead = await self._step(self._due)
        for row in rows:
            if row["id"] in self._tasks or len(self._tasks) >= MAX_RUNS:
                continue
            task = self._loop.create_task(self._carry_out(row, dead), context=contextvars.Context())
            self._tasks[row["id"]] = task
            task.add_done_callback(partial(self._forget, row["id"]))

    def _forget(self, outbox_id: int, _: object) -> None:
        self._tasks.pop(outbox_id, None)

    def _due(self) -> tuple[list[RowMapping], list[str]]:
        with read(self._deps.engine) as connection:
            dead = [owner for owner in outbox.owners(connection) if owner != self._owner and is_dead(owner)]
            return outbox.due(connection, dead, self._runnable), dead

    async def _carry_out(self, row: RowMapping, dead: list[str]) -> None:
        try:
            begun = await self._step(self._take, row, dead)
        except Exception:
            # Nothing is taken, so the row is found again at the next turn.
            log.exception("taking up %s/%s failed", row["source"], row["thread_id"])
        else:
            if begun is not None:
                await self._work(begun)

    def _take(self, row: RowMapping, dead: list[str]) -> Begun | None:
        try:
            return begin(self._deps, row, self._owner, dead, self._lease_seconds)
        except Exception as problem:
            # The lease alone, so that the failed attempt is counted by one worker only.
            with write(self._deps.engine) as connection:
                lease = outbox.take(connection, row, self._owner, dead, self._lease_seconds)
            return Begun(Job(row, lease, row["state"]), None, problem) if lease else None

    async def _work(self, begun: Begun) -> None:
        job = begun.job
        beat = self._loop.create_task(self._heartbeat(job, asyncio.current_task()))
        try:
            if begun.problem is not None:
                raise begun.problem
            error = await self._run(job, begun.run) if begun.run is not None else None
            stamp = await self._step(finish, self._deps, job, error)
            self._sweeper.is_in_line(job.source, job.thread_id, stamp)
        except Exception as problem:
            log.exception("settling %s/%s failed", job.source, job.thread_id)
            await self._set_aside(job, problem)
        except asyncio.CancelledError:
            self._deps.drafts.clear(job.source, job.thread_id)
            raise
        finally:
            beat.cancel()

    async def _run(self, job: Job, run: Run) -> Exception | None:
        """What the agent raised, which is part of the thread's story; None when nothing did."""
        journal = _Journal(self._deps, job, dict(run.decisions), self._leases)
        guarded = replace(run, guard=journal.check)
        try:
            await self._deps.sources[job.source].run(guarded, journal, _Sink(self._deps, job))
        except Exception as problem:
            log.warning("the run of %s/%s failed", job.source, job.thread_id, exc_info=problem)
            if not journal.started and trouble_of(problem) is not None:
                # A full disk or a locked file, and no tool began: not the agent's failure, so later again.
                raise
            return problem
        return None

    async def _set_aside(self, job: Job, problem: Exception) -> None:
        try:
            await self._step(set_aside, self._deps, job, problem)
        except Exception:
            # The row stays as it is; the lease lapses and the next turn reads the thread anew.
            log.exception("setting %s/%s aside failed", job.source, job.thread_id)

    async def _heartbeat(self, job: Job, work: asyncio.Task[None] | None) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            try:
                held = await self._loop.run_in_executor(self._beats, self._renew, job)
            except Exception:
                log.exception("the heartbeat of %s/%s failed", job.source, job.thread_id)
                continue
            if not held:
                log.warning("the lease on %s/%s is lost: its run is stopped", job.source, job.thread_id)
                if work is not None:
                    work.cancel()
                return

    def _renew(self, job: Job) -> bool:
        with write(self._deps.engine) as connection:
            return outbox.renew(connection, job.lease, self._lease_seconds)

    async def _drain(self) -> None:
        """Give running steps a moment; what is cut off is found by the next start."""
        running = list(self._tasks.values())
        if running:
            _, late = await asyncio.wait(running, timeout=DRAIN_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


@contextmanager
def running(deps: Deps, **seconds: float) -> Iterator[Worker]:
    """`seconds` as `Worker` takes them."""
    worker = Worker(deps, **seconds)
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()
