"""The saver that runs store through: LangGraph's own for SQLite, in one thread of its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver

from console.sources.scan import BUSY_SECONDS
from console.sources.serde import whole

GUARD = "console_guard"
T = TypeVar("T")


class GuardedSaver(SqliteSaver):
    """Asks the run's guard before each write: one that woke up late must not write over its successor.

    LangGraph's saver for loops goes to its thread and back for the cursor, each statement, the commit and the
    closing. Here each call goes once, and the guard goes with it, so that it is asked right before the write
    and its own look at a database does not hold up the loop. A run that is cancelled between two of those
    steps would also leave a transaction open, into which the next run's first write then falls.
    """

    def __init__(self, path: Path, serde: SerializerProtocol) -> None:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
        super().__init__(connection, serde=serde)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="saver")
        self.setup()

    def close(self) -> None:
        self._thread.shutdown(wait=True)
        self.conn.close()

    async def _there(self, what: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(what, *args, **named))

    async def aput(self, config: RunnableConfig, *what: Any) -> RunnableConfig:
        return await self._there(_guarded, config, self.put, config, *what)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._there(_guarded, config, self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._there(whole, self.get_tuple, config)

    async def alist(self, config: RunnableConfig | None, **narrowed: Any) -> AsyncIterator[CheckpointTuple]:
        for each in await self._there(lambda: list(self.list(config, **narrowed))):
            yield each

    async def adelete_thread(self, thread_id: str) -> None:
        await self._there(self.delete_thread, thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, Any]:
        read = self.get_delta_channel_history
        return await self._there(whole, read, config=config, channels=channels)


def _guarded(config: RunnableConfig, write: Callable[..., T], *args: Any) -> T:
    guard = config["configurable"].get(GUARD)
    if guard is not None:
        guard()
    return write(*args)
