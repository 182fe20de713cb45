"""The same race and the same deaths on LangGraph alone, to be printed beside ours.

Each contender answers the pause as its documentation says: `Command(resume=…)` on the thread.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from tests.faults import fork, lives
from tests.faults.points import arm
from tests.services.agents import effects, obedient
from tests.services.world import call

# Between two reviews, so that all contenders are at the same one; and what a tool takes.
APART, TOOL_SECONDS = 0.6, 0.1
PATIENCE = 300.0
DEATHS = (
    ("after the tool's effect", "inside the tool, after its effect"),
    ("before the answer is handed over", ""),
    ("before the tool's effect", "inside the tool, before its effect"),
)


@dataclass
class Figures:
    """`executions` of each contested review; `wrong`: reviews whose transcript is not what happened."""

    executions: list[int] = field(default_factory=list)
    wrong: int = 0

    @property
    def mean(self) -> float:
        return sum(self.executions) / len(self.executions)


def race(reviews: int, processes: int, threads: int) -> Figures:
    found = fork.in_clean_process(_race, reviews, processes, threads)
    assert isinstance(found, Figures)
    return found


def deaths() -> list[tuple[str, int]]:
    """How often one approved call happened, by where the process was killed before it was run on."""
    found: list[tuple[str, int]] = fork.in_clean_process(_deaths)
    return found


def _graph(folder: Path, look: Any = lambda: None) -> Any:
    connection = sqlite3.connect(folder / "bare.db", check_same_thread=False, timeout=30)
    return obedient(folder, look=look).copy({"checkpointer": SqliteSaver(connection)})


def _config(thread: int) -> Any:
    return {"configurable": {"thread_id": f"t{thread}"}}


def _pause(folder: Path, reviews: int) -> None:
    graph = _graph(folder)
    for thread in range(reviews):
        asked = call(("charge", {"amount": lives.amount(thread, 0)}))
        graph.invoke({"messages": [HumanMessage(asked)]}, _config(thread))


def _answer(thread: int, number: int) -> Any:
    word = ("approve", "edit", "reject")[number % 3]
    decision = lives.Pair("", 1, "", thread, "", 0, (word,), editor=number + 1).decisions()
    return Command(resume={"decisions": decision})


def _race(reviews: int, processes: int, threads: int) -> Figures:
    folder = Path(tempfile.mkdtemp(prefix="bare-"))
    log = folder / "log.txt"
    fork.run(partial(_pause, folder, reviews), log, PATIENCE)
    begin = time.time() + 1.0
    lanes = [
        fork.fork(partial(_contend, folder, reviews, range(at * threads, (at + 1) * threads), begin), log)
        for at in range(processes)
    ]
    for pid in lanes:
        if fork.wait(pid, PATIENCE) != 0:
            raise fork.HarnessBroke(log.read_text()[-3000:])
    fork.run(partial(_keep_transcripts, folder, reviews), log, PATIENCE)
    said = (folder / "said.txt").read_text().splitlines()
    happened = [
        [line for line in effects(folder) if int(line.removeprefix("charge ")) // lives.SPAN == thread + 1]
        for thread in range(reviews)
    ]
    wrong = sum(said[thread] != ", ".join(happened[thread]) for thread in range(reviews))
    return Figures([len(each) for each in happened], wrong)


def _contend(folder: Path, reviews: int, numbers: Sequence[int], begin: float) -> None:
    graph = _graph(folder, look=lambda: time.sleep(TOOL_SECONDS))

    def contend(number: int) -> None:
        for thread in range(reviews):
            time.sleep(max(0.0, begin + APART * thread - time.time()))
            graph.invoke(_answer(thread, number), _config(thread))

    contenders = [threading.Thread(target=contend, args=(number,)) for number in numbers]
    for each in contenders:
        each.start()
    for each in contenders:
        each.join()


def _keep_transcripts(folder: Path, reviews: int) -> None:
    """A line per review: what its messages say was charged."""
    graph = _graph(folder)
    lines = []
    for thread in range(reviews):
        messages = graph.get_state(_config(thread)).values["messages"]
        texts = [str(each.content) for each in messages if isinstance(each, ToolMessage)]
        charged = [text.rsplit("charged ", 1)[1] for text in texts if "charged " in text]
        lines.append(", ".join(f"charge {value}" for value in charged))
    (folder / "said.txt").write_text("\n".join(lines))


def _deaths() -> list[tuple[str, int]]:
    found = []
    for name, point in DEATHS:
        folder = Path(tempfile.mkdtemp(prefix="bare-"))
        log = folder / "log.txt"
        fork.run(partial(_pause, folder, 1), log, PATIENCE)
        if not fork.was_killed(fork.wait(fork.fork(partial(_decide_and_die, folder, point), log), PATIENCE)):
            raise fork.HarnessBroke(f"it lived on: {name}")
        fork.run(partial(_go_on, folder), log, PATIENCE)
        found.append((name, len(effects(folder))))
    return found


def _decide_and_die(folder: Path, point: str) -> None:
    graph = _graph(folder)
    if not point:
        fork.die()
    arm(point, 1)
    graph.invoke(_answer(0, 0), _config(0))


def _go_on(folder: Path) -> None:
    """What a restart can do without a table of its own: run on whatever is not finished."""
    _graph(folder).invoke(None, _config(0))
