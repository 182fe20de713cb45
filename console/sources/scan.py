"""Looking over a whole SQLite checkpoint file without opening threads: what moved, and who waits.

Only ever reads, on connections of its own. Each look is one short statement, read to its end: an open cursor
would hold up LangGraph's writers.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from console.sources.port import Left, Moved, SourceError, Waiting

BUSY_SECONDS = 30
# One look reads no more rows than this of each table; what is left is read by the next.
MAX_ROWS = 5_000
# How far the way from the newest checkpoint back to a pause is followed.
MAX_STEPS = 1_000

# A pause is an interrupt of the newest checkpoint whose task has written no result since.
_WAITING = """
SELECT DISTINCT w.thread_id, w.checkpoint_id, EXISTS (
    SELECT 1 FROM writes e WHERE e.thread_id = w.thread_id AND e.checkpoint_ns = ''
     AND e.checkpoint_id = w.checkpoint_id AND e.channel = '__error__')
  FROM writes w
 WHERE w.channel = '__interrupt__' AND w.checkpoint_ns = '' {narrowed}
   AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = ''
     AND c.checkpoint_id > w.checkpoint_id)
   AND NOT EXISTS (SELECT 1 FROM writes o WHERE o.thread_id = w.thread_id AND o.checkpoint_ns = ''
     AND o.checkpoint_id = w.checkpoint_id AND o.task_id = w.task_id
     AND o.channel NOT IN ('__interrupt__', '__resume__', '__error__', '__error_source_node__'))
"""
_STAMP = """
SELECT c.checkpoint_id, (SELECT max(w.rowid) FROM writes w WHERE w.thread_id = c.thread_id
   AND w.checkpoint_ns = '' AND w.checkpoint_id = c.checkpoint_id)
  FROM checkpoints c WHERE c.thread_id = ? AND c.checkpoint_ns = '' ORDER BY c.checkpoint_id DESC LIMIT 1
"""
_STEP = """
SELECT parent_checkpoint_id, metadata FROM checkpoints
 WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?
"""
_NEWEST = """
SELECT thread_id, max(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = ''
 GROUP BY thread_id ORDER BY 2 DESC LIMIT ?
"""
_STORED = """
SELECT thread_id, type, checkpoint FROM checkpoints
 WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?
UNION ALL SELECT thread_id, type, value FROM writes
 WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?
"""
_LEFT = {"loop": Left.ANSWERED, "input": Left.MESSAGE, "update": Left.CHANGED, "fork": Left.CHANGED}


class Scan:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._free: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        # SQLite's counter of commits compares a connection with itself, so this one is always the same.
        self._counter: sqlite3.Connection | None = None
        self._counted: tuple[str, int] = ("", -1)
        self._counting = threading.Lock()

    def changed_since(self, mark: str) -> Moved:
        """See `Source.changed_since`; the mark holds the newest row numbers of both tables."""
        with self._counting, _readable():
            if self._counter is None:
                self._counter = self._connect()
            version = int(self._counter.execute("PRAGMA data_version").fetchone()[0])
            if (mark, version) == self._counted:
                return Moved((), mark)
            found = _changed(self._counter, mark)
            if not found.more:
                self._counted = found.mark, version
            return found

    def waiting(self, threads: Sequence[str] | None = None) -> list[Waiting]:
        narrowed = "" if threads is None else "AND w.thread_id IN (SELECT value FROM json_each(?))"
        given = () if threads is None else (json.dumps(list(threads)),)
        rows = self._rows(_WAITING.format(narrowed=narrowed), given)
        return [Waiting(thread_id, checkpoint_id, bool(failed)) for thread_id, checkpoint_id, failed in rows]

    def absent(self, threads: Sequence[str]) -> list[str]:
        if not threads:
            return []
        there = {row[0] for row in self._rows("SELECT DISTINCT thread_id FROM checkpoints")}
        return [each for each in threads if each not in there]

    def stamp(self, thread_id: str) -> str:
        found = self._rows(_STAMP, (thread_id,))
        return f"{found[0][0]}/{found[0][1]}" if found else ""

    def left(self, thread_id: str, checkpoint_id: str) -> Left:
        """By the step after the pause: LangGraph keeps in its metadata what began it."""
        newest = self.stamp(thread_id).partition("/")[0]
        with self._connection() as connection, _readable():
            for _ in range(MAX_STEPS):
                row = connection.execute(_STEP, (thread_id, newest)).fetchone()
                if row is None:
                    return Left.UNKNOWN
                if row[0] == checkpoint_id:
                    return _LEFT.get(_began_by(row[1]), Left.UNKNOWN)
                newest = row[0]
        return Left.UNKNOWN

    def stored(self, most: int) -> Iterator[tuple[str, str, bytes]]:
        """(thread id, type, bytes) of the newest checkpoint of each of the `most` newest threads."""
        for thread_id, checkpoint_id in self._rows(_NEWEST, (most,)):
            at = (thread_id, checkpoint_id)
            yield from self._rows(_STORED, at + at)

    def _rows(self, sql: str, given: Sequence[Any] = ()) -> list[Any]:
        with self._connection() as connection, _readable():
            return _all(connection, sql, given)

    def _connect(self) -> sqlite3.Connection:
        made = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
        made.execute("PRAGMA query_only = ON")
        # A thread id that is no text can be found by nobody, and must not hide the others.
        made.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return made

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._free.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            yield connection
        finally:
            self._free.put(connection)


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as problem:
        raise SourceError(f"its checkpoints cannot be read ({problem})") from problem


def _all(connection: sqlite3.Connection, sql: str, given: Sequence[Any] = ()) -> list[Any]:
    """Every row; none from a file in which no run has stored anything yet."""
    try:
        return connection.execute(sql, given).fetchall()
    except sqlite3.OperationalError as problem:
        if str(problem).startswith("no such table"):
            return []
        raise


def _changed(connection: sqlite3.Connection, mark: str) -> Moved:
    newest = [_newest(connection, table) for table in ("checkpoints", "writes")]
    if not mark:
        return Moved((), _mark(newest))
    seen = [int(part) for part in mark.split("/")]
    if any(now < before for now, before in zip(newest, seen, strict=True)):
        # Rows were deleted and their numbers are given out anew: some of what moved can be missed.
        return Moved((), _mark(newest), complete=False)
    threads: dict[str, None] = {}
    reached, more = [], False
    for table, before, now in zip(("checkpoints", "writes"), seen, newest, strict=True):
        sql = f"SELECT rowid, thread_id FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT ?"  # noqa: S608
        rows = _all(connection, sql, (before, MAX_ROWS))
        threads.update(dict.fromkeys(row[1] for row in rows))
        more = more or len(rows) == MAX_ROWS
        reached.append(rows[-1][0] if rows else now)
    return Moved(tuple(threads), _mark(reached), more=more)


def _newest(connection: sqlite3.Connection, table: str) -> int:
    rows = _all(connection, f"SELECT max(rowid) FROM {table}")  # noqa: S608
    return int(rows[0][0] or 0) if rows else 0


def _mark(numbers: Sequence[int]) -> str:
    return "/".join(map(str, numbers))


def _began_by(metadata: Any) -> str:
    try:
        return str(json.loads(metadata)["source"])
    except (ValueError, KeyError, TypeError):
        return ""
