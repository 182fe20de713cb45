"""A signed log, changed in every way that someone with the file could think of: each change has to be found.

`python -m tests.faults.ledger_mutations`: 1,000 entries, every kind at every entry.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from console.domain.access import Actor, Role
from console.domain.ledger import Kind, link
from console.services.heads import Signer
from console.services.verify import BROKEN, CUT, INTACT, Report, verify
from console.store import ledger
from console.store.engine import write
from tests.services.tables import make_tables
from tests.services.world import demo_deps

ADA = Actor("id-ada", "ada", Role.ADMIN)
TRIGGERS = ("ledger_next", "ledger_no_update", "ledger_no_delete")
FACETS = (
    "at", "kind", "actor_id", "actor_name", "tool", "outcome", "verdict", "source", "thread_id", "review_id",
    "decided_by_id", "payload_id",
)  # fmt: skip
Database = sqlite3.Connection
# The status it has to have, and which entries may be named as the first bad one (None: it does not matter).
Expected = tuple[int, set[int] | None]


@dataclass(frozen=True)
class Mutation:
    """`apply` changes the log of `size` entries at entry `seq`; `deep` when only the cross-checks see it."""

    name: str
    apply: Callable[[Database, int, int], Expected]
    deep: bool = False


def flip(text: bytes, at: int) -> bytes:
    return text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]


def column(name: str) -> Callable[[Database, int, int], Expected]:
    def apply(database: Database, seq: int, size: int) -> Expected:
        (old,) = database.execute(f"SELECT CAST({name} AS BLOB) FROM ledger WHERE seq = ?", (seq,)).fetchone()
        new = flip(old, random.Random(seq).randrange(len(old)))
        kept = new.decode("latin-1") if name == "body" else new
        database.execute(f"UPDATE ledger SET {name} = ? WHERE seq = ?", (kept, seq))
        return BROKEN, {seq}

    return apply


def delete(database: Database, seq: int, size: int) -> Expected:
    database.execute("DELETE FROM ledger WHERE seq = ?", (seq,))
    return (BROKEN, {seq}) if seq < size else (CUT, None)


def renumber(database: Database, seq: int, size: int) -> Expected:
    database.execute("UPDATE ledger SET seq = ? WHERE seq = ?", (size + 7, seq))
    return BROKEN, {seq}


def insert(database: Database, seq: int, size: int) -> Expected:
    """A second copy of the entry; everything behind it moves up."""
    database.execute("UPDATE ledger SET seq = -seq - 1 WHERE seq > ?", (seq,))
    database.execute("UPDATE ledger SET seq = -seq WHERE seq < 0")
    database.execute("INSERT INTO ledger SELECT seq + 1, body, prev, hash FROM ledger WHERE seq = ?", (seq,))
    return BROKEN, {seq + 1}


def swap(database: Database, seq: int, size: int) -> Expected:
    other = seq % size + 1
    for new, old in ((-1, seq), (seq, other), (other, -1)):
        database.execute("UPDATE ledger SET seq = ? WHERE seq = ?", (new, old))
    return BROKEN, {min(seq, other)}


def cut(database: Database, seq: int, size: int) -> Expected:
    database.execute("DELETE FROM ledger WHERE seq >= ?", (seq,))
    return CUT, None


def _rewrite(database: Database, seq: int, last: int) -> None:
    rows = database.execute(
        "SELECT seq, body, prev FROM ledger WHERE seq BETWEEN ? AND ? ORDER BY seq", (seq, last)
    ).fetchall()
    before: bytes = rows[0][2]
    for number, body, _ in rows:
        changed = body.replace('"refused"', '"granted"') if number == seq else body
        after = link(before, changed.encode())
        database.execute(
            "UPDATE ledger SET body = ?, prev = ?, hash = ? WHERE seq = ?", (changed, before, after, number)
        )
        before = after


def replace(database: Database, seq: int, size: int) -> Expected:
    """One entry rewritten with a hash that fits it: the next one does not follow any more."""
    _rewrite(database, seq, seq)
    return BROKEN, ({seq, seq + 1} if seq < size else None)


def rechain(database: Database, seq: int, size: int) -> Expected:
    """Everything hashed anew from there on: only the signatures are beyond whoever did it."""
    _rewrite(database, seq, size)
    return BROKEN, None


def facet(name: str) -> Callable[[Database, int, int], Expected]:
    def apply(database: Database, seq: int, size: int) -> Expected:
        database.execute(f"UPDATE ledger_facet SET {name} = 'x' WHERE seq = ?", (seq,))
        return BROKEN, {seq}

    return apply


def payload(statement: str) -> Callable[[Database, int, int], Expected]:
    def apply(database: Database, seq: int, size: int) -> Expected:
        database.execute(
            statement + " WHERE id = (SELECT payload_id FROM ledger_facet WHERE seq = ?)", (seq,)
        )
        return BROKEN, {seq}

    return apply


MUTATIONS = (
    *(Mutation(f"{name} changed", column(name)) for name in ("body", "prev", "hash")),
    Mutation("entry deleted", delete),
    Mutation("entry renumbered", renumber),
    Mutation("entry inserted", insert),
    Mutation("entries swapped", swap),
    Mutation("end cut off", cut),
    Mutation("entry replaced", replace),
    Mutation("rewritten and chained again", rechain),
    *(Mutation(f"search column {name}", facet(name), deep=True) for name in FACETS),
    Mutation("search row deleted", lambda d, s, n: _without_facet(d, s), deep=True),
    Mutation("payload changed", payload("UPDATE payload SET bytes_text = '{}'"), deep=True),
    Mutation("salt changed", payload("UPDATE payload SET salt = zeroblob(16)"), deep=True),
    Mutation("payload deleted", payload("DELETE FROM payload"), deep=True),
)


def _without_facet(database: Database, seq: int) -> Expected:
    database.execute("DELETE FROM ledger_facet WHERE seq = ?", (seq,))
    return BROKEN, {seq}


@dataclass
class Found:
    tried: int = 0
    alarms: int = 0
    missed: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return f"{self.tried - self.missed} of {self.tried} changes found, {self.alarms} false alarms"


class Log:
    """A log of `entries` entries under a signed head, copied for every change."""

    def __init__(self, folder: Path, entries: int) -> None:
        self.folder = folder / "signed"
        self.folder.mkdir()
        shutil.copy(make_tables(folder), self.folder / "console.db")
        deps = demo_deps(self.folder)
        with write(deps.engine) as connection:
            self.first = ledger.size(connection) + 1
            for number in range(self.first, entries + 1):
                more = {"what": f"page {number}"}
                entry = ledger.Entry(Kind.DENIED, ADA, outcome="refused", payload=f"[{number}]", more=more)
                ledger.append(connection, entry)
        self.size = entries
        sign = Signer(deps)
        sign.start()
        sign.stop()
        deps.engine.dispose()
        with closing(sqlite3.connect(self.folder / "console.db")) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute("PRAGMA journal_mode=DELETE")
            for name in TRIGGERS:
                database.execute(f"DROP TRIGGER {name}")

    def check(self, database: Path, deep: bool) -> Report:
        heads = self.folder / "heads"
        return verify(database, [heads / "heads.txt"], heads / "ledger.pub", deep=deep)

    def after(self, mutation: Mutation, seq: int) -> tuple[Report, Expected]:
        target = self.folder / "changed.db"
        shutil.copy(self.folder / "console.db", target)
        with closing(sqlite3.connect(target, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous=OFF")
            database.execute("BEGIN")
            expected = mutation.apply(database, seq, self.size)
            database.execute("COMMIT")
        return self.check(target, mutation.deep), expected


def campaign(entries: int, of_each: int) -> Found:
    """Every kind of change at `of_each` entries; an untouched copy is checked between them."""
    found = Found()
    with TemporaryDirectory() as place:
        log = Log(Path(place), entries)
        for mutation in MUTATIONS:
            for seq in _chosen(mutation, log, of_each):
                report, (status, named) = log.after(mutation, seq)
                found.tried += 1
                if report.status != status or (named is not None and report.first_bad not in named):
                    found.missed += 1
                    found.notes.append(f"{mutation.name} at {seq}: {report.status}, {report.first_bad}")
            for deep in (False, True):
                found.alarms += log.check(log.folder / "console.db", deep).status != INTACT
    return found


def _chosen(mutation: Mutation, log: Log, of_each: int) -> Iterator[int]:
    """First and last, and between them at random but always the same."""
    draw = random.Random(int(hashlib.sha256(mutation.name.encode()).hexdigest(), 16))
    every = range(log.first, log.size + 1)
    if of_each < len(every):
        yield from (every[0], every[-1], *draw.sample(every[1:-1], of_each - 2))
    else:
        yield from every


def main() -> int:
    found = campaign(1_000, 1_000)
    for note in found.notes[:20]:
        sys.stdout.write(note + "\n")
    sys.stdout.write(found.text + "\n")
    return 1 if found.missed or found.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
