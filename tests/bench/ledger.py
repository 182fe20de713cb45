"""B6 and B7: what one entry costs beside one write to the disk, and what checking costs beside reading.

`python -m tests.bench B6 B7` prints them.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.services.verify import INTACT, UNSIGNED, verify
from console.store import ledger
from console.store.engine import open_engine, write
from console.store.schema import upgrade
from tests.bench.long_log import make
from tests.faults.ledger_mutations import campaign

ROUNDS, APPENDS, LONG = 9, 100, 100_000
ADA = Actor("id-ada", "ada", Role.ADMIN)
Round = tuple[str, float, float]


def timed(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def b6() -> list[Round]:
    """Ours: entries appended one transaction each. Theirs: 4 KB written and given to the disk, as often.

    They take turns at every write, so that what else the disk does meets both.
    """
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        engine = open_engine(f"sqlite:///{place}/console.db")
        upgrade(engine)
        entry = ledger.Entry(Kind.DENIED, ADA, outcome="refused", more={"what": "x", "permission": "decide"})
        block = os.urandom(4096)
        number = os.open(f"{place}/beside", os.O_CREAT | os.O_WRONLY, 0o600)

        def ours() -> None:
            with write(engine) as connection:
                ledger.append(connection, entry)

        def theirs() -> None:
            os.write(number, block)
            os.fdatasync(number)

        def both() -> Round:
            turns = [(timed(ours), timed(theirs)) for _ in range(APPENDS)]
            return "B6", sum(each for each, _ in turns), sum(each for _, each in turns)

        both()
        rounds = [both() for _ in range(ROUNDS)]
        os.close(number)
        engine.dispose()
        return rounds


@contextmanager
def long_log() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "console.db"
        make(file, LONG)
        yield file


def _scan(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        count = 0
        for _ in database.execute("SELECT seq, body, prev, hash FROM ledger ORDER BY seq"):
            count += 1
        assert count == LONG


def _check(file: Path, deep: bool) -> None:
    report = verify(file, [], file, deep=deep)
    assert (report.status in {INTACT, UNSIGNED}, report.entries) == (True, LONG), report


def _b7(name: str, deep: bool) -> list[Round]:
    with long_log() as file:
        _check(file, deep), _scan(file)
        return [(name, timed(lambda: _check(file, deep)), timed(lambda: _scan(file))) for _ in range(ROUNDS)]


def b7_fast() -> list[Round]:
    """Chain and roots over 100,000 entries against fetching the same rows."""
    return _b7("B7 fast", deep=False)


def b7_deep() -> list[Round]:
    return _b7("B7 deep", deep=True)


def b7_misses() -> tuple[float, list[str]]:
    """How many of the mutations of a log were not found, or found at the wrong entry."""
    found = campaign(entries=200, of_each=20)
    return float(found.missed), [found.text]
