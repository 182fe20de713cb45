"""What really happened in the shop, read from its file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from tests.serving import Server

TABLES = ("refunds", "messages_sent", "address_changes")


def rows(server: Server, table: str, thread_id: str) -> list[dict[str, Any]]:
    """Of one thread, oldest first."""
    assert table in TABLES
    with closing(sqlite3.connect(f"file:{server.data / 'shop.db'}?mode=ro", uri=True)) as shop:
        shop.row_factory = sqlite3.Row
        asked = f"SELECT * FROM {table} WHERE thread_id = ? ORDER BY id"
        return [dict(row) for row in shop.execute(asked, (thread_id,))]


def refunds(server: Server, thread_id: str) -> list[tuple[str, float]]:
    """(order, amount) of each refund of the thread, oldest first."""
    return [(row["order_id"], row["amount"]) for row in rows(server, "refunds", thread_id)]


def texts(server: Server, thread_id: str) -> list[str]:
    return [row["text"] for row in rows(server, "messages_sent", thread_id)]
