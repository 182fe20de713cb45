"""Creating and migrating the tables."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

# Its tables belong to the whole, whoever asks first.
from console.store import identity_tables as identity_tables
from console.store.engine import write

_MIGRATIONS = Path(__file__).with_name("migrations")


def upgrade(engine: Engine) -> None:
    """Bring the tables to the newest revision in one transaction; nothing to do is nothing done."""
    with write(engine) as connection:
        if current(connection) != newest():
            command.upgrade(_config(connection), "head")


def current(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    return ScriptDirectory(str(_MIGRATIONS)).get_current_head()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    return config
