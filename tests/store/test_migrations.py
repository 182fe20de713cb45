"""Each step of the tables can be taken back and again, but for the first; other databases are refused."""

from __future__ import annotations

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_mock_engine, inspect, text

from console.store.engine import Connection, Engine, read, write
from console.store.migrations import triggers
from console.store.schema import _config, current, newest, upgrade
from console.store.tables import metadata
from tests.store.conftest import open_reviews

STEPS = ["0005", "0004", "0002", "0001"]


def tables(connection: Connection) -> dict[str, list[str]]:
    looking = inspect(connection)
    return {name: [each["name"] for each in looking.get_columns(name)] for name in looking.get_table_names()}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_back_and_forth_gives_the_declared_tables(engine: Engine, step: str) -> None:
    open_reviews(engine, "refund_order")
    with read(engine) as connection:
        before = connection.execute(text("SELECT id, tool, digest FROM review")).all()
    with write(engine) as connection:
        command.downgrade(_config(connection), step)
        assert current(connection) == step
        assert differences(connection) != []
    upgrade(engine)
    with read(engine) as connection:
        assert current(connection) == newest()
        assert differences(connection) == []
        assert connection.execute(text("SELECT id, tool, digest FROM review")).all() == before


def differences(connection: Connection) -> list[object]:
    """Between the tables as they are and as they are declared."""
    options = {"compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def test_the_tables_that_hold_the_ledger_are_never_taken_back(engine: Engine) -> None:
    with read(engine) as connection:
        before = tables(connection)
    with (
        pytest.raises(NotImplementedError, match="they hold the ledger"),
        write(engine) as connection,
    ):
        command.downgrade(_config(connection), "base")
    with read(engine) as connection:
        assert tables(connection) == before
        assert current(connection) == newest()


def test_a_database_whose_log_would_have_no_triggers_is_refused() -> None:
    sent: list[object] = []
    other = create_mock_engine("postgresql://", lambda statement, *_, **__: sent.append(statement))
    with pytest.raises(NotImplementedError, match="SQLite only"):
        triggers.create(other)  # type: ignore[arg-type]
    assert sent == []
