"""The Merkle tree's complete subtrees as they were at each signed head, so that a check can go on from there.

Nothing is believed of the file: a frontier counts only where its root is one that was signed.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path

from console.domain.merkle import Frontier

FILE = "frontiers.txt"


def keep(folder: Path, frontier: Frontier) -> None:
    """One line: size and the subtree roots, base64."""
    line = " ".join([str(frontier.size), *(b64encode(root).decode() for root in frontier.roots)])
    with (folder / FILE).open("a") as file:
        file.write(line + "\n")


def kept_frontier(folder: Path, size: int) -> Frontier | None:
    """The one of a head of `size` entries; None where none was kept or the line cannot be read."""
    wanted = f"{size} "
    try:
        with (folder / FILE).open(encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(wanted):
                    roots = [b64decode(each, validate=True) for each in line.split()[1:]]
                    return Frontier(size, roots) if len(roots) == size.bit_count() else None
    except (OSError, ValueError):
        return None
    return None
