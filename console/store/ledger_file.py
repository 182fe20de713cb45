"""The ledger's tables read past the triggers and the engine: read-only, for verification."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What the search columns say of an entry: number, time, kind, actor's id and name, tool, source, thread,
# review, verdict, outcome and payload. An entry says the same of itself.
Said = tuple[Any, ...]
# Then who decided, and the payload's salt and bytes; both are None when it was erased.
Facet = tuple[Said, str | None, Any, Any]
TRIGGERS = ("ledger_next", "ledger_no_update", "ledger_no_delete")

# Number, body, hash of the entry before, own hash.
Row = tuple[int, bytes, bytes, bytes]
_ROWS = (
    "SELECT seq, CAST(body AS BLOB), CAST(prev AS BLOB), CAST(hash AS BLOB) FROM ledger"
    " WHERE seq > ? ORDER BY seq"
)
_FACETS = (
    "SELECT f.seq, f.at, f.kind, f.actor_id, f.actor_name, f.tool, f.source, f.thread_id, f.review_id,"
    " f.verdict, f.outcome, f.payload_id, f.decided_by_id, CAST(p.salt AS BLOB), CAST(p.bytes_text AS BLOB)"
    " FROM ledger_facet f LEFT JOIN payload p ON p.id = f.payload_id WHERE f.seq > ? ORDER BY f.seq"
)


class Unreadable(Exception):
    """The file is not there, is no database, or has no ledger."""


class LedgerFile:
    """One read-only connection. Rows come in the order of their numbers, as they are stored."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Unreadable(f"there is no database {path}")
        self._path = path
        self._database = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30, isolation_level=None
        )

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> LedgerFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self) -> None:
        """From here on one snapshot is read, whatever is appended meanwhile."""
        list(self._all("BEGIN"))
        self.size()

    def _all(self, statement: str, *values: object) -> Iterator[tuple[Any, ...]]:
        try:
            cursor = self._database.execute(statement, values)
            while rows := cursor.fetchmany(1000):
                yield from rows
        except sqlite3.Error as wrong:
            raise Unreadable(f"the database {self._path} cannot be read: {wrong}") from None

    def install_id(self) -> str:
        found = [str(row[0]) for row in self._all("SELECT value FROM meta WHERE key = 'install_id'")]
        if len(found) != 1:
            raise Unreadable(f"the database {self._path} has no install id")
        return found[0]

    def size(self) -> int:
        """The largest number, which the count is as long as nothing was done to the log."""
        ((found,),) = self._all("SELECT coalesce(max(seq), 0) FROM ledger")
        return int(found)

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Whatever the columns hold: a changed row may have text where bytes belong, or nothing at all."""
        for row in self._all(_ROWS, after):
            yield row if None not in row else (row[0], row[1] or b"", row[2] or b"", row[3] or b"")

    def bodies(self, through: int) -> Iterator[bytes]:
        statement = "SELECT CAST(body AS BLOB) FROM ledger WHERE seq <= ? ORDER BY seq"
        return (row[0] or b"" for row in self._all(statement, through))

    def hash_of(self, seq: int) -> bytes:
        """What the next entry is chained to; empty when there is no such entry."""
        found = list(self._all("SELECT CAST(hash AS BLOB) FROM ledger WHERE seq = ?", seq))
        return bytes(found[0][0] or b"") if found else b""

    def missing_triggers(self) -> list[str]:
        there = {str(row[0]) for row in self._all("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
        return [name for name in TRIGGERS if name not in there]

    def facets(self, after: int = 0) -> Iterator[Facet]:
        for row in self._all(_FACETS, after):
            yield row[:-3], *row[-3:]

    def decision(self, decision_id: str) -> tuple[str, bytes, str] | None:
        """Who decided, the bytes of what was decided, and the digest that was stored of them."""
        statement = "SELECT actor_id, CAST(body_text AS BLOB), result_digest FROM decision WHERE id = ?"
        found = list(self._all(statement, decision_id))
        return (str(found[0][0]), found[0][1] or b"", str(found[0][2])) if found else None
