"""The ledger's tables read past the triggers and the engine: read-only, for verification."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FACETS = ("seq", "kind", "actor_id", "tool", "source", "thread_id", "review_id", "verdict", "outcome")
TRIGGERS = ("ledger_next", "ledger_no_update", "ledger_no_delete")


class Unreadable(Exception):
    """The file is not there, is no database, or has no ledger."""


@dataclass(frozen=True)
class Row:
    seq: int
    body: bytes
    prev: bytes
    hash: bytes


class LedgerFile:
    """One read-only connection. Rows come in the order of their numbers, as they are stored."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Unreadable(f"there is no database {path}")
        self._path = path
        self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> LedgerFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _all(self, statement: str) -> Iterator[tuple[object, ...]]:
        try:
            cursor = self._database.execute(statement)
            while rows := cursor.fetchmany(1000):
                yield from rows
        except sqlite3.Error as wrong:
            raise Unreadable(f"the database {self._path} cannot be read: {wrong}") from None

    def install_id(self) -> str:
        found = [str(row[0]) for row in self._all("SELECT value FROM meta WHERE key = 'install_id'")]
        if len(found) != 1:
            raise Unreadable(f"the database {self._path} has no install id")
        return found[0]

    def rows(self) -> Iterator[Row]:
        """Whatever the columns hold: a changed row may have text where bytes belong."""
        statement = (
            "SELECT seq, CAST(body AS BLOB), CAST(prev AS BLOB), CAST(hash AS BLOB) FROM ledger ORDER BY seq"
        )
        for seq, body, prev, hashed in self._all(statement):
            yield Row(int(str(seq)), _bytes(body), _bytes(prev), _bytes(hashed))

    def missing_triggers(self) -> list[str]:
        there = {str(row[0]) for row in self._all("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
        return [name for name in TRIGGERS if name not in there]

    def facets(self) -> Iterator[dict[str, object]]:
        statement = (
            "SELECT seq, kind, actor_id, tool, source, thread_id, review_id, verdict, outcome"
            " FROM ledger_facet ORDER BY seq"
        )
        for row in self._all(statement):
            yield dict(zip(FACETS, row, strict=True))

    def payload(self, commit: str) -> tuple[bytes, bytes] | None:
        """Salt and bytes; None when it was erased."""
        try:
            found = self._database.execute(
                "SELECT salt, CAST(bytes_text AS BLOB) FROM payload WHERE id = ?", (commit,)
            ).fetchone()
        except sqlite3.Error as wrong:
            raise Unreadable(f"the database {self._path} cannot be read: {wrong}") from None
        return (_bytes(found[0]), _bytes(found[1])) if found else None

    def decision_digests(self) -> dict[str, str]:
        """decision id -> digest of its body as stored now."""
        rows = self._all("SELECT id, result_digest FROM decision")
        return {str(decision_id): str(digest) for decision_id, digest in rows}


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
