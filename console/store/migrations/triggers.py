"""Triggers that keep the ledger append-only, and the random id its first link is made of."""

from __future__ import annotations

import uuid

from sqlalchemy import Connection, text

_SQLITE = (
    """
    CREATE TRIGGER ledger_next BEFORE INSERT ON ledger
    WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM ledger)
      OR (NEW.seq > 1 AND NEW.prev IS NOT (SELECT hash FROM ledger WHERE seq = NEW.seq - 1))
    BEGIN SELECT raise(ABORT, 'the ledger takes the next link only'); END
    """,
    """
    CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END
    """,
    """
    CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END
    """,
)


def create(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        raise NotImplementedError("the ledger's triggers exist for SQLite only so far")
    for statement in _SQLITE:
        connection.exec_driver_sql(statement)
    connection.execute(
        text("INSERT INTO meta (key, value) VALUES ('install_id', :id)"), {"id": uuid.uuid4().hex}
    )
