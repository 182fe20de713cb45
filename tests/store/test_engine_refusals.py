"""A database that cannot be written refuses in words, and nothing is left half done."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from console.domain.errors import Unavailable
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
