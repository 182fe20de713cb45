"""B1 and B2: a page of the queue with its total, against the same rows by raw keyset SQL.

`python -m tests.bench.queue` prints both. Rows are made by one statement, so that a million take seconds.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from console.domain.access import Actor, Role
from console.services import inbox
from console.services.deps import Deps
from console.settings import Settings, SourceSettings
from console.store.engine import open_engine
from console.store.schema import upgrade

ROUNDS, CALLS = 15, 20
SAM = Actor("id-sam", "sam", Role.SUPERVISOR)
Round = tuple[str, float, float]
_RAW = (
    "SELECT id, version, kind, status, source, thread_id, tool, tools, action_count, headline, subject, "
    "queue_rank, opened_at, group_size, decided_by, decided_at FROM review "
    "WHERE queue_rank IS NOT NULL AND source IN ('support') ORDER BY queue_rank, opened_at, id LIMIT 50"
)
_MAKE = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO review (id, source, thread_id, ns, checkpoint_id, interrupt_id, group_key, group_size, task_order,
  kind, status, version, digest, items_text, value_text, answer_schema_text, agent_text, note, tool, tools,
  action_count, headline, subject, queue_rank, opened_at, outcome, outcomes_text)
SELECT lower(hex(randomblob(16))), 'support', 't' || i, '', 'c' || i, 'i' || i, 'g' || i, 1, 0, 'approval',
  'open', 1, hex(zeroblob(32)), '[]', '', '', 'I would like to do this.', '', 'refund_order',
  char(10) || 'refund_order' || char(10), 1, '699', 'Refund A-2048 699', 3,
  strftime('%Y-%m-%d %H:%M:%S.000000', '2026-01-01', '+' || (i / 3) || ' seconds'), '', '' FROM n
"""
_THREADS = """
INSERT INTO thread (source, thread_id, status, title, error, created_by, created_at, updated_at)
SELECT source, thread_id, 'paused', subject, '', 'sam', opened_at, opened_at FROM review
"""


@contextmanager
def console_with(count: int) -> Iterator[tuple[Deps, sqlite3.Connection]]:
    """A console whose queue holds `count` open reviews, and a bare connection to its database."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "console.db"
        engine = open_engine(f"sqlite:///{file}")
        upgrade(engine)
        with closing(sqlite3.connect(file)) as bare:
            bare.execute(_MAKE, (count,))
            bare.execute(_THREADS)
            bare.execute("ANALYZE")
            bare.commit()
            settings = Settings(data=Path(place), sources={"support": SourceSettings(graph="x:y")})
            yield Deps(settings, engine, {"support": None}), bare  # type: ignore[dict-item]
        engine.dispose()


def timed(what: Callable[[], object]) -> float:
    """Seconds of one call, over several in a row."""
    began = time.perf_counter()
    for _ in range(CALLS):
        what()
    return (time.perf_counter() - began) / CALLS


def b1(count: int = 100_000) -> list[Round]:
    """Ours: the service call with total. Theirs: the same 50 rows by one statement, fetched as tuples."""
    with console_with(count) as (deps, bare):

        def ours() -> object:
            return inbox.queue(deps, SAM)

        def theirs() -> object:
            return bare.execute(_RAW).fetchall()

        assert [row.id for row in inbox.queue(deps, SAM).items] == [row[0] for row in bare.execute(_RAW)]
        timed(ours), timed(theirs)
        return [("B1", timed(ours), timed(theirs)) for _ in range(ROUNDS)]


def b2(large: int = 1_000_000, small: int = 1_000) -> list[Round]:
    """The service call among `large` open reviews against the same among `small`."""
    with console_with(large) as (many, _), console_with(small) as (few, _):
        timed(lambda: inbox.queue(many, SAM)), timed(lambda: inbox.queue(few, SAM))
        return [
            ("B2", timed(lambda: inbox.queue(many, SAM)), timed(lambda: inbox.queue(few, SAM)))
            for _ in range(ROUNDS)
        ]


def _line(rounds: list[Round]) -> str:
    ratios = sorted(ours / theirs for _, ours, theirs in rounds)
    ours, theirs = (statistics.median(each[at] for each in rounds) * 1e6 for at in (1, 2))
    middle = statistics.median(ratios)
    name = rounds[0][0]
    return (
        f"{name}  {middle:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})  {ours:.0f} / {theirs:.0f} microseconds"
    )


if __name__ == "__main__":
    sys.stdout.write("\n".join(_line(measured) for measured in (b1(), b2())) + "\n")
