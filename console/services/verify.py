"""Checking the ledger against itself and the signed heads, without trusting the process that wrote it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from console.domain.canonical import canonical
from console.domain.ledger import Kind, genesis, link
from console.domain.merkle import Frontier, leaf
from console.services import notes
from console.store.ledger_file import LedgerFile, Row, Unreadable

INTACT, BROKEN, UNREADABLE, CUT, UNSIGNED = 0, 1, 2, 3, 4
_FACETS = ("kind", "tool", "source", "thread_id", "review_id", "verdict", "outcome")


@dataclass
class Report:
    """`status` is what `console audit verify` exits with; `first_bad` the number of the first bad entry."""

    status: int = INTACT
    entries: int = 0
    first_bad: int | None = None
    reason: str = ""
    head: notes.Head | None = None
    first_at: str = ""
    last_at: str = ""
    redacted: int = 0
    backwards: int = 0
    warnings: list[str] = field(default_factory=list)


class _Broken(Exception):
    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(reason)
        self.seq, self.reason = seq, reason


def verify(database: Path, heads: Sequence[Path], key: Path, *, deep: bool = False) -> Report:
    """Stream every entry once. `heads` are the files of signed heads, `key` the public key's file.

    Precedence: what cannot be read, then what re-hashing finds, then a head larger than the log, then what
    the cross-checks find, then an unsigned tail.
    """
    report = Report()
    try:
        with ExitStack() as stack:
            file = stack.enter_context(LedgerFile(database))
            _verify(file, heads, key, report, deep)
    except Unreadable as wrong:
        report.status, report.reason = UNREADABLE, str(wrong)
    except _Broken as broken:
        report.status, report.first_bad, report.reason = BROKEN, broken.seq, broken.reason
    return report


def _verify(file: LedgerFile, heads: Sequence[Path], key: Path, report: Report, deep: bool) -> None:
    install = file.install_id()
    signed = _heads(heads, key, f"{notes.NAME}/{install}", report)
    _chain(file, genesis(install), signed, report)
    report.warnings += [f"the trigger {name} is missing" for name in file.missing_triggers()]
    largest = max(signed, key=lambda head: head.size, default=None)
    if largest is not None and largest.size > report.entries:
        report.status = CUT
        report.reason = f"a head of {largest.size} entries was signed, and the log has {report.entries}"
        return
    if deep:
        _cross_check(file, report)
    report.head = largest
    if largest is None or largest.size < report.entries:
        report.status = UNSIGNED
        report.reason = f"the last {report.entries - (largest.size if largest else 0)} entries are not signed"


def _heads(files: Sequence[Path], key: Path, origin: str, report: Report) -> list[notes.Head]:
    there = [path for path in files if path.is_file()]
    if not there:
        report.warnings.append("there is no file of signed heads, so a cut log would not be noticed")
        return []
    try:
        public = notes.public_key(key.read_text())
        found = [head for path in there for head in notes.read_heads(path.read_text(), public, origin)]
    except (OSError, ValueError) as wrong:
        raise Unreadable(f"the heads cannot be checked: {wrong}") from None
    invalid = sum(not head.valid for head in found)
    if invalid:
        raise _Broken(0, f"{invalid} heads were not signed by this log's key")
    return found


def _chain(file: LedgerFile, start: bytes, signed: Sequence[notes.Head], report: Report) -> None:
    """Re-hash the stored bytes, link by link, and compare the root wherever a head was signed."""
    roots: dict[int, set[bytes]] = {}
    for head in signed:
        roots.setdefault(head.size, set()).add(head.root)
    frontier, before, agreed = Frontier(), start, 0
    for row in file.rows():
        expected = frontier.size + 1
        if row.seq != expected:
            raise _Broken(expected, f"entry {expected} is missing; the next one is {row.seq}")
        if row.prev != before or link(before, row.body) != row.hash:
            raise _Broken(row.seq, "its bytes do not hash to what is chained")
        before = row.hash
        frontier.append(leaf(row.body))
        if row.seq in roots:
            if roots[row.seq] != {frontier.root()}:
                raise _Broken(agreed + 1, f"the entries up to {row.seq} are not those that were signed")
            agreed = row.seq
    report.entries = frontier.size


def _cross_check(file: LedgerFile, report: Report) -> None:
    """Parse every entry and compare it with the tables that stand beside it."""
    facets = file.facets()
    decisions = file.decision_digests()
    last_at = ""
    for row in file.rows():
        body = _parsed(row)
        facet = next(facets, None)
        if facet is None or facet["seq"] != row.seq or any(facet[name] != body.get(name) for name in _FACETS):
            raise _Broken(row.seq, "the search columns say something else than the entry")
        if facet["actor_id"] != body["actor"].get("id", ""):
            raise _Broken(row.seq, "the search columns name another actor than the entry")
        report.redacted += _payload_is_gone(file, row, body)
        if body["kind"] == Kind.DECIDED and decisions.get(body["decision_id"]) != body["result_digest"]:
            raise _Broken(row.seq, "the decision is not the one that was recorded")
        report.backwards += body["at"] < last_at
        report.first_at, report.last_at = report.first_at or body["at"], body["at"]
        last_at = body["at"]
    if next(facets, None) is not None:
        raise _Broken(report.entries + 1, "the search columns hold more than the log")
    if report.backwards:
        report.warnings.append(
            f"the clock went back {report.backwards} times; numbers, not times, are the order"
        )


def _parsed(row: Row) -> dict[str, Any]:
    try:
        body = json.loads(row.body)
        if not isinstance(body, dict) or canonical(body) != row.body:
            raise ValueError("not canonical")
    except ValueError:
        raise _Broken(row.seq, "it is not canonical JSON") from None
    if body.get("seq") != row.seq:
        raise _Broken(row.seq, f"it calls itself {body.get('seq')}")
    return body


def _payload_is_gone(file: LedgerFile, row: Row, body: dict[str, Any]) -> bool:
    commit = body.get("payload_commit")
    if commit is None:
        return False
    found = file.payload(commit)
    if found is not None and hashlib.sha256(found[0] + found[1]).hexdigest() != commit:
        raise _Broken(row.seq, "its payload is not the one that was committed to")
    return found is None


def in_lines(report: Report) -> Iterator[str]:
    """For a terminal: the result first."""
    words = {
        INTACT: f"intact: {report.entries} entries, all signed",
        UNSIGNED: f"intact: {report.entries} entries; {report.reason}",
        BROKEN: f"broken at entry {report.first_bad}: {report.reason}",
        CUT: f"cut or rolled back: {report.reason}",
        UNREADABLE: f"not readable: {report.reason}",
    }
    yield words[report.status]
    if report.first_at:
        yield f"first {report.first_at}, last {report.last_at}"
    if report.redacted:
        yield f"{report.redacted} payloads were erased"
    yield from (f"warning: {warning}" for warning in report.warnings)
