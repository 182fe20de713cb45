"""What really happened, in one SQLite file of its own that anyone may open and check.

Money is stored as the number that was asked for, never rounded: 499 reads back as 499.0. Times are RFC 3339
UTC text. Every act is unique for (thread_id, tool_call_id), so an act that is repeated after a crash finds
its own row and gives the first answer again.
"""

from __future__ import annotations

import math
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

CURRENCY = "CNY"
BUSY_SECONDS = 30.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    order_id TEXT PRIMARY KEY,
    item     TEXT NOT NULL,
    total    REAL NOT NULL,
    currency TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('open', 'shipped', 'delivered', 'closed')),
    customer TEXT NOT NULL,
    tier     TEXT NOT NULL CHECK (tier IN ('standard', 'vip')),
    address  TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS refunds (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    order_id     TEXT NOT NULL REFERENCES orders (order_id),
    amount       REAL NOT NULL,
    decision_id  TEXT,
    created_at   TEXT NOT NULL,
    UNIQUE (thread_id, tool_call_id)
);
CREATE INDEX IF NOT EXISTS refunds_of_order ON refunds (order_id, id);
CREATE TABLE IF NOT EXISTS messages_sent (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    order_id     TEXT NOT NULL REFERENCES orders (order_id),
    text         TEXT NOT NULL,
    decision_id  TEXT,
    created_at   TEXT NOT NULL,
    UNIQUE (thread_id, tool_call_id)
);
CREATE TABLE IF NOT EXISTS address_changes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    thread_id    TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    order_id     TEXT NOT NULL REFERENCES orders (order_id),
    address      TEXT NOT NULL,
    decision_id  TEXT,
    created_at   TEXT NOT NULL,
    UNIQUE (thread_id, tool_call_id)
);
"""

SEED = (
    (
        "A-2048",
        "wireless headphones",
        699.00,
        "delivered",
        "customer 12",
        "standard",
        "12 Harbour Road",
    ),
    ("A-2049", "mechanical keyboard", 450.00, "delivered", "customer 12", "standard", "12 Harbour Road"),
    ("A-4040", "desk lamp", 320.00, "closed", "customer 40", "standard", "8 Mill Lane"),
    ("A-1001", "water bottle", 89.00, "delivered", "customer 7", "standard", "3 Canal Street"),
    ("A-1002", "running shoes", 529.50, "shipped", "customer 7", "standard", "3 Canal Street"),
    ("A-1003", "coffee grinder", 398.00, "open", "customer 21", "vip", "46 Garden Avenue"),
    ("A-2050", "4K monitor", 2199.00, "shipped", "customer 21", "vip", "46 Garden Avenue"),
    ("A-2051", "travel adapter", 128.00, "open", "customer 33", "standard", "9 Station Square"),
    ("A-3000", "office chair", 1480.00, "open", "customer 33", "standard", "9 Station Square"),
    ("B-1200", "yoga mat", 199.90, "delivered", "customer 58", "standard", "21 Hill Path"),
    ("B-1201", "electric kettle", 260.00, "closed", "customer 58", "standard", "21 Hill Path"),
)


class ShopRefusal(Exception):
    """The shop said no; the text is the whole reason and is meant for the agent."""


@dataclass(frozen=True)
class Act:
    """Who asks for something to happen: one tool call of one thread, and the decision that let it through.

    `decision_id` is None for a call that nobody had to approve.
    """

    thread_id: str
    tool_call_id: str
    decision_id: str | None = None


@dataclass(frozen=True)
class Refund:
    """One row of refunds, and what was refunded on the same order before it."""

    order_id: str
    amount: float
    order_total: float
    earlier_count: int
    earlier_sum: Decimal


def money_text(amount: float) -> str:
    """Exact decimal text with at least two places: 699.0 -> '699.00', 12.345 -> '12.345'."""
    exact = Decimal(repr(float(amount)))
    if not exact.is_finite():
        return str(exact)
    exponent = exact.as_tuple().exponent
    places = max(2, -exponent) if isinstance(exponent, int) else 2
    return f"{exact:.{places}f}"


def open_shop(path: Path) -> Path:
    """Make the file, its tables and its orders where they are missing; what is there is left as it is.

    Safe to call from several processes at once. Returns the path it was given.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _keep_private(path)
    _switch_to_wal(path)
    with _transaction(path) as db:
        # executescript would commit the surrounding transaction, so the statements go one by one.
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.executemany(
            "INSERT OR IGNORE INTO orders (order_id, item, total, state, customer, tier, address, currency)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*row, CURRENCY) for row in SEED],
        )
    return path


