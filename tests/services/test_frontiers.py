"""The tree kept at each head saves work, and is believed only as far as it can be read."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from console.domain.merkle import Frontier, leaf
from console.services.frontiers import FILE, keep, kept_frontier


def tree(size: int) -> Frontier:
    made = Frontier()
    for number in range(size):
        made.append(leaf(str(number).encode()))
    return made


def test_the_tree_of_each_size_is_found_again(tmp_path: Path) -> None:
    for size in (1, 7, 12):
        keep(tmp_path, tree(size))
    assert [kept_frontier(tmp_path, size) for size in (1, 7, 12)] == [tree(1), tree(7), tree(12)]


def test_a_tree_that_was_never_kept_is_none(tmp_path: Path) -> None:
    assert kept_frontier(tmp_path, 7) is None
    keep(tmp_path, tree(7))
    assert kept_frontier(tmp_path, 70) is None
    assert kept_frontier(tmp_path, 0) is None


@pytest.mark.parametrize(
    "line",
    [
        b"7 " + b64encode(b"1" * 32),
        b"7 " + b" ".join([b64encode(b"1" * 32)] * 4),
        b"7 not!base64 a b",
        b"7 " + bytes(range(128, 160)),
        b"7",
    ],
    ids=["too few", "too many", "no base64", "no text", "no roots"],
)
def test_a_line_that_was_harmed_is_no_tree(tmp_path: Path, line: bytes) -> None:
    (tmp_path / FILE).write_bytes(line + b"\n")
    assert kept_frontier(tmp_path, 7) is None
