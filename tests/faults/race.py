"""Many people decide the same reviews at the same moment, in threads and in processes."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.faults import checks, fork, lives
from tests.services.agents import effects
from tests.services.world import rows, wait_for

WORDS = ("approve", "edit", "reject")
PATIENCE = 900.0


@dataclass
class Figures:
    reviews: int = 0
    attempts: int = 0
    won: int = 0
    told: int = 0
    allowed: int = 0
    executions: int = 0
    most: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.won == self.reviews > 0 and self.most <= 1 and not self.broken


def campaign(reviews: int, processes: int, threads: int) -> Figures:
    """Each of `processes` x `threads` contenders decides every one of the reviews."""
    found = fork.in_clean_process(_race, reviews, processes, threads)
    assert isinstance(found, Figures)
    return found


def _race(reviews: int, processes: int, threads: int) -> Figures:
    folder = Path(tempfile.mkdtemp(prefix="race-")) / "console"
    log = folder.parent / "log.txt"
    fork.run(partial(lives.make_tables, folder), log)
    kinds = [(mode, 1) for mode in lives.MODES]
    fork.run(partial(lives.prepare, folder, [kinds[at % 2] for at in range(reviews)]), log, PATIENCE)
    lanes = [
        fork.fork(partial(_compete, folder, range(lane * threads, (lane + 1) * threads)), log)
        for lane in range(processes)
    ]
    worker = fork.fork(partial(_work, folder), log)
    (folder / "go").touch()
    for pid in (*lanes, worker):
        if fork.wait(pid, PATIENCE) != 0:
            raise fork.HarnessBroke(f"a contender or the worker failed:\n{log.read_text()[-3000:]}")
    found = _figures(folder, processes * threads)
    if found.passed:
        shutil.rmtree(folder.parent)
    return found


def _compete(folder: Path, numbers: Sequence[int]) -> None:
    world = lives.world_of(folder, lives.open_console(folder), "")
    wait_for((folder / "go").exists)
    failed: list[int] = []

    def contend(number: int) -> None:
        failed.append(number)
        pairs = lives.pairs_of(folder, lambda _, __: WORDS[number % 3], editor=number + 1)
        history = lives.History(folder / f"history-{number}.jsonl")
        for pair in pairs:
            lives.say(world, ("sam", "sue")[number % 2], pair, history, None)
        failed.remove(number)

    contenders = [threading.Thread(target=contend, args=(number,)) for number in numbers]
    for each in contenders:
        each.start()
    for each in contenders:
        each.join()
    if failed:
        raise RuntimeError(f"contenders {failed} failed")


def _work(folder: Path) -> None:
    """Settles while they contend, and ends when all is decided and at rest."""
    deps = lives.open_console(folder)
    with lives.serving(deps):
        lives.wait_for_rest(folder, PATIENCE)
        lives.keep_transcripts(folder, deps)


def _figures(folder: Path, contenders: int) -> Figures:
    pairs = lives.pairs_of(folder, lambda _, __: "approve")
    files = sorted(folder.glob("history-*.jsonl"))
    found = checks.check(folder, pairs, *files)
    answers = Counter(str(line["op"]) for line in lives.History.read(*files))
    per_review = Counter(int(line.removeprefix("charge ")) // lives.SPAN for line in effects(folder))
    lost = dict(
        rows(
            folder / "console.db",
            "SELECT review_id, count(*) FROM ledger_facet WHERE kind = 'lost' GROUP BY review_id",
        )
    )
    said = "SELECT body_text FROM decision"
    broken = list(found.broken)
    broken += [
        f"{pair.review_id}: {lost.get(pair.review_id)} losers are in the ledger"
        for pair in pairs
        if lost.get(pair.review_id, 0) != contenders - 1
    ]
    return Figures(
        reviews=len(pairs),
        attempts=answers["asked"],
        won=answers["decided"],
        told=answers["refused"],
        allowed=sum('"reject"' not in body for (body,) in rows(folder / "console.db", said)),
        executions=per_review.total(),
        most=max(per_review.values(), default=0),
        ends=found.ends,
        broken=broken,
    )
