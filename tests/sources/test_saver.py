"""The saver of the runs: LangGraph's own, called from a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from console.sources.saver import GUARD, GuardedSaver


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[GuardedSaver]:
    made = GuardedSaver(tmp_path / "checkpoints.db", JsonPlusSerializer())
    yield made
    made.close()


def config(guard: Callable[[], None] | None = None) -> Any:
    asked = {GUARD: guard} if guard else {}
    return {"configurable": {"thread_id": "t", "checkpoint_ns": "", **asked}}


async def put(saver: GuardedSaver, guard: Callable[[], None] | None = None) -> Any:
    return await saver.aput(config(guard), empty_checkpoint(), {"step": 1}, {})


def refuse() -> None:
    raise RuntimeError("the lease is lost")


def test_what_a_loop_stores_is_what_is_read_back(saver: GuardedSaver) -> None:
    async def store() -> None:
        kept = await put(saver)
        await saver.aput_writes(kept, [("messages", "hello")], "task")
        found = await saver.aget_tuple(config())
        assert found == saver.get_tuple(config())
        assert found is not None
        assert found.pending_writes == [("task", "messages", "hello")]
        assert [each async for each in saver.alist(config())] == [found]
        assert await saver.aget_delta_channel_history(config=kept, channels=["x"]) == {"x": {"writes": []}}
        await saver.adelete_thread("t")
        assert await saver.aget_tuple(config()) is None

    asyncio.run(store())


def test_nothing_is_stored_that_the_guard_refuses(saver: GuardedSaver) -> None:
    async def store() -> None:
        kept = await put(saver)
        kept["configurable"][GUARD] = refuse
        with pytest.raises(RuntimeError, match="lost"):
            await put(saver, refuse)
        with pytest.raises(RuntimeError, match="lost"):
            await saver.aput_writes(kept, [("messages", "hello")], "task")

    asyncio.run(store())
    assert [each.pending_writes for each in saver.list(config())] == [[]]


def test_a_guard_that_waits_does_not_hold_up_the_loop(saver: GuardedSaver) -> None:
    async def store() -> None:
        loop, told = asyncio.get_running_loop(), asyncio.Event()
        turned: list[bool] = []

        def guard() -> None:
            loop.call_soon_threadsafe(told.set)
            # Answered by the loop, which therefore has to go on meanwhile.
            turned.append(asyncio.run_coroutine_threadsafe(told.wait(), loop).result(5))

        await put(saver, guard)
        assert turned == [True]

    asyncio.run(store())


def test_a_run_that_is_cancelled_in_a_write_leaves_no_transaction_open(saver: GuardedSaver) -> None:
    async def store() -> None:
        for _ in range(20):
            writing = asyncio.create_task(put(saver))
            await asyncio.sleep(0)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

        await saver.aget_tuple(config())
        assert not saver.conn.in_transaction

    asyncio.run(store())
