"""`make faults`: every fault campaign, one table, and faults.json. `--scale 0.1` runs a tenth of each."""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.faults import bare, fork, kills, race, storm

PLACE = Path(__file__).parents[2] / "faults.json"
SEED = 20261130
# Campaigns that are programs of their own: exit 0 is a pass, the last line they print is the figure.
OTHERS = ("ledger_mutations", "disk", "life", "malformed")


@dataclass(frozen=True)
class Row:
    name: str
    figure: str
    passed: bool
    seconds: float
    broken: list[str]


Outcome = tuple[str, bool, list[str]]


def _points(scale: float) -> Outcome:
    per_point = max(2, round(kills.ROUNDS_PER_POINT * scale))
    found = kills.campaign(per_point, max(1, per_point // 4), SEED)
    harm = f"{found.lost} lost, {found.doubled} doubled, {found.other} other"
    return f"{found.kills} kills: {harm}; {dict(found.ends)}", found.passed, found.broken


def _random(scale: float) -> Outcome:
    found = storm.campaign(max(5, round(200 * scale)), SEED)
    pace = f"{found.decided} decided, {found.per_second:.0f} a second"
    harm = f"{found.lost} lost, {found.doubled} doubled"
    return f"{found.kills} kills ({pace}): {harm}; {dict(found.ends)}", found.passed, found.broken


def _race(scale: float) -> Outcome:
    found = race.campaign(max(10, round(200 * scale)), 4, 16)
    told = f"{found.won} won, {found.told} told who was first"
    runs = f"{found.executions} executions, at most {found.most} a review"
    return f"{found.attempts} attempts at {found.reviews} reviews: {told}; {runs}", found.passed, found.broken


def _bare(_: float) -> Outcome:
    """Not ours, so it cannot fail: it says what the same race and deaths do without the console."""
    two, eight = bare.race(10, 2, 1), bare.race(10, 1, 8)
    died = ", ".join(f"{count} when killed {name}" for name, count in bare.deaths())
    races = "; ".join(
        f"{who} {each.mean:.1f} executions a review (most {max(each.executions)}), {each.wrong} of 10 wrong"
        for who, each in (("2 processes:", two), ("8 threads:", eight))
    )
    return f"{races}; effects {died}", True, []


OWN: dict[str, Callable[[float], Outcome]] = {
    "kill -9 at named points": _points,
    "kill -9 at random times": _random,
    "64 contenders": _race,
    "(bare LangGraph)": _bare,
}


def _other(name: str) -> Outcome:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; from tests.faults.{name} import main; sys.exit(main())"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines() or ["no figure"]
    return lines[-1][:300], done.returncode == 0, [] if done.returncode == 0 else [done.stderr[-2000:]]


def _measured(name: str, campaign: Callable[[], Outcome]) -> Row:
    fork.tell(f"{name} …")
    begun = time.monotonic()
    try:
        figure, passed, broken = campaign()
    except fork.HarnessBroke as broke:
        figure, passed, broken = "the campaign did not run to its end", False, [str(broke)]
    return Row(name, figure, passed, round(time.monotonic() - begun, 1), broken)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make faults ARGS=")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of each campaign; default 1")
    parser.add_argument("--only", default="", help="campaigns whose name contains this")
    given = parser.parse_args()
    others = [name for name in OTHERS if importlib.util.find_spec(f"tests.faults.{name}")]
    campaigns: dict[str, Callable[[], Outcome]] = {
        **{name: lambda run=run: run(given.scale) for name, run in OWN.items()},  # type: ignore[misc]
        **{name: lambda name=name: _other(name) for name in others},  # type: ignore[misc]
    }
    rows = [_measured(name, run) for name, run in campaigns.items() if given.only in name]
    _show(rows)
    PLACE.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n")
    return 0 if all(row.passed for row in rows) else 1


def _show(rows: list[Row]) -> None:
    table = Table("campaign", "figure", "seconds", "pass")
    for row in rows:
        verdict = "–" if row.name.startswith("(") else "yes" if row.passed else "NO"
        table.add_row(row.name, row.figure, f"{row.seconds:.0f}", verdict)
    console = Console(width=150)
    console.print(table)
    for row in rows:
        for line in row.broken[:10]:
            console.print(f"{row.name}: {line}", style="red", markup=False)


if __name__ == "__main__":
    sys.exit(main())
