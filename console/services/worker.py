"""The worker: a thread with its own event loop, which owns the sources' savers and drives every run.

A stranger's blocking tool can freeze this loop, never the browsers'.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

from console.services.changes import Change
from console.services.deps import Deps
from console.services.owners import is_dead, own_name
from console.services.settle import Job, finish, plan
from console.store import outbox
from console.store.engine import RowMapping, read, write

log = logging.getLogger("console.worker")
LEASE_SECONDS, HEARTBEAT_SECONDS, POLL_SECONDS = 20.0, 5.0, 0.2
MAX_RUNS = 32
DRAIN_SECONDS = 6.0


class LeaseLost(RuntimeError):
    """Another process may run this thread now, so no further tool of this run may start."""


class _Journal:
    def __init__(self, deps: Deps, job: Job, decisions: dict[str, str]) -> None:
        self._deps, self._job, self._decisions = deps, job, decisions

    def start(self, tool_call_id: str, name: str, args_text: str) -> int:
        with write(self._deps.engine) as connection:
            chosen = self._decisions.get(tool_call_id)
            found = outbox.journal_start(connection, self._job.lease, tool_call_id, name, args_text, chosen)
        if found is None:
            raise LeaseLost(f"{name} was not started: the lease is lost, or the call is running already")
        self._deps.changes.publish(Change("thread", self._job.source, self._job.thread_id))
        return found

    def end(self, run_id: int, ended: str, error: str) -> None:
        with write(self._deps.engine) as connection:
            outbox.journal_end(connection, run_id, ended, error)


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

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._owner = own_name()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="worker", daemon=True)
        self._look = asyncio.Event()
        self._stopping = asyncio.Event()
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        self._deps.wake = self.wake

    def wake(self) -> None:
        self._call(self._look.set)

    def stop(self) -> None:
        self._call(self._stopping.set)
        self._thread.join(DRAIN_SECONDS + 4)

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
            self._loop.close()

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
        waits = [asyncio.ensure_future(event.wait()) for event in (self._look, self._stopping)]
        _, rest = await asyncio.wait(waits, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for each in rest:
            each.cancel()
        self._look.clear()

    async def _take_due(self) -> None:
        if len(self._tasks) >= MAX_RUNS:
            return
        rows, dead = await asyncio.to_thread(self._due)
        for row in rows:
            if row["id"] in self._tasks or len(self._tasks) >= MAX_RUNS:
                continue
            job = await asyncio.to_thread(self._take, row, dead)
            if job is not None:
                task = self._loop.create_task(self._work(job), context=contextvars.Context())
                self._tasks[row["id"]] = task
                task.add_done_callback(partial(self._forget, row["id"]))

    def _forget(self, outbox_id: int, _: object) -> None:
        self._tasks.pop(outbox_id, None)

    def _due(self) -> tuple[list[RowMapping], list[str]]:
        with read(self._deps.engine) as connection:
            rows = [row for row in outbox.due(connection) if row["source"] in self._deps.sources]
            dead = [owner for owner in outbox.owners(connection) if owner != self._owner and is_dead(owner)]
        return [row for row in rows if not _held(row, dead)], dead

    def _take(self, row: RowMapping, dead: list[str]) -> Job | None:
        with write(self._deps.engine) as connection:
            lease = outbox.take(connection, row, self._owner, dead, LEASE_SECONDS)
        return Job(row, lease, row["state"]) if lease else None

    async def _work(self, job: Job) -> None:
        beat = self._loop.create_task(self._heartbeat(job))
        error: Exception | None = None
        try:
            run = await asyncio.to_thread(plan, self._deps, job)
            if run is not None:
                journal = _Journal(self._deps, job, dict(run.decisions))
                try:
                    await self._deps.sources[job.source].run(run, journal, _Sink(self._deps, job))
                except Exception as problem:
                    log.warning("the run of %s/%s failed", job.source, job.thread_id, exc_info=problem)
                    error = problem
            await asyncio.to_thread(finish, self._deps, job, error)
        except Exception:
            # The row stays as it is; the lease lapses and the next turn reads the thread anew.
            log.exception("settling %s/%s failed", job.source, job.thread_id)
        finally:
            beat.cancel()

    async def _heartbeat(self, job: Job) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                held = await asyncio.to_thread(self._renew, job)
            except Exception:
                log.exception("the heartbeat of %s/%s failed", job.source, job.thread_id)
                continue
            if not held:
                log.warning("the lease on %s/%s is lost", job.source, job.thread_id)
                return

    def _renew(self, job: Job) -> bool:
        with write(self._deps.engine) as connection:
            return outbox.renew(connection, job.lease, LEASE_SECONDS)

    async def _drain(self) -> None:
        """Give running steps a moment; what is cut off is found by the next start."""
        running = list(self._tasks.values())
        if running:
            _, late = await asyncio.wait(running, timeout=DRAIN_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _held(row: RowMapping, dead: list[str]) -> bool:
    return row["owner"] is not None and row["owner"] not in dead and row["until"] > datetime.now(UTC)


@contextmanager
def running(deps: Deps) -> Iterator[Worker]:
    worker = Worker(deps)
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()
