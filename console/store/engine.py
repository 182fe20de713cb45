"""Connections: fully synchronous SQLite, one IMMEDIATE transaction per write."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DatabaseError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from console.domain.errors import Unavailable
from console.domain.trouble import Trouble
from console.store.prepared import say

__all__ = [
    "Connection",
    "Engine",
    "RowMapping",
    "commits",
    "data_version",
    "free_bytes",
    "hear",
    "keep_private",
    "open_engine",
    "pinned",
    "probe",
    "read",
    "trouble_of",
    "write",
]
log = logging.getLogger("console.store")
BUSY_TIMEOUT_MS = 30_000
# Kept beside each connection of the pool: the busy timeout it was last given.
_PATIENCE = "patience_ms"
_committed, _counting = [0], threading.Lock()
_listeners: weakref.WeakKeyDictionary[Engine, Callable[[], None]] = weakref.WeakKeyDictionary()
# SQLite's primary result codes that say something of the file and not of the statement.
_CODES = {
    sqlite3.SQLITE_BUSY: Trouble.LOCKED,
    sqlite3.SQLITE_LOCKED: Trouble.LOCKED,
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.READ_ONLY,
    sqlite3.SQLITE_PERM: Trouble.READ_ONLY,
    sqlite3.SQLITE_IOERR: Trouble.FAILING,
    sqlite3.SQLITE_CANTOPEN: Trouble.FAILING,
    sqlite3.SQLITE_CORRUPT: Trouble.DAMAGED,
    sqlite3.SQLITE_NOTADB: Trouble.DAMAGED,
}
_PROBE_BYTES = 65_536
_PROBE = (
    "INSERT INTO meta (key, value) VALUES ('probe', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


def open_engine(url: str) -> Engine:
    """An engine for `sqlite:///path`; the folder is made, the file is readable by its owner only."""
    path = Path(str(make_url(url).database))
    path.parent.mkdir(parents=True, exist_ok=True)
    keep_private(path)
    engine = create_engine(url, pool_size=20, max_overflow=40, pool_timeout=30)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def keep_private(database: Path) -> None:
    """Make the file for its owner only when it is missing, and close it and its companions to all others.

    To be called before the first connection, since SQLite gives `-wal` and `-shm` the mode of the database.
    A file that is there is never opened: closing it again would drop SQLite's own locks in this process.
    """
    try:
        os.close(os.open(database, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if database.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(database)) from None
    for file in (database, *(database.with_name(database.name + end) for end in ("-wal", "-shm"))):
        try:
            if stat.S_IMODE(file.stat().st_mode) & 0o077:
                file.chmod(0o600)
        except FileNotFoundError:
            continue
        except PermissionError:
            log.warning("%s belongs to another user, who alone can close it to others", file)


def _prepare_sqlite(connection: Any, record: Any) -> None:
    record.info[_PATIENCE] = BUSY_TIMEOUT_MS
    # The driver's own transaction handling begins late and commits early; we say BEGIN ourselves.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        # Without it INSERT OR REPLACE deletes a ledger row past its no-delete trigger.
        "recursive_triggers=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("pinned"):
        return
    immediate = options.get("immediate", False)
    # The pool hands connections on with the patience of whoever had them last.
    wanted = options.get("patience_ms", BUSY_TIMEOUT_MS)
    if connection.info.get(_PATIENCE) != wanted:
        say(connection, f"PRAGMA busy_timeout={wanted}")
        connection.info[_PATIENCE] = wanted
    say(connection, "BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def write(engine: Engine, patience_ms: int | None = None) -> Iterator[Connection]:
    """One transaction that takes the write lock at once; commits at the end, rolls back on any exception.

    `patience_ms` is how long it waits for another writer, for what is not worth holding a thread for 30 s.
    """
    patience = BUSY_TIMEOUT_MS if patience_ms is None else patience_ms
    with (
        _answering(engine),
        engine.connect().execution_options(immediate=True, patience_ms=patience) as connection,
        connection.begin(),
    ):
        yield connection
    with _counting:
        _committed[0] += 1


@contextmanager
def read(engine: Engine) -> Iterator[Connection]:
    """One consistent snapshot."""
    with (
        _answering(engine),
        engine.connect().execution_options(immediate=False) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def _answering(engine: Engine) -> Iterator[None]:
    """A locked, full or read-only database becomes a refusal that a person can read; the log has the rest."""
    try:
        yield
    except (DatabaseError, PoolTimeout) as wrong:
        trouble = trouble_of(wrong)
        if trouble is None and not isinstance(wrong, (OperationalError, PoolTimeout, InternalError)):
            raise
        reason = str(getattr(wrong, "orig", wrong)).splitlines()[0]
        log.exception("the database refused")
        if trouble is not None and (listener := _listeners.get(engine)):
            listener()
        raise Unavailable(
            f"The database did not take it ({reason}). Nothing was decided and nothing is lost. Try again."
        ) from wrong


def trouble_of(wrong: BaseException | None) -> Trouble | None:
    """What the failure, or what it was raised from, says of the database file; None for any other failure."""
    while wrong is not None:
        code = getattr(getattr(wrong, "orig", wrong), "sqlite_errorcode", None)
        if isinstance(code, int) and (found := _CODES.get(code & 0xFF)):
            return found
        wrong = wrong.__cause__
    return None


def hear(engine: Engine, listener: Callable[[], None]) -> None:
    """Call `listener`, which must be quick, whenever the file of this engine fails; the newest one counts."""
    _listeners[engine] = listener


def probe(engine: Engine, patience_ms: int, *, writing: bool) -> Trouble | None:
    """What hinders a decision, or None: takes the write lock, and `writing` also commits something.

    What is written is one row of its own in `meta`, of the size of a large verdict with its ledger entry.
    """
    try:
        options = {"immediate": True, "patience_ms": patience_ms}
        with engine.connect().execution_options(**options) as connection, connection.begin():
            if writing:
                connection.exec_driver_sql(_PROBE, (os.urandom(_PROBE_BYTES // 2).hex(),))
    except DatabaseError as wrong:
        return trouble_of(wrong) or Trouble.FAILING
    except PoolTimeout:
        return Trouble.LOCKED
    return None


def free_bytes(engine: Engine) -> int:
    """Room on the disk of the database's file; 0 when that cannot be told."""
    try:
        found = os.statvfs(Path(str(engine.url.database)).parent)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


@contextmanager
def pinned(engine: Engine) -> Iterator[Connection]:
    """One connection outside any transaction, for `data_version`, which compares a connection with itself."""
    with engine.connect().execution_options(pinned=True) as connection:
        yield connection


def commits() -> int:
    """How many write transactions this process has committed."""
    return _committed[0]


def data_version(connection: Connection) -> int:
    """SQLite's counter of commits made by other connections; unchanged means nothing to look at."""
    return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())
