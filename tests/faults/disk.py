"""A disk that is really full and a lock that is really held: nothing is decided, it is said, and it passes.

`python -m tests.faults.disk` does each twenty times; `make test` does each once.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from console.domain.errors import Unavailable
from console.domain.trouble import Trouble
from console.services import health
from console.services.changes import Change
from console.services.health import Health
from tests.services.scripted import Died
from tests.services.stage import Stage
from tests.services.tables import make_tables

ROUNDS = 20
SIZE = 4 * 1024 * 1024
HOLDER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


class NoMount(Exception):
    """This user may not mount anything."""


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 4 MiB of its own."""
    place = folder / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as wrong:
        raise NoMount(str(wrong)) from None
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Not a byte is left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    yield
    filler.unlink()


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process has the write lock."""
    command = [sys.executable, "-c", HOLDER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield
        holder.communicate("")


@contextmanager
def short_patience(milliseconds: int = 50) -> Iterator[None]:
    from console.store import engine

    before = engine.BUSY_TIMEOUT_MS, health.LOCK_PATIENCE_MS
    engine.BUSY_TIMEOUT_MS = health.LOCK_PATIENCE_MS = milliseconds
    try:
        yield
    finally:
        engine.BUSY_TIMEOUT_MS, health.LOCK_PATIENCE_MS = before


def walk(stage: Stage, hinder: Callable[[], object], expected: Trouble) -> None:
    """Before, during and after a trouble: what a person is told, and what is in the tables."""
    told: list[Change] = []
    leave = stage.deps.changes.subscribe(told.append)
    looker = Health(stage.deps)
    review, decided = stage.pause(), stage.pause(9)
    stage.decide(decided)
    before = stage.contents()
    with hinder():  # type: ignore[attr-defined]
        refuse(stage, review.id, "The database did not take it")
        _work_in_vain(stage)
        looker.suspect()
        looker.look()
        assert stage.deps.trouble is expected, stage.deps.trouble
        assert Change("health") in told
        refuse(stage, review.id, expected.heading)
        assert stage.review(review.id).status == "open"
        assert stage.contents() == before
        told.clear()
        looker.look()
        assert told == [], "what has not changed is not told again"
    looker.look()
    assert stage.deps.trouble is None
    assert Change("health") in told
    stage.decide(review)
    stage.lapse()
    stage.hand.all()
    assert [stage.review(each.id).status for each in (review, decided)] == ["settled", "settled"]
    assert stage.broken() == []
    leave()


def refuse(stage: Stage, review_id: str, words: str) -> None:
    review = stage.review(review_id)
    with pytest.raises(Unavailable, match=words) as refused:
        stage.decide(review)
    assert "nothing is lost" in refused.value.detail


def _work_in_vain(stage: Stage) -> None:
    """The worker cannot even take its row; what it is to do stays to be done."""
    try:
        stage.hand.all()
    except (Unavailable, Died):
        return
    raise AssertionError("the worker worked")


def full_once(tables: Path, folder: Path) -> None:
    with small_disk(folder) as disk, short_patience():
        stage = Stage.over(tables, disk / "data")
        walk(stage, lambda: filled(disk), Trouble.FULL)
        stage.close()


def locked_once(tables: Path, folder: Path) -> None:
    with short_patience():
        stage = Stage.over(tables, folder / "data")
        walk(stage, lambda: held(stage.folder / "console.db"), Trouble.LOCKED)
        stage.close()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> int:
    logging.disable(logging.CRITICAL)
    failed = 0
    with TemporaryDirectory() as name:
        tables = make_tables(Path(name))
        for what, once in (("disk full", full_once), ("lock held", locked_once)):
            done = 0
            for number in range(ROUNDS):
                folder = Path(name) / f"{once.__name__}{number}"
                folder.mkdir()
                try:
                    once(tables, folder)
                    done += 1
                except NoMount as wrong:
                    say(f"{what}: left out, {wrong}")
                    break
                except AssertionError as wrong:
                    say(f"{what}, round {number}: {wrong}")
                    failed += 1
                shutil.rmtree(folder, ignore_errors=True)
            say(f"{what}: {done} of {ROUNDS} refused, told and recovered")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
