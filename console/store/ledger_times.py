"""Between which numbers the entries of a span of time lie, though clocks are set back.

The log only grows, so the earliest and the latest time of every full block of entries are read once in a
process and kept, as long as the chain still goes through the last of them (a file can be put back from a
copy); entries of a time can only be in the blocks whose span reaches it.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, Engine, func, select

from console.store.ledger import FACET, LEDGER

BLOCK = 4_096
# Earliest and latest time of the entries of one block.
Span = tuple[datetime, datetime]


@dataclass
class Kept:
    """`through` is the chain's hash at the last entry of the last of these blocks."""

    spans: list[Span | None] = field(default_factory=list)
    through: bytes | None = None


_kept: weakref.WeakKeyDictionary[Engine, Kept] = weakref.WeakKeyDictionary()
_reading = threading.Lock()


def bounds(
    connection: Connection, since: datetime | None, until: datetime | None, size: int
) -> tuple[int, int]:
    """All entries from `since` on and before `until` are from the one number to the other.

    What is between them need not be of that time, the caller compares each; the first is larger when there
    is none.
    """
    if since is None and until is None:
        return 1, size
    reached = [
        at
        for at, span in enumerate(_all(connection, size))
        if span and (since is None or span[1] >= since) and (until is None or span[0] < until)
    ]
    if not reached:
        return size + 1, size
    return reached[0] * BLOCK + 1, min(size, (reached[-1] + 1) * BLOCK)


def _all(connection: Connection, size: int) -> list[Span | None]:
    full, rest = divmod(size, BLOCK)
    with _reading:
        kept = _kept.setdefault(connection.engine, Kept())
        if kept.through != _hash_after(connection, len(kept.spans)):
            kept.spans.clear()
        if len(kept.spans) < full:
            kept.spans += [_span(connection, at) for at in range(len(kept.spans), full)]
        kept.through = _hash_after(connection, len(kept.spans))
        return kept.spans + ([_span(connection, full)] if rest else [])


def _hash_after(connection: Connection, blocks: int) -> bytes | None:
    """None after no block, and where that entry is not there."""
    query = select(LEDGER.c.hash).where(LEDGER.c.seq == blocks * BLOCK)
    return connection.execute(query).scalar_one_or_none()


def _span(connection: Connection, at: int) -> Span | None:
    """None where no entry is left."""
    inside = FACET.c.seq.between(at * BLOCK + 1, (at + 1) * BLOCK)
    both = select(func.min(FACET.c.at), func.max(FACET.c.at)).where(inside)
    earliest, latest = connection.execute(both).one()
    return (earliest, latest) if earliest is not None else None
