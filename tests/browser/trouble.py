"""Threads brought to where they cannot go on by themselves, in ways that happen."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from console.demo.agent import build
from console.sources.local import LocalSource
from console.sources.port import Run
from tests.api.conftest import Quiet
from tests.browser.desk import Desk
from tests.services.world import wait_for
from tests.serving import Server


def poison(server: Server, thread_id: str, interrupt_id: str) -> None:
    """As a bare client on the same checkpoints does: answer with too few decisions, past the console."""
    graph = build(server.data / "shop.db", token_delay=0)
    source = LocalSource("support", graph, server.data / "checkpoints.db")

    async def answer() -> None:
        await source.open()
        try:
            bad: dict[str, Any] = {interrupt_id: {"decisions": []}}
            with pytest.raises(ValueError, match="decisions"):
                await source.run(Run(thread_id, answers=bad), Quiet(), Quiet())
        finally:
            await source.close()

    # Playwright's own loop runs in this thread.
    with ThreadPoolExecutor(1) as beside:
        beside.submit(asyncio.run, answer()).result()


def poisoned(server: Server, sam: Desk, text: str) -> str:
    """A thread on sam's desk that was poisoned past the console; the sweep finds it, whatever sam does."""
    ref = sam.start(text)
    sam.open_thread(ref)
    (review,) = sam.reviews(ref)
    poison(server, review["thread_id"], interrupt_of(server, review["id"]))
    expect(sam.test_id("poisoned-panel")).to_be_visible()
    return ref


def interrupt_of(server: Server, review_id: str) -> str:
    with closing(sqlite3.connect(f"file:{server.data / 'console.db'}?mode=ro", uri=True)) as console:
        (found,) = console.execute("SELECT interrupt_id FROM review WHERE id = ?", (review_id,)).fetchone()
        return str(found)


@contextmanager
def shop_shut(server: Server) -> Iterator[None]:
    """A refund that is tried meanwhile has begun and does not end."""
    with closing(sqlite3.connect(server.data / "shop.db", isolation_level=None)) as held:
        held.execute("BEGIN IMMEDIATE")
        yield
        held.execute("ROLLBACK")


def starts(server: Server, thread_id: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{server.data / 'console.db'}?mode=ro", uri=True)) as console:
        asked = "SELECT name FROM tool_run WHERE thread_id = ? AND ended_at IS NULL"
        return console.execute(asked, (thread_id,)).fetchall()


def stuck(server: Server, sam: Desk) -> str:
    """A thread whose approved refund was begun by a server that was killed inside it."""
    ref = sam.start("Refund A-2048 699 and text the customer")
    (review,) = sam.reviews(ref)
    with shop_shut(server):
        assert sam.decide(review, {"type": "approve"}, {"type": "reject"}).status == 202
        wait_for(lambda: starts(server, review["thread_id"]))
        server.kill9()
    server.start()
    sam.wait_for(ref, "stuck")
    return ref


def stuck_on_a_free_tool(server: Server, sam: Desk) -> str:
    with shop_shut(server):
        ref = sam.start("Refund A-2049 100", until="running")
        wait_for(lambda: starts(server, ref))
        server.kill9()
    server.start()
    sam.wait_for(ref, "stuck")
    return ref
