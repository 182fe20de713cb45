"""Checking the ledger against itself and the signed heads, without trusting the process that wrote it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from console.domain.ledger import genesis
from console.domain.merkle import Frontier, leaf
from console.services import notes
from console.services.cross_check import CrossCheck
from console.services.frontiers import kept_frontier
from console.services.notes import Head
from console.store.ledger_file import LedgerFile, Row, Unreadable

INTACT, BROKEN, UNREADABLE, CUT, UNSIGNED = 0, 1, 2, 3, 4
_WORDS = {INTACT: "intact", BROKEN: "broken", UNREADABLE: "unreadable", CUT: "cut", UNSIGNED: "unsigned tail"}
_STEP = 2_048


@dataclass
class Report:
    """`status` is what `console audit verify` exits with; `first_bad` the number of the first bad entry.

    Where a signature alone tells that something was changed, `first_bad` is the first entry after the last
    good head, and `reason` names the range. `skipped` counts entries that an incremental run did not look at.
    """

    status: int = INTACT
    entries: int = 0
    first_bad: int | None = None
    reason: str = ""
    head: Head | None = None
    first_at: str = ""
    last_at: str = ""
    redacted: int = 0
    backwards: int = 0
    skipped: int = 0
    megabytes: float = 0.0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)


class Broken(Exception):
    def __init__(self, seq: int | None, reason: str) -> None:
        super().__init__(reason)
        self.seq, self.reason = seq, reason


def status_word(status: int) -> str:
    return _WORDS[status]


def verify(
    database: Path,
    heads: Sequence[Path],
    key: Path,
    *,
    deep: bool = False,
    since: int | Head | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Stream every entry once. `heads` are the files of signed heads, `key` the public key's file.

    Precedence: what cannot be read, then what re-hashing finds, then a head larger than the log, then what
    the cross-checks find, then an unsigned tail. `since` is a head that was verified before, or its size:
    the entries it covers are not looked at again.
    """
    report, began = Report(), time.perf_counter()
    try:
        with ExitStack() as stack:
            file = stack.enter_context(LedgerFile(database))
            origin = f"{notes.NAME}/{file.install_id()}"
            # Before the snapshot: a head signed meanwhile would otherwise look larger than the log.
            signed = _heads(heads, key, origin, report)
            file.begin()
            _verify(file, signed, heads, report, deep, since, progress)
    except Unreadable as wrong:
        report.status, report.reason = UNREADABLE, str(wrong)
    except Broken as broken:
        report.status, report.first_bad, report.reason = BROKEN, broken.seq, broken.reason
    report.seconds = time.perf_counter() - began
    return report


def _verify(
    file: LedgerFile,
    signed: Sequence[Head],
    heads: Sequence[Path],
    report: Report,
    deep: bool,
    since: int | Head | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    frontier, before = Frontier(), genesis(file.install_id())
    if since is not None:
        frontier, before = _begin_after(file, since, signed, heads, report)
    check = CrossCheck(file, frontier.size) if deep else None
    _chain(file, frontier, before, signed, report, check, progress)
    report.warnings += [f"the trigger {name} is missing" for name in file.missing_triggers()]
    largest = max(signed, key=lambda head: head.size, default=None)
    if largest is not None and largest.size > report.entries:
        report.status = CUT
        report.reason = f"a head of {largest.size} entries was signed, and the log has {report.entries}"
        return
    if check is not None:
        check.close(report.entries)
        report.redacted, report.backwards = check.redacted, check.backwards
        report.warnings += check.warnings
        if check.first is not None:
            raise Broken(*check.first)
    report.head = largest
    if largest is None or largest.size < report.entries:
        report.status = UNSIGNED
        report.reason = f"the last {report.entries - (largest.size if largest else 0)} entries are not signed"


def _heads(files: Sequence[Path], key: Path, origin: str, report: Report) -> list[Head]:
    there = [path for path in files if path.is_file()]
    if not there:
        report.warnings.append("there is no file of signed heads, so a cut log would not be noticed")
        return []
    try:
        keys = notes.Keys.read(key.read_text(), origin)
        texts = [path.read_text("utf-8", "replace") for path in there]
    except (OSError, ValueError) as wrong:
        raise Unreadable(f"the heads cannot be checked: {wrong}") from None
    read = [head for text in texts for head in notes.read_heads(text, keys, origin)]
    found = [*keys.introductions, *read]
    torn = [head for head in found if head.is_torn]
    if torn:
        report.warnings.append(f"{len(torn)} heads were not written to their end and count for nothing")
    invalid = sum(not head.valid for head in found) - len(torn)
    if invalid:
        raise Broken(None, f"{invalid} heads were not signed by a key of this log that counts there")
    return [head for head in found if head.valid]


def _begin_after(
    file: LedgerFile, since: int | Head, signed: Sequence[Head], heads: Sequence[Path], report: Report
) -> tuple[Frontier, bytes]:
    """Where an incremental run starts: the tree as it was at that head, and the hash to go on from.

    The tree is believed only when its root is the signed one. Where none was kept, the entries are hashed
    again, each by itself; their links, times and tables are not looked at.
    """
    size = since if isinstance(since, int) else since.size
    roots = {since.root} if isinstance(since, Head) else {head.root for head in signed if head.size == size}
    if not roots:
        raise Unreadable(f"no head of {size} entries was signed: give the size of one, or its file")
    frontier = kept_frontier(heads[0].parent, size)
    if frontier is None or {frontier.root()} != roots:
        frontier = Frontier()
        for body in file.bodies(size):
            frontier.append(leaf(body))
        if frontier.size < size:
            report.entries = frontier.size
            raise Unreadable(f"the log has {frontier.size} entries, so it cannot be checked since {size}")
        if {frontier.root()} != roots:
            raise Broken(1, f"the entries up to {size} are not those that were signed")
    report.skipped = size
    return frontier, file.hash_of(size)


def _chain(
    file: LedgerFile,
    frontier: Frontier,
    before: bytes,
    signed: Sequence[Head],
    report: Report,
    check: CrossCheck | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Re-hash the stored bytes, link by link, and compare the root wherever a head was signed.

    The hashing of `domain.ledger.link` stands here once more, in the loop: the leaf is needed for both.
    """
    roots: dict[int, set[bytes]] = {}
    for head in signed:
        roots.setdefault(head.size, set()).add(head.root)
    start = seq = agreed = frontier.size
    total, size, append = file.size(), 0, frontier.append
    row: Row | None = None
    for row in file.rows(start):
        seq += 1
        number, body, prev, hashed = row
        if number != seq:
            raise Broken(seq, f"entry {seq} is missing; the next one is {number}")
        digest = sha256(b"\x00" + body).digest()
        if prev != before or sha256(b"\x01" + before + digest).digest() != hashed:
            raise Broken(seq, "its bytes do not hash to what is chained")
        before = hashed
        size += len(body)
        append(digest)
        if seq in roots:
            if roots[seq] != {frontier.root()}:
                raise Broken(agreed + 1, f"one of the entries {agreed + 1} to {seq} is not what was signed")
            agreed = seq
        if check is not None:
            check.look(number, body)
        if seq == start + 1:
            report.first_at = _time_of(body)
        if progress is not None and seq % _STEP == 0:
            progress(seq - start, total - start)
    if progress is not None:
        progress(seq - start, max(total, seq) - start)
    report.last_at = _time_of(row[1]) if row is not None else ""
    report.entries, report.megabytes = frontier.size, size / 1e6


def _time_of(body: bytes) -> str:
    try:
        return str(json.loads(body)["at"])
    except (ValueError, KeyError, TypeError):
        return ""
