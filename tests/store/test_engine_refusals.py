"""A database that cannot be written refuses in words, and nothing is left half done."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

from console.domain.errors import Unavailable
from console.domain.trouble import Trouble
from console.store import engine as engines
from console.store.engine import Engine, open_engine, read, write


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(engines, "BUSY_TIMEOUT_MS", 50)
    engine = open_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with write(engine) as connection:
        connection.execute(text("CREATE TABLE t (a INTEGER)"))
    yield engine
    engine.dispose()


def test_a_database_locked_by_another_is_unavailable(made: Engine, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match=r"locked.*Nothing was decided"), write(made) as connection:
            connection.execute(text("INSERT INTO t VALUES (1)"))
        other.execute("ROLLBACK")
    with read(made) as connection:
        assert connection.execute(text("SELECT count(*) FROM t")).scalar_one() == 0


def test_a_full_database_is_unavailable_and_keeps_nothing(made: Engine) -> None:
    def fill() -> None:
        with write(made) as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            connection.execute(text("INSERT INTO t VALUES (1)"))
            connection.exec_driver_sql("INSERT INTO t SELECT length(randomblob(9)) FROM pragma_function_list")
            connection.exec_driver_sql("CREATE TABLE u AS SELECT randomblob(9000) FROM pragma_function_list")

    with pytest.raises(Unavailable, match="full"):
        fill()
    with read(made) as connection:
        assert connection.execute(text("SELECT count(*) FROM t")).scalar_one() == 0


@pytest.mark.parametrize(
    ("code", "trouble"),
    [
        (sqlite3.SQLITE_BUSY, Trouble.LOCKED),
        (sqlite3.SQLITE_BUSY | (2 << 8), Trouble.LOCKED),
        (sqlite3.SQLITE_FULL, Trouble.FULL),
        (sqlite3.SQLITE_READONLY, Trouble.READ_ONLY),
        (sqlite3.SQLITE_IOERR | (3 << 8), Trouble.FAILING),
        (sqlite3.SQLITE_CORRUPT, Trouble.DAMAGED),
        (sqlite3.SQLITE_NOTADB, Trouble.DAMAGED),
        (sqlite3.SQLITE_CONSTRAINT, None),
        (sqlite3.SQLITE_ERROR, None),
    ],
)
def test_what_sqlite_says_of_the_file_is_told_from_what_it_says_of_a_statement(
    code: int, trouble: Trouble | None
) -> None:
    wrong = sqlite3.DatabaseError("x")
    wrong.sqlite_errorcode = code
    outer = RuntimeError("the run failed")
    outer.__cause__ = wrong
    assert engines.trouble_of(wrong) is trouble
    assert engines.trouble_of(outer) is trouble
    assert engines.trouble_of(None) is None


def test_a_broken_rule_of_the_tables_is_no_trouble_of_the_disk(made: Engine) -> None:
    heard: list[int] = []
    engines.hear(made, lambda: heard.append(1))

    def insert_twice() -> None:
        with write(made) as connection:
            connection.exec_driver_sql("CREATE UNIQUE INDEX once ON t (a)")
            connection.exec_driver_sql("INSERT INTO t VALUES (1), (1)")

    with pytest.raises(IntegrityError):
        insert_twice()
    assert heard == []


def test_who_listens_hears_of_a_file_that_fails(made: Engine, tmp_path: Path) -> None:
    heard: list[int] = []
    engines.hear(made, lambda: heard.append(1))
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable), write(made):
            pass
        assert engines.probe(made, 10, writing=False) is Trouble.LOCKED
    assert heard == [1]


def test_a_probe_says_what_hinders_a_decision(made: Engine) -> None:
    assert engines.probe(made, 50, writing=False) is None
    # There is no table to write into here.
    assert engines.probe(made, 50, writing=True) is Trouble.FAILING


def test_room_that_cannot_be_told_counts_as_none(made: Engine) -> None:
    assert engines.free_bytes(made) > 0
    assert engines.free_bytes(create_engine("sqlite:////nowhere/at/all/x.db")) == 0
