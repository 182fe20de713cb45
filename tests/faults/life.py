"""2,000 lives of reviews of 50 steps each, against the model of them; every rule of it must happen.

`python -m tests.faults.life`; `--runs N` for fewer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.life import RULES, Life, live
from tests.services.tables import make_tables

RUNS, STEPS = 2_000, 50


def main(runs: int = RUNS) -> int:
    with TemporaryDirectory() as name:
        live(make_tables(Path(name)), runs, STEPS)
    for rule in RULES:
        sys.stdout.write(f"{Life.happened[rule]:8,} {rule}\n")
    missed = [rule for rule in RULES if not Life.happened[rule]]
    sys.stdout.write(
        f"{runs:,} lives of {STEPS} steps as the model has them; never happened: {missed or 'none'}\n"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    sys.exit(main(parser.parse_args().runs))
