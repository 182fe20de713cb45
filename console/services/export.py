"""The log as a file: JSONL that verifies without the database, and CSV for spreadsheets.

Payloads (arguments, messages) are never exported, only the commitments to them: an export cannot be erased.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from console.domain.access import Actor, Permission, require
from console.domain.errors import Invalid, Problem
from console.domain.ledger import Kind
from console.services import head_files, notes
from console.services.audit_filter import Asked, filter_of, scope
from console.services.audit_words import in_words
from console.services.changes import Change
from console.services.deps import Deps
from console.store import ledger, ledger_search
from console.store.engine import RowMapping, read, write
from console.store.ledger_search import Filter

FORMATS = ("jsonl", "csv")
FORMAT = "review-console-ledger-export/1"
COLUMNS = (
    "seq", "at", "kind", "actor", "role", "via", "source", "thread_id", "review_id", "tool", "verdict",
    "outcome", "reason", "what", "decision_id", "payload_commit", "hash",
)  # fmt: skip
_STEP = 1_000
# What a spreadsheet takes for the beginning of a formula, also in full width and after spaces.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
Rows = Iterator[RowMapping]
Progress = Callable[[int, int], None]


def nobody_looks(done: int, total: int) -> None:
    """For callers that show no progress."""


def stream(
    deps: Deps,
    actor: Actor,
    *,
    format: str,  # noqa: A002 - the name that REST and CLI have for it
    q: str | None = None,
    kind: str | None = None,
    actor_name: str | None = None,
    tool: str | None = None,
    thread: str | None = None,
    review: str | None = None,
    verdict: str | None = None,
    outcome: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    progress: Progress = nobody_looks,
) -> Iterator[bytes]:
    """The export in pieces, oldest entry first.

    Refusals are raised by the call itself, and the `exported` entry is written by it, before the first byte;
    that entry is the last one the export can hold. `progress` gets (number reached, last number).
    """
    require(actor, Permission.AUDIT_EXPORT)
    if format not in FORMATS:
        raise Invalid([Problem(f"format is one of {', '.join(FORMATS)}", pointer="/format")])
    asked = Asked(q, kind, actor_name, tool, thread, review, verdict, outcome, since, until)
    if not asked.is_findable:
        raise Invalid([Problem("half a character cannot be searched for", pointer="")])
    sources = scope(deps, actor)
    with read(deps.engine) as connection:
        wanted = filter_of(connection, actor, asked)
    filters = asked.texts
    last = _record(deps, actor, format, filters)
    rows = _rows(deps, wanted, sources, last, progress)
    write_out = _jsonl if format == "jsonl" else _csv
    return write_out(deps, rows, filters, last)


def _record(deps: Deps, actor: Actor, form: str, filters: dict[str, str]) -> int:
    said = {name: text[:200] for name, text in filters.items()}
    words = "filtered" if filters else "whole"
    more = {"format": form, "scope": words, **({"filters": said} if said else {})}
    with write(deps.engine) as connection:
        seq = ledger.append(connection, ledger.Entry(Kind.EXPORTED, actor, outcome=words, more=more))
    deps.changes.publish(Change("audit"))
    return seq


def _rows(deps: Deps, wanted: Filter, sources: Sequence[str] | None, last: int, progress: Progress) -> Rows:
    """A thousand at a time, each in a transaction of its own: the log only grows, so the pieces fit."""
    after = 0
    while True:
        with read(deps.engine) as connection:
            rows = ledger_search.rows_after(connection, wanted, sources, after, last, _STEP)
        yield from rows
        if len(rows) < _STEP:
            progress(last, last)
            return
        after = rows[-1]["seq"]
        progress(after, last)


def _jsonl(deps: Deps, rows: Rows, filters: dict[str, str], last: int) -> Iterator[bytes]:
    with read(deps.engine) as connection:
        install = ledger.install_id(connection)
    origin = f"{notes.NAME}/{install}"
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    yield _line(
        {"format": FORMAT, "origin": origin, "install_id": install, "filters": filters, "exported_at": now}
    )
    count, newest = 0, ""
    for row in rows:
        count, newest = count + 1, row["hash"].hex()
        yield _line({"seq": row["seq"], "body": row["body"], "prev": row["prev"].hex(), "hash": newest})
    complete = not filters and count == last
    yield _line(
        {
            "trailer": True,
            "entries": count,
            "last_hash": newest,
            "complete": complete,
            "proves": _PROVES[complete],
            "key": _key_name(deps),
            "heads": _heads(deps, origin, last) if complete else [],
        }
    )


_PROVES = {
    True: "every entry from the first to the last, in order; those under a signed head against its signature",
    False: "each line's own hash; not that nothing is missing between or after the lines",
}


def _line(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _key_name(deps: Deps) -> str:
    """Name and id of the newest signing key; whoever checks has the key itself from elsewhere."""
    try:
        return notes.verifier(head_files.public_keys(deps.settings).publics[-1]).rsplit("+", 1)[0]
    except (OSError, ValueError):
        return ""


def _heads(deps: Deps, origin: str, last: int) -> list[str]:
    """The signed heads of the entries exported, in the order they were signed."""
    try:
        keys = head_files.public_keys(deps.settings)
        text = head_files.files(deps.settings)[0].read_text("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return [head.text for head in notes.read_heads(text, keys, origin) if head.valid and head.size <= last]


def _csv(deps: Deps, rows: Rows, filters: dict[str, str], last: int) -> Iterator[bytes]:
    """The last line is the SHA-256 of all bytes before it."""
    digest = hashlib.sha256()
    for cells in chain([COLUMNS], map(_flat, rows)):
        piece = _cells(cells)
        digest.update(piece)
        yield piece
    yield _cells(["sha256 of all lines above", digest.hexdigest()])


def _flat(row: RowMapping) -> list[str]:
    body = ledger.body_of(row)
    actor = body["actor"]
    known = {
        "actor": actor.get("name", ""),
        "role": actor.get("role", ""),
        "what": in_words(body),
        "hash": row["hash"].hex(),
    }
    return [str(known[name] if name in known else body.get(name, "")) for name in COLUMNS]


def _cells(texts: Sequence[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([as_text(each) for each in texts])
    return out.getvalue().encode("utf-8", "backslashreplace")


def as_text(cell: str) -> str:
    """With an apostrophe in front where a spreadsheet would calculate instead of show."""
    return f"'{cell}" if cell.startswith(_STARTS) or cell.lstrip().startswith(_STARTS) else cell
