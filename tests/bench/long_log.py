"""A database whose log has any number of entries, made in seconds: chained as the console chains them.

`python -m tests.bench.long_log FILE [ENTRIES]`. A busy desk: four of every six entries are
the story of one review, and the clock goes back now and then.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from console.domain.ledger import genesis
from console.store.engine import open_engine
from console.store.schema import upgrade

START = datetime(2026, 1, 1, tzinfo=UTC)
PEOPLE = ("sam", "sue")
TOOLS = ("refund_order", "update_shipping_address", "send_sms", "ask_supervisor")
STORY = ("opened", "decided", "dispatched", "settled", "login", "denied")
STEP = 20_000
# What every verdict of the long log hands over.
VERDICT = '{"decisions": [{"type": "approve"}]}'


def entries(count: int) -> Iterator[tuple[dict[str, Any], str | None]]:
    """(body, who decided) of each entry, in order."""
    for number in range(count):
        story, step = divmod(number, len(STORY))
        yield _entry(number + 1, story, STORY[step])


def _entry(seq: int, story: int, kind: str) -> tuple[dict[str, Any], str | None]:
    # Five seconds apart, and once in a thousand the clock is an hour behind.
    at = START + timedelta(seconds=5 * seq, microseconds=seq) - timedelta(hours=seq % 1000 == 999)
    person = PEOPLE[story % 3 % 2]
    decided_by = f"id-{person}" if kind in ("decided", "settled") else None
    by_worker = kind in ("opened", "dispatched", "settled")
    name = "worker" if by_worker else ("quinn" if kind == "denied" else person)
    body: dict[str, Any] = {
        "v": 1,
        "seq": seq,
        "at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "kind": kind,
        "actor": {"id": f"id-{name}", "name": name, "role": "none" if by_worker else "supervisor"},
        "via": "worker" if by_worker else "web",
    }
    if kind not in ("login", "denied"):
        body |= {
            "source": "support",
            "thread_id": f"thread-{story // 3}",
            "review_id": hashlib.md5(str(story).encode(), usedforsecurity=False).hexdigest(),
            "tool": TOOLS[story % 7 % 4],
            "request_digest": hashlib.sha256(str(story).encode()).hexdigest(),
        }
    if kind in ("decided", "dispatched", "settled"):
        body["decision_id"] = hashlib.md5(f"decision {story}".encode(), usedforsecurity=False).hexdigest()
    if kind == "decided":
        body["result_digest"] = hashlib.sha256(VERDICT.encode()).hexdigest()
        body["verdict"] = ("approve", "reject", "edit")[story % 5 % 3]
    if kind == "settled":
        body["outcome"] = ("ran", "did not run", "tool failed: order closed")[story % 11 % 3]
    if kind == "denied":
        body |= {"outcome": "refused", "what": "POST /api/v1/reviews", "permission": "decide"}
    return body, decided_by


def make(file: Path, count: int) -> None:
    """Write the whole database; the search indexes are made after the rows, which is many times quicker."""
    engine = open_engine(f"sqlite:///{file}")
    upgrade(engine)
    engine.dispose()
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA synchronous=OFF")
        later = _put_aside(database)
        install = database.execute("SELECT value FROM meta WHERE key = 'install_id'").fetchone()[0]
        before = genesis(install)
        rows: list[tuple[Any, ...]] = []
        facets: list[tuple[Any, ...]] = []
        made: list[tuple[Any, ...]] = []
        for body, decided_by in entries(count):
            text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            leaf = hashlib.sha256(b"\x00" + text.encode()).digest()
            after = hashlib.sha256(b"\x01" + before + leaf).digest()
            rows.append((body["seq"], text, before, after))
            facets.append(_facet(body, decided_by))
            if body["kind"] == "decided":
                made.append(_decision(body))
            before = after
            if len(rows) == STEP:
                _write(database, rows, facets, made)
        _write(database, rows, facets, made)
        for statement in later:
            database.execute(statement)
        database.commit()


def _put_aside(database: sqlite3.Connection) -> list[str]:
    """Triggers and search indexes, dropped; the statements that bring them back."""
    found = database.execute(
        "SELECT type, name, sql FROM sqlite_master"
        " WHERE type IN ('trigger', 'index') AND tbl_name IN ('ledger', 'ledger_facet') AND sql IS NOT NULL"
    ).fetchall()
    for kind, name, _ in found:
        database.execute(f"DROP {kind} {name}")
    return [statement for _, _, statement in found]


def _facet(body: dict[str, Any], decided_by: str | None) -> tuple[Any, ...]:
    at = f"{body['at'][:10]} {body['at'][11:26]}"
    names = ("tool", "source", "thread_id", "review_id")
    return (
        body["seq"], at, body["kind"], body["actor"]["id"], body["actor"]["name"],
        *(body.get(name) for name in names), decided_by, body.get("verdict"), body.get("outcome"),
    )  # fmt: skip


def _decision(body: dict[str, Any]) -> tuple[Any, ...]:
    actor = body["actor"]
    return (
        body["decision_id"], body["review_id"], 1, actor["id"], actor["name"], body["via"], body["at"],
        VERDICT, body["result_digest"],
    )  # fmt: skip


def _write(database: sqlite3.Connection, rows: list[Any], facets: list[Any], made: list[Any]) -> None:
    database.executemany("INSERT INTO ledger (seq, body, prev, hash) VALUES (?, ?, ?, ?)", rows)
    database.executemany(
        "INSERT INTO ledger_facet (seq, at, kind, actor_id, actor_name, tool, source, thread_id, review_id,"
        " decided_by_id, verdict, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        facets,
    )
    database.executemany(
        "INSERT INTO decision (id, review_id, version, actor_id, actor_name, via, at, body_text,"
        " result_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        made,
    )
    database.commit()
    for each in (rows, facets, made):
        each.clear()


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
