"""The second half of `make coverage`: names every file of which the tests run less than was agreed.

The figure is coverage.py's own with branches: of the lines and of the ways on from them, the share taken.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOUND = Path(__file__).parents[1] / "coverage.json"
WHOLE = ("console/domain/", "console/services/decide.py")
FLOOR = 95.0


def floor_of(name: str) -> float:
    return 100.0 if name.startswith(WHOLE) else FLOOR


def below(files: Mapping[str, Any]) -> list[str]:
    """A line for each file under its floor, the furthest from it first."""
    found = [(each["summary"]["percent_covered"], name) for name, each in files.items()]
    short = sorted((share - floor_of(name), share, name) for share, name in found if share < floor_of(name))
    return [f"{name}: {share:.1f} % of at least {floor_of(name):.0f} %" for _, share, name in short]


def main() -> int:
    files = json.loads(FOUND.read_text())["files"]
    lines = below(files)
    print("\n".join([*lines, f"{len(files)} files, {len(lines)} below their floor"]))
    return 1 if lines or not files else 0


if __name__ == "__main__":
    sys.exit(main())
