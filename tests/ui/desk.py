"""What sam does in a tab, as events, and what the tab then holds."""

from __future__ import annotations

from typing import Any

import pytest

from console.features.thread.edit_state import Edit
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live.tab import Tab
from tests.ui.pipeline import Pipeline


class Desk:
    """sam's tab with the paused thread open."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self.tab = pipeline, pipeline.connect("tab", "sam")

    async def review(self) -> Any:
        return await self.pipeline.state(self.tab, Review)

    async def notice(self) -> Any:
        return await self.pipeline.state(self.tab, Tab)

    async def choose(self, position: int, kind: str) -> None:
        key = (await self.review()).key
        await self.pipeline.send(self.tab, Review.choose, key=key, position=position, kind=kind)

    async def edit(self) -> Any:
        return await self.pipeline.state(self.tab, Edit)

    async def field(self, position: int, pointer: str) -> Any:
        """The one that is drawn there; None where there is none."""
        ahead = [(await self.edit()).trees[str(position)]]
        while ahead:
            node = ahead.pop()
            if node.pointer == pointer:
                return node
            ahead += node.children
        return None

    async def take(self, position: int, at: str, verb: str, what: str = "", **other: Any) -> None:
        """`other` is sent instead of what a browser would send."""
        pointer, op, text = at, verb, what
        drawn = await self.field(position, pointer)
        sent = {
            "key": (await self.review()).key,
            "slot": str(position),
            "turn": drawn.turn if drawn else 0,
            "op": op,
            "pointer": pointer,
            "text": text,
        }
        await self.pipeline.send(self.tab, Edit.take, **{**sent, **other})

    async def type(self, position: int, pointer: str, text: str) -> None:
        await self.take(position, pointer, "set", text)

    async def submit(self, key: str | None = None) -> None:
        wanted = key or (await self.review()).key
        await self.pipeline.send(self.tab, Review.submit, key=wanted)


@pytest.fixture
async def sam(pipeline: Pipeline) -> Desk:
    made = Desk(pipeline)
    await pipeline.send(made.tab, Thread.load)
    return made