def _keep_private(path: Path) -> None:
    # A file that is there is not opened: closing it again would drop SQLite's own locks in this process.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o600)


def find_order(path: Path, order_id: str) -> dict[str, Any]:
    """The order's columns and what was refunded on it so far; ShopRefusal when there is no such order."""
    with _connection(path) as db:
        order = dict(_order(db, order_id))
        count, total = _refunded(db, order_id, before=None)
    return {
        **order,
        "total": money_text(order["total"]),
        "refunds": count,
        "refunds_total": money_text(float(total)),
    }


def refund(path: Path, act: Act, order_id: str, amount: float) -> Refund:
    """Give money back, once for this act; asked again, the row that is there answers."""
    with _transaction(path) as db:
        row = db.execute(
            "SELECT id, order_id, amount FROM refunds WHERE thread_id = ? AND tool_call_id = ?",
            (act.thread_id, act.tool_call_id),
        ).fetchone()
        if row is None:
            if not (math.isfinite(amount) and amount > 0):
                raise ShopRefusal(f"the amount must be a positive number, not {amount!r}")
            if _order(db, order_id)["state"] == "closed":
                raise ShopRefusal("order closed")
            new_id = _record(db, act, "refunds", order_id, "amount", amount)
            row = db.execute("SELECT id, order_id, amount FROM refunds WHERE id = ?", (new_id,)).fetchone()
        count, total = _refunded(db, row["order_id"], before=row["id"])
        order_total = _order(db, row["order_id"])["total"]
    return Refund(row["order_id"], row["amount"], order_total, count, total)


def change_address(path: Path, act: Act, order_id: str, address: str) -> str:
    """The address that this act set, and sets only once."""
    if not address.strip():
        raise ShopRefusal("the address is empty")
    with _transaction(path) as db:
        if first := _first(db, act, "address_changes", "address"):
            return first
        _order(db, order_id)
        _record(db, act, "address_changes", order_id, "address", address)
        db.execute("UPDATE orders SET address = ? WHERE order_id = ?", (address, order_id))
    return address


def send_message(path: Path, act: Act, order_id: str, text: str) -> str:
    """The text that this act sent to the order's customer, once."""
    if not text.strip():
        raise ShopRefusal("the text is empty")
    with _transaction(path) as db:
        if first := _first(db, act, "messages_sent", "text"):
            return first
        _order(db, order_id)
        _record(db, act, "messages_sent", order_id, "text", text)
    return text


def _order(db: sqlite3.Connection, order_id: str) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute("SELECT * FROM orders WHERE order_id = ?", (order_id,)).fetchone()
    if row is None:
        raise ShopRefusal(f"no order {order_id}")
    return row


def _refunded(db: sqlite3.Connection, order_id: str, before: int | None) -> tuple[int, Decimal]:
    rows = db.execute(
        "SELECT amount FROM refunds WHERE order_id = ? AND (? IS NULL OR id < ?)", (order_id, before, before)
    ).fetchall()
    return len(rows), sum((Decimal(repr(row["amount"])) for row in rows), Decimal(0))


def _first(db: sqlite3.Connection, act: Act, table: str, column: str) -> str | None:
    row = db.execute(
        # The names are this module's own, never input.
        f"SELECT {column} FROM {table} WHERE thread_id = ? AND tool_call_id = ?",  # noqa: S608
        (act.thread_id, act.tool_call_id),
    ).fetchone()
    return None if row is None else str(row[column])


def _record(db: sqlite3.Connection, act: Act, table: str, order_id: str, column: str, value: object) -> int:
    done = db.execute(
        f"INSERT INTO {table} (thread_id, tool_call_id, order_id, {column}, decision_id, created_at)"  # noqa: S608
        " VALUES (?, ?, ?, ?, ?, ?)",
        (act.thread_id, act.tool_call_id, order_id, value, act.decision_id, _now()),
    )
    return int(done.lastrowid or 0)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@contextmanager
def _connection(path: Path) -> Iterator[sqlite3.Connection]:
    # One connection a call: tools run in several threads and processes, and a connection belongs to one.
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.row_factory = sqlite3.Row
        yield db
    finally:
        db.close()


@contextmanager
def _transaction(path: Path) -> Iterator[sqlite3.Connection]:
    with _connection(path) as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _switch_to_wal(path: Path) -> None:
    # SQLite does not wait for its busy timeout when two processes switch a new file at the same moment.
    give_up_at = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            with _connection(path) as db:
                if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                    db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up_at:
                raise
            time.sleep(0.02)
