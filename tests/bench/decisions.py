"""B3, B4, B5: what a decision costs beside a bare resume, and how often it happens."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
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

ROUNDS, REVIEWS = 9, 20
STRICT = "__pregel_strict_resume"


def b3() -> list[tuple[str, float, float]]:
    """Rounds of many reviews, one after another: decided and settled by the console, or resumed bare."""
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
    """The first half of the threads is decided here, the second resumed bare; who begins takes turns."""
    pairs = lives.pairs_of(folder, lambda _, __: "approve")
    halves = [partial(_ours, folder, pairs[:REVIEWS]), partial(_theirs, folder, pairs[REVIEWS:])]
    order = (0, 1) if number % 2 else (1, 0)
    times = {at: halves[at]() for at in order}
    (folder / "times.txt").write_text(f"{times[0]} {times[1]}")


def _ours(folder: Path, pairs: list[lives.Pair]) -> float:
    deps: Deps = lives.open_console(folder)
    world, history = lives.world_of(folder, deps, "batched"), lives.History(folder / "history.jsonl")
    settled = threading.Event()
    # Asking the database for it would take time from the worker that is being measured.
    after(settle, "publish")(settled.set)
    with lives.serving(deps):
        begun = time.perf_counter()
        for pair in pairs:
            settled.clear()
            lives.say(world, "sam", pair, history, None)
            if not settled.wait(60.0):
                raise TimeoutError(f"review {pair.review_id} does not settle")
        return time.perf_counter() - begun


def _theirs(folder: Path, pairs: list[lives.Pair]) -> float:
    return asyncio.run(_resume_all(folder, pairs))


async def _resume_all(folder: Path, pairs: list[lives.Pair]) -> float:
    async with aiosqlite.connect(folder / "batched.db", timeout=30) as connection:
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
        graph: Any = obedient(folder).copy({"checkpointer": saver})
        begun = time.perf_counter()
        for pair in pairs:
            config = {"configurable": {"thread_id": pair.thread_id, STRICT: True}}
            waiting = (await graph.aget_state(config)).interrupts[0].id
            answer: Any = Command(resume={waiting: {"decisions": pair.decisions()}})
            async for _ in graph.astream(
                answer, config, stream_mode=["messages", "updates"], version="v2", durability="sync"
            ):
                pass
        return time.perf_counter() - begun
