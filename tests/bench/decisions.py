"""B3, B4, B5: what a decision costs beside a bare resume, and how often it happens."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from console.services import settle
from console.services.deps import Deps
from tests.faults import bare, fork, kills, lives, race
from tests.faults.points import after
from tests.services.agents import obedient
from tests.services.world import World

ROUNDS, REVIEWS, WARM_UP = 7, 22, 2
STRICT = "__pregel_strict_resume"


def b3() -> list[tuple[str, float, float]]:
    """Rounds of many reviews, each decided and settled by the console, and as many pauses resumed bare."""
    found: list[tuple[str, float, float]] = fork.in_clean_process(_b3)
    return found


def b4() -> tuple[float, list[str]]:
    found = race.campaign(40, 4, 4)
    two, eight = bare.race(10, 2, 1), bare.race(10, 1, 8)
    return found.executions / found.allowed + len(found.broken), [
        f"{found.attempts} attempts at {found.reviews} reviews, of which {found.allowed} were to run",
        f"bare, 2 processes: {two.mean:.1f} executions a review, {two.wrong} of 10 transcripts wrong",
        f"bare, 8 threads: {eight.mean:.1f} executions a review, {eight.wrong} of 10 transcripts wrong",
    ]


def b5() -> tuple[float, list[str]]:
    found = kills.campaign(3, 1, 5)
    died = ", ".join(f"{count} when killed {name}" for name, count in bare.deaths())
    return (found.lost + found.doubled) / found.kills, [f"{found.kills} kills", f"bare, effects: {died}"]


def _b3() -> list[tuple[str, float, float]]:
    folder = Path(mkdtemp(prefix="b3-"))
    log = folder / "log.txt"
    measured = []
    for number in range(ROUNDS):
        console = folder / f"round-{number}"
        fork.run(partial(lives.make_tables, console), log)
        fork.run(partial(lives.prepare, console, [("batched", 1)] * (2 * REVIEWS)), log, 120.0)
        fork.run(partial(_both, console, number), log, 120.0)
        ours, theirs = map(float, (console / "times.txt").read_text().split())
        measured.append((f"round {number}", ours, theirs))
    shutil.rmtree(folder)
    return measured


def _both(folder: Path, number: int) -> None:
    """Review by review in turn, so that whatever else the machine does weighs on both; each begins as often.

    Bare threads are in a copy of the checkpoints that the console does not know, whose sweep would find each
    of them answered past it. The first two of each are for warming up.
    """
    pairs = lives.pairs_of(folder, lambda _, __: "approve")
    _copy(folder / "batched.db", folder / "bare.db")
    deps: Deps = lives.open_console(folder)
    settled = threading.Event()
    # Asking the database for it would take time from the worker that is being measured.
    after(settle, "publish")(settled.set)
    times = [0.0, 0.0]
    with lives.serving(deps), asyncio.Runner() as runner:
        bare = runner.run(_bare(folder))
        history = lives.History(folder / "history.jsonl")
        sides = (
            partial(_ours, lives.world_of(folder, deps, "batched"), history, settled),
            lambda pair: runner.run(_resume(bare[1], pair)),
        )
        for at, mine, other in zip(range(len(pairs)), pairs, pairs[len(pairs) // 2 :], strict=False):
            for side in ((0, 1), (1, 0))[(at + number) % 2]:
                begun = time.perf_counter()
                sides[side]((mine, other)[side])
                if at >= WARM_UP:
                    times[side] += time.perf_counter() - begun
                # What either does after its answer must not fall into the other's time.
                time.sleep(0.005)
        runner.run(bare[0].close())
    (folder / "times.txt").write_text(f"{times[0]} {times[1]}")


def _copy(found: Path, to: Path) -> None:
    with closing(sqlite3.connect(found)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)


def _ours(world: World, history: lives.History, settled: threading.Event, pair: lives.Pair) -> None:
    settled.clear()
    lives.say(world, "sam", pair, history, None)
    if not settled.wait(60.0):
        raise TimeoutError(f"review {pair.review_id} does not settle")


async def _bare(folder: Path) -> tuple[aiosqlite.Connection, Any]:
    connection = await aiosqlite.connect(folder / "bare.db", timeout=30)
    saver = AsyncSqliteSaver(connection)
    await saver.setup()
    return connection, obedient(folder).copy({"checkpointer": saver})


async def _resume(graph: Any, pair: lives.Pair) -> None:
    config = {"configurable": {"thread_id": pair.thread_id, STRICT: True}}
    waiting = (await graph.aget_state(config)).interrupts[0].id
    answer: Any = Command(resume={waiting: {"decisions": pair.decisions()}})
    async for _ in graph.astream(
        answer, config, stream_mode=["messages", "updates"], version="v2", durability="sync"
    ):
        pass
