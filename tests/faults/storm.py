"""kill -9 at random times while several people go on deciding, and a history of all they were told."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.faults import checks, fork, lives

DECIDERS, PER_SECOND = 3, 20.0
WORDS = ("approve", "edit", "approve", "reject")
SHAPES = (("batched", 1), ("batched", 2), ("per_call", 2), ("batched", 1))
# Between two kills, in seconds: from before a worker is up to long after.
SHORTEST, LONGEST = 0.02, 0.5
THREADS_PER_KILL = 6
PATIENCE, REST = 900.0, 60.0


@dataclass
class Figures:
    kills: int = 0
    workers: int = 0
    decided: int = 0
    per_second: float = 0.0
    ends: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    doubled: int = 0
    broken: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.kills > 0 and not self.broken


def campaign(kills: int, seed: int) -> Figures:
    found = fork.in_clean_process(_storm, kills, seed)
    assert isinstance(found, Figures)
    return found


def _storm(kills: int, seed: int) -> Figures:
    chance = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="storm-")) / "console"
    log = folder.parent / "log.txt"
    shapes = [chance.choice(SHAPES) for _ in range(max(8, kills * THREADS_PER_KILL))]
    fork.run(partial(lives.make_tables, folder), log)
    fork.run(partial(lives.prepare, folder, shapes), log, PATIENCE)
    figures = Figures()
    begun = time.monotonic()
    _kill_at_random(folder, log, kills, chance, figures)
    before = _decided(folder)
    figures.per_second = before / (time.monotonic() - begun)
    try:
        fork.run(partial(_come_to_rest, folder), log, PATIENCE)
    except fork.HarnessBroke as broke:
        # It did not come to rest, which is a finding and no fault of the harness.
        figures.broken.append(f"{broke} ({folder})")
        figures.lost = 1
        return figures
    found = checks.check(folder, _all_pairs(folder), *_histories(folder))
    figures.decided = _decided(folder)
    figures.ends, figures.broken = found.ends, found.broken
    figures.lost, figures.doubled = len(found.lost), len(found.doubled)
    if figures.passed:
        shutil.rmtree(folder.parent)
    return figures


def _kill_at_random(folder: Path, log: Path, kills: int, chance: random.Random, figures: Figures) -> None:
    """Number 0 is the worker, which dies most often; whoever is killed starts again at once."""
    alive = {number: _start(folder, log, number) for number in range(DECIDERS + 1)}
    while figures.kills < kills:
        time.sleep(chance.uniform(SHORTEST, LONGEST))
        victim = 0 if chance.random() < 0.7 else chance.choice(sorted(alive))
        if fork.kill(alive.pop(victim)):
            figures.kills += 1
            figures.workers += victim == 0
            alive[victim] = _start(folder, log, victim)
        elif victim == 0:
            raise fork.HarnessBroke(f"the worker ended by itself:\n{log.read_text()[-3000:]}")
        if figures.kills % 50 == 0:
            fork.tell(f"  {figures.kills} of {kills} kills")
    for pid in alive.values():
        fork.kill(pid)


def _start(folder: Path, log: Path, number: int) -> int:
    return fork.fork(partial(_decide if number else _work, folder, number), log)


def _work(folder: Path, _: int) -> None:
    with lives.serving(lives.open_console(folder)):
        time.sleep(PATIENCE)


def _decide(folder: Path, number: int) -> None:
    """At its share of the pace, from where its history ends."""
    deps = lives.open_console(folder)
    world, history = lives.world_of(folder, deps, ""), lives.History(_history(folder, number))
    for pair in _left(folder, number):
        lives.say(world, _name(number), pair, history, f"{number}-{pair.review_id}")
        time.sleep(DECIDERS / PER_SECOND)


def _come_to_rest(folder: Path) -> None:
    """Everyone says the rest, and again what they got no answer to; nobody is killed any more."""
    deps = lives.open_console(folder)
    world = lives.world_of(folder, deps, "")
    with lives.serving(deps):
        for number in range(1, DECIDERS + 1):
            history = lives.History(_history(folder, number))
            for pair in _left(folder, number):
                lives.say(world, _name(number), pair, history, f"{number}-{pair.review_id}")
        lives.wait_for_rest(folder, REST)
        lives.keep_transcripts(folder, deps)


def _left(folder: Path, number: int) -> list[lives.Pair]:
    answered = {
        line["review"]
        for line in lives.History.read(_history(folder, number))
        if line["op"] in {"decided", "refused"}
    }
    return [pair for pair in _share(folder, number) if pair.review_id not in answered]


def _share(folder: Path, number: int) -> list[lives.Pair]:
    """Every third review, and every ninth of the next person's, so that some are fought over."""
    pairs = lives.pairs_of(folder, lambda thread, at: WORDS[(thread + at + number) % len(WORDS)], number)
    mine, next_one = number - 1, number % DECIDERS
    return [pair for at, pair in enumerate(pairs) if at % DECIDERS == mine or at % 9 == next_one]


def _all_pairs(folder: Path) -> list[lives.Pair]:
    return lives.pairs_of(folder, lambda _, __: "approve")


def _decided(folder: Path) -> int:
    return sum(line["op"] == "decided" for line in lives.History.read(*_histories(folder)))


def _history(folder: Path, number: int) -> Path:
    return folder / f"history-{number}.jsonl"


def _histories(folder: Path) -> list[Path]:
    return [_history(folder, number) for number in range(1, DECIDERS + 1)]


def _name(number: int) -> str:
    return ("sam", "sue")[number % 2]
