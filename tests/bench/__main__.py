"""`make bench`: every ratio beside its goal, measured here and now, as a table and in bench.json.

Ours and theirs are measured in turn within one run. Only their ratios mean anything on a shared machine.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

PLACE = Path(__file__).parents[2] / "bench.json"


@dataclass(frozen=True)
class Bench:
    """`measure` names a function: of rounds (name, ours, theirs) in seconds, or of one figure."""

    id: str
    what: str
    measure: str
    goal: float


BENCHES = (
    Bench("B1", "queue page by the service / raw keyset SQL, 100,000 open", "tests.bench.queue:b1", 4.0),
    Bench("B2", "B1's time at 1,000,000 / at 1,000 reviews", "tests.bench.queue:b2", 1.2),
    Bench("B3", "decide and settle / bare resume of the same pause", "tests.bench.decisions:b3", 1.25),
    Bench("B4", "tool executions / contested reviews", "tests.bench.decisions:b4", 1.0),
    Bench("B5", "lost and doubled effects / kills", "tests.bench.decisions:b5", 0.0),
    Bench("B6", "chained, synchronous append / fdatasync of 4 KB", "tests.bench.ledger:b6", 1.2),
    Bench("B7 fast", "verify --fast / bare scan of the same rows", "tests.bench.ledger:b7_fast", 8.0),
    Bench("B7 deep", "verify --deep / bare scan of the same rows", "tests.bench.ledger:b7_deep", 25.0),
    Bench("B7 misses", "mutations of a log not found", "tests.bench.ledger:b7_misses", 0.0),
    Bench("B13 paint", "an edit form of 200 fields painted / one of 10", "tests.bench.forms:b13_paint", 4.0),
    Bench("B13 edit", "one edit in a form of 200 fields painted / of 10", "tests.bench.forms:b13_edit", 4.0),
)


@dataclass(frozen=True)
class Figure:
    """Ratios of one bench; of a plain figure all three are the same."""

    id: str
    what: str
    goal: float
    median: float
    least: float
    most: float
    rounds: int
    seconds: float
    notes: Sequence[str] = field(default_factory=list)

    @property
    def reached(self) -> bool:
        return self.median <= self.goal


def measured(bench: Bench) -> Figure:
    module, _, name = bench.measure.partition(":")
    began = time.perf_counter()
    found = getattr(importlib.import_module(module), name)()
    if isinstance(found, tuple):
        value, notes = found
        ratios, rounds = [float(value)], 1
    else:
        ratios, notes, rounds = sorted(ours / theirs for _, ours, theirs in found), [], len(found)
    took = time.perf_counter() - began
    return Figure(
        bench.id,
        bench.what,
        bench.goal,
        statistics.median(ratios),
        ratios[0],
        ratios[-1],
        rounds,
        took,
        notes,
    )


def table(figures: Iterable[Figure]) -> Table:
    drawn = Table("id", "ratio of", "goal", "median", "least to most", "rounds", "reached")
    for each in figures:
        drawn.add_row(
            each.id,
            "\n".join([each.what, *each.notes]),
            f"<= {each.goal:g}",
            f"{each.median:.3f}",
            f"{each.least:.3f} to {each.most:.3f}",
            str(each.rounds),
            "yes" if each.reached else "NO",
        )
    return drawn


def main(wanted: Sequence[str]) -> int:
    """Measure those whose id begins with one of `wanted` (all without); 1 when a goal was missed."""
    screen = Console(width=120)
    chosen = [each for each in BENCHES if not wanted or each.id.split()[0] in wanted]
    figures = []
    for bench in chosen:
        screen.print(f"{bench.id}: {bench.what} …")
        figures.append(measured(bench))
    screen.print(table(figures))
    PLACE.write_text(
        json.dumps([{**asdict(each), "reached": each.reached} for each in figures], indent=2) + "\n"
    )
    return 0 if all(each.reached for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
