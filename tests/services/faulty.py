"""A database that fails at the k-th statement, as SQLite itself says it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from console.store.engine import Engine

CODES = {
    "SQLITE_BUSY": (sqlite3.SQLITE_BUSY, "database is locked"),
    "SQLITE_FULL": (sqlite3.SQLITE_FULL, "database or disk is full"),
    "SQLITE_IOERR": (sqlite3.SQLITE_IOERR | (3 << 8), "disk I/O error"),
    "SQLITE_READONLY": (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
}
# After these SQLite may have taken the transaction back before it says so.
TAKES_BACK = ("SQLITE_FULL", "SQLITE_IOERR")


def refusal(name: str) -> sqlite3.OperationalError:
    code, words = CODES[name]
    wrong = sqlite3.OperationalError(words)
    wrong.sqlite_errorcode, wrong.sqlite_errorname = code, name
    return wrong


class Faults:
    """Counts statements, BEGIN and COMMIT among them, and fails at number `at` (from 0), once."""

    def __init__(self, name: str, at: int) -> None:
        self._name, self._at = name, at
        self.seen: list[str] = []

    @property
    def failed(self) -> bool:
        return len(self.seen) > self._at

    def pass_or_fail(self, statement: str, connection: Any) -> None:
        self.seen.append(statement)
        if len(self.seen) - 1 == self._at:
            if self._name in TAKES_BACK:
                connection.rollback()
            raise refusal(self._name)


@contextmanager
def faults(engine: Engine, name: str, at: int) -> Iterator[Faults]:
    found, dialect = Faults(name, at), engine.dialect
    commit = dialect.do_commit

    def execute(cursor: Any, statement: str, *_: Any) -> None:
        found.pass_or_fail(statement, cursor.connection)

    def do_commit(connection: Any) -> None:
        found.pass_or_fail("COMMIT", connection)
        commit(connection)

    for moment in ("do_execute", "do_execute_no_params"):
        event.listen(engine, moment, execute)
    dialect.do_commit = do_commit  # type: ignore[method-assign]
    try:
        yield found
    finally:
        del dialect.do_commit
        for moment in ("do_execute", "do_execute_no_params"):
            event.remove(engine, moment, execute)
