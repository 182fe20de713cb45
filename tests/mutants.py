"""`make mutants`: mutmut on domain/ and services/decide.py, and the share of the changes that were noticed.

Works on a copy of the tree, since mutmut rewrites what it tests. Changes that no test can notice (another
spelling of the same thing) count as survivors, too.
"""

from __future__ import annotations

import collections
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOAL = 0.90
NEEDED = ("console", "tests", "assets", "docs", "pyproject.toml", "rxconfig.py", "README.md", "Makefile")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        for name in NEEDED:
            there = ROOT / name
            target = Path(place) / name
            if there.is_dir():
                shutil.copytree(there, target, ignore=shutil.ignore_patterns("__pycache__", "_web", "shots"))
            else:
                shutil.copy(there, target)
        mutmut = [sys.executable, "-m", "mutmut"]
        subprocess.run([*mutmut, "run", "--max-children", "2"], cwd=place, check=True)
        listed = subprocess.run(
            [*mutmut, "results", "--all", "true"], cwd=place, check=True, capture_output=True, text=True
        )
    return report(listed.stdout.splitlines())


def report(lines: list[str]) -> int:
    """Lines are `module.function__mutmut_N: word`."""
    found = [line.strip().rsplit(": ", 1) for line in lines if "__mutmut_" in line]
    words = collections.Counter(word for _, word in found)
    killed = words["killed"] + words["timeout"]
    for name, word in found:
        if word not in {"killed", "timeout"}:
            print(f"{word}: {name}")
    share = killed / len(found) if found else 0.0
    print(f"{killed} of {len(found)} changes noticed: {share:.1%} (goal {GOAL:.0%})")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
