"""Consoles in processes of their own over one data folder, to race one another and to be killed.

They are forked from a server process that has imported everything, so that one starts in milliseconds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import MappingProxyType
from typing import Any

from console.domain.errors import Conflict
from console.services import chat, decide, inbox, planning, settle
from console.services.deps import Deps
from console.services.worker import running
from console.sources.local import LocalSource
from console.store import outbox
from tests.services.agents import leave_mark, obedient
from tests.services.world import (
    APPROVE,
    OBEDIENT,
    PATIENCE,
    REJECT,
    SUPPORT,
    cast_of,
    demo_deps,
    deps_over,
    edit,
)

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.services.processes"])


@contextmanager
def process(what: Any, *args: Any) -> Iterator[ForkServerProcess]:
    """Run it beside the test; whatever is left of it at the end is killed."""
    started = CONTEXT.Process(target=what, args=args, daemon=True)
    started.start()
    try:
        yield started
    finally:
        kill(started)


def kill(victim: ForkServerProcess) -> None:
    victim.kill()
    victim.join(PATIENCE)


def join(*processes: ForkServerProcess) -> None:
    for each in processes:
        each.join(2 * PATIENCE)
        assert each.exitcode == 0, each.exitcode


def open_console(folder: Path, source: str) -> Deps:
    if source == SUPPORT:
        return demo_deps(folder)
    graph = obedient(folder)
    return deps_over(folder, {OBEDIENT: LocalSource(OBEDIENT, graph, folder / "checkpoints.db")})


# --- what the processes do


def race(folder: Path, reviews: Sequence[tuple[str, str]], works: bool, start: Any, told: Any) -> None:
    """Eight people decide every review as fast as they can; one line about each attempt goes to `told`."""
    deps = open_console(folder, SUPPORT)
    cast = cast_of(deps)
    lines: list[tuple[Any, ...]] = []

    def compete(number: int) -> None:
        actor = cast["sam" if number % 2 else "sue"]
        verdict = [APPROVE, REJECT, edit("refund_order", order_id="A-2048", amount=300 + number)][number % 3]
        start.wait(PATIENCE)
        for review_id, digest in reviews:
            try:
                won = decide.decide(deps, actor, review_id, version=1, digest=digest, decisions=[verdict])
            except Conflict as lost:
                lines.append((review_id, "lost", lost.decided_by, lost.decided_at, None))
            else:
                lines.append((review_id, "won", won.decided_by, won.decided_at, won.decision_id))

    threads = [threading.Thread(target=compete, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    if works:
        with running(deps):
            for each in threads:
                each.join()
            _wait_until_settled(deps, [review_id for review_id, _ in reviews])
    else:
        for each in threads:
            each.join()
    told.put(lines)


def _wait_until_settled(deps: Deps, reviews: Sequence[str]) -> None:
    sam, until = cast_of(deps)["sam"], time.monotonic() + PATIENCE
    while any(inbox.review(deps, sam, each).settled_at is None for each in reviews):
        assert time.monotonic() < until
        time.sleep(0.02)


def work(
    folder: Path, source: str, ready: Any, stop: Any, seconds: Mapping[str, float] = MappingProxyType({})
) -> None:
    """A worker until `stop` is set; `seconds` as `Worker` takes them."""
    with running(open_console(folder, source), **seconds):
        ready.set()
        stop.wait(2 * PATIENCE)


def decide_and_die(folder: Path, review_id: str, digest: str) -> None:
    """No worker, and the process ends in the moment after the commit."""
    deps = open_console(folder, SUPPORT)
    deps.wake = lambda: os.kill(os.getpid(), signal.SIGKILL)
    decide.decide(deps, cast_of(deps)["sam"], review_id, version=1, digest=digest, decisions=[APPROVE])


def die_in_commit(folder: Path, review_id: str, digest: str) -> None:
    """The process ends inside the transaction, after everything is written and before the commit."""
    deps = open_console(folder, SUPPORT)

    def die(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(decide, "VerdictView", die)  # noqa: B010
    decide.decide(deps, cast_of(deps)["sam"], review_id, version=1, digest=digest, decisions=[APPROVE])


def die_at(folder: Path, moment: str) -> None:
    """A worker that ends when it comes to the moment: taken, dispatched, ran."""
    deps = open_console(folder, SUPPORT)

    def die(*_: Any, **__: Any) -> Any:
        leave_mark(folder, f"died {moment}")
        os.kill(os.getpid(), signal.SIGKILL)

    if moment == "taken":
        planning._plan_resume = die
    elif moment == "dispatched":
        deps.sources[SUPPORT].run = die  # type: ignore[method-assign]
    else:
        settle._settle_group = die
    with running(deps):
        time.sleep(PATIENCE)


def die_after_the_tool(folder: Path, text: str = "") -> None:
    """A worker that ends when a tool has ended, before its result is kept."""
    deps = open_console(folder, OBEDIENT)
    real = outbox.journal_end

    def end_and_die(connection: Any, *given: Any) -> None:
        real(connection, *given)
        connection.commit()
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(outbox, "journal_end", end_and_die)  # noqa: B010
    with running(deps):
        if text:
            chat.start(deps, cast_of(deps)["sam"], OBEDIENT, text)
        time.sleep(PATIENCE)


def say_and_work(folder: Path, text: str) -> None:
    deps = open_console(folder, OBEDIENT)
    with running(deps):
        chat.start(deps, cast_of(deps)["sam"], OBEDIENT, text)
        time.sleep(PATIENCE)
