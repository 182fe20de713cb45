"""The tables as migrated are the tables as declared, and the database is opened the safe way."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.schema import CreateIndex

from console.store.engine import Engine, commits, data_version, open_engine, pinned, read, write
from console.store.schema import current, newest, upgrade
from console.store.tables import metadata


def test_the_migrations_make_the_declared_tables(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        assert current(connection) == newest() is not None


def test_the_migrations_make_the_declared_indexes_down_to_the_rows_they_leave_out(engine: Engine) -> None:
    with read(engine) as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        made = {row.name: row.sql for row in connection.execute(text(query))}
    declared = {
        str(index.name): str(CreateIndex(index).compile(dialect=engine.dialect))
        for table in metadata.tables.values()
        for index in table.indexes
    }
    assert made == declared
    assert sum("IS NOT NULL" in each for each in made.values()) > 6


def test_upgrading_again_changes_nothing(engine: Engine) -> None:
    with read(engine) as connection:
        before = connection.execute(text("SELECT * FROM meta")).all()
    upgrade(engine)
    with read(engine) as connection:
        assert connection.execute(text("SELECT * FROM meta")).all() == before


def test_consoles_that_start_together_migrate_once(tmp_path: Path) -> None:
    engines = [open_engine(f"sqlite:///{tmp_path / 'new' / 'console.db'}") for _ in range(4)]
    problems: list[BaseException] = []

    def start(engine: Engine) -> None:
        try:
            upgrade(engine)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=start, args=(engine,)) for engine in engines]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert problems == []
    with read(engines[0]) as connection:
        assert (
            connection.execute(text("SELECT count(*) FROM meta WHERE key = 'install_id'")).scalar_one() == 1
        )
    for engine in engines:
        engine.dispose()


def test_every_connection_is_fully_synchronous_and_keeps_its_triggers(engine: Engine) -> None:
    wanted = {
        "synchronous": 2,
        "journal_mode": "wal",
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "busy_timeout": 30_000,
    }
    with read(engine) as one, read(engine) as two:
        for connection in (one, two):
            found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in wanted}
            assert found == wanted


def test_the_file_is_its_owners_only(engine: Engine) -> None:
    assert stat.S_IMODE(Path(str(engine.url.database)).stat().st_mode) == 0o600


def test_a_reader_sees_one_moment_whatever_is_written_meanwhile(engine: Engine) -> None:
    count = text("SELECT count(*) FROM meta")
    with read(engine) as reader:
        before = reader.execute(count).scalar_one()
        with write(engine) as writer:
            writer.execute(text("INSERT INTO meta (key, value) VALUES ('a', 'b')"))
        assert reader.execute(count).scalar_one() == before
    with read(engine) as reader:
        assert reader.execute(count).scalar_one() == before + 1


def test_commits_are_counted_and_seen_by_other_connections(engine: Engine) -> None:
    with pinned(engine) as looking:
        seen, counted = data_version(looking), commits()
        with write(engine) as writer:
            writer.execute(text("INSERT INTO meta (key, value) VALUES ('a', 'b')"))
        assert data_version(looking) != seen
        assert commits() == counted + 1
        seen = data_version(looking)
        assert data_version(looking) == seen
