"""The queue of one tab: one service call per reading, the visible rows only."""

from __future__ import annotations

import asyncio

import reflex as rx

from console.domain.access import Permission
from console.domain.errors import ConsoleError, Forbidden
from console.features.queue.rows import Item, count, item
from console.live.identity import acting
from console.live.permit import guarded
from console.services import deps, inbox
from console.services.views import Page, QueueRow

STEP = 50
MOST = 200


class Queue(rx.State):
    """`phase`: loading, ready, denied, error. `current` is the review on the desk."""

    items: list[Item] = []
    count: str = "0"
    any_open: bool = False
    more: bool = False
    phase: str = "loading"
    problem: str = ""
    current: str = ""
    place: str = ""

    _cursor: str | None = None

    async def _read(self) -> None:
        wanted = min(MOST, max(STEP, len(self.items)))
        try:
            page = await asyncio.to_thread(inbox.queue, deps.current(), acting(), limit=wanted)
        except Forbidden as refusal:
            self.phase, self.problem, self.items = "denied", refusal.detail, []
        except ConsoleError as error:
            self.phase, self.problem = "error", error.detail
        else:
            self._take(page, [])

    def _take(self, page: Page[QueueRow], before: list[Item]) -> None:
        with_source = len(deps.current().sources) > 1
        known = {each.id for each in before}
        items = before + [item(row, with_source) for row in page.items if row.id not in known]
        if self.items != items:
            self.items = items
        self.count, self.any_open = count(page), page.total > 0
        self.more, self._cursor, self.phase = page.next_cursor is not None, page.next_cursor, "ready"
        self._mark(self.current)

    def _mark(self, review_id: str) -> None:
        """Which row stands on the desk, and its place in words for narrow screens."""
        places = [each.id for each in self.items]
        self.current = review_id
        self.place = (
            f"{places.index(review_id) + 1} of {self.count}"
            if review_id in places
            else f"{self.count} waiting"
        )

    @guarded(Permission.VIEW)
    async def refresh(self) -> None:
        await self._read()

    @guarded(Permission.VIEW)
    async def load_more(self) -> None:
        if self._cursor is None:
            return
        asked = deps.current(), acting()
        page = await asyncio.to_thread(inbox.queue, *asked, limit=STEP, cursor=self._cursor)
        self._take(page, list(self.items))
