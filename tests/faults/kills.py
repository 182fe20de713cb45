"""kill -9 at every named point, again and again, and a restart after each: nothing lost, nothing twice."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.faults import checks, fork, lives
from tests.faults.points import AGAIN, BY_NAME, POINTS, STUCK, Point

ROUNDS_PER_POINT = 32
VERDICTS = (
    ("approve",),
    ("edit",),
    ("reject",),
    ("approve", "reject"),
    ("edit", "approve"),
    ("reject", "reject"),
    ("approve", "approve", "edit"),
    ("edit", "reject", "approve"),
)
DEATH = 30.0
LANES = 2


@dataclass(frozen=True)
class Case:
    point: str
    again: str | None
    mode: str
    words: tuple[str, ...]
    nth: int

    def __str__(self) -> str:
        then = f", then at {self.again}" if self.again else ""
        return f"{self.point}{then} (time {self.nth}; {self.mode}; {', '.join(self.words)})"


@dataclass
class Figures:
    kills: int = 0
    lost: int = 0
    doubled: int = 0
    other: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    by_point: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.kills > 0 and not self.broken

    def merge(self, other: Figures) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def add(self, case: Case, found: checks.Found, folder: Path) -> None:
        self.kills += 2 if case.again else 1
        self.by_point[case.point] += 1
        self.lost += len(found.lost)
        self.doubled += len(found.doubled)
        self.other += len(found.other)
        self.ends += found.ends
        self.broken += [f"{case}: {each} ({folder})" for each in found.broken]


def cases(per_point: int, per_restart: int, seed: int) -> Iterator[Case]:
    """Each point `per_point` times, with verdicts and modes drawn by the seed; then restarts that die."""
    chance = random.Random(seed)
    for _ in range(per_point):
        for point in POINTS:
            yield _case(point, None, chance)
    for _ in range(per_restart):
        for first, again in AGAIN:
            yield _case(BY_NAME[first], again, chance)


def _case(point: Point, again: str | None, chance: random.Random) -> Case:
    apart = point.counts == "taken apart"
    mode = "per_call" if apart else chance.choice(lives.MODES)
    # A tool's points are only come to when a tool runs.
    needs_a_call = point.counts == "calls" or point.name.startswith(("result stored", "step ended"))
    fit = [
        each
        for each in VERDICTS
        if not (needs_a_call and set(each) == {"reject"})
        and not (apart and ("reject" not in each or set(each) == {"reject"}))
    ]
    words = chance.choice(fit)
    times = {
        "once": 1,
        "taken apart": 1,
        "reviews": len(words) if mode == "per_call" else 1,
        "calls": sum(word != "reject" for word in words),
    }[point.counts]
    return Case(point.name, again, mode, words, chance.randint(1, times))


def campaign(per_point: int, per_restart: int, seed: int) -> Figures:
    """Both cores at work, each with half of the rounds."""
    halves = [(per_point, per_restart, seed, lane) for lane in range(LANES)]
    total = Figures()
    for each in fork.in_clean_processes(_lane, halves):
        total.merge(each)
    return total


def _lane(per_point: int, per_restart: int, seed: int, lane: int) -> Figures:
    """A round's files are kept when a promise was broken in it."""
    figures = Figures()
    root = Path(tempfile.mkdtemp(prefix="kills-"))
    templates = _templates(root)
    planned = list(cases(per_point, per_restart, seed))[lane::LANES]
    begun = time.monotonic()
    for number, case in enumerate(planned, start=1):
        folder = root / f"round-{number}"
        found = _round(templates[case.mode, len(case.words)], folder, case)
        figures.add(case, found, folder)
        if not found.broken:
            shutil.rmtree(folder)
        if number % 50 == 0 or number == len(planned):
            spent = time.monotonic() - begun
            fork.tell(f"  {number} of {len(planned)} rounds, {len(figures.broken)} broken, {spent:.0f} s")
    if not figures.broken:
        shutil.rmtree(root)
    return figures


def _templates(root: Path) -> dict[tuple[str, int], Path]:
    made, tables = {}, root / "tables"
    fork.run(partial(lives.make_tables, tables), root / "prepare.log")
    for mode in lives.MODES:
        for count in sorted({len(words) for words in VERDICTS}):
            made[mode, count] = folder = root / f"{mode}-{count}"
            shutil.copytree(tables, folder)
            fork.run(partial(lives.prepare, folder, [(mode, count)]), root / "prepare.log")
    return made


def _round(template: Path, folder: Path, case: Case) -> checks.Found:
    shutil.copytree(template, folder)
    pairs = lives.pairs_of(folder, lambda _, at: case.words[at])
    log = folder / "log.txt"
    _die(partial(lives.decide_and_die, folder, pairs, case.point, case.nth), log, case)
    if case.again:
        _die(partial(lives.start_and_die, folder, case.again), log, case)
    try:
        fork.run(partial(lives.start_again, folder, pairs), log)
    except fork.HarnessBroke as broke:
        # It did not come to rest, which is a finding and no fault of the harness.
        return checks.Found(lost=[str(broke)])
    found = checks.check(folder, pairs, folder / "history.jsonl")
    if _end_is_known(case):
        _check_end(BY_NAME[case.point], found)
    return found


def _die(life: Callable[[], None], log: Path, case: Case) -> None:
    if not fork.was_killed(fork.wait(fork.fork(life, log), DEATH)):
        raise fork.HarnessBroke(f"it lived on after {case}:\n{log.read_text()[-2000:]}")


def _end_is_known(case: Case) -> bool:
    points = [BY_NAME[name] for name in (case.point, case.again) if name]
    one_call = sum(word != "reject" for word in case.words) == 1
    return one_call and not (case.mode == "per_call" and any(point.batched_only for point in points))


def _check_end(point: Point, found: checks.Found) -> None:
    """With a single call it is known how it must end: what cannot be told is stuck, and nothing else is."""
    stuck = found.ends[STUCK]
    if (point.ends == STUCK) != (stuck == 1):
        found.other.append(f"must end {point.ends}, and {stuck} of its reviews are stuck")
