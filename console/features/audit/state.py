"""The log as one tab reads it: newest first, older pages by cursor, one entry open at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.domain.errors import ConsoleError, Forbidden
from console.features import parse
from console.features.audit.rows import Detail, Entry, detail, entry
from console.features.queue.state import Queue
from console.live.broadcast import BROADCASTER
from console.live.identity import acting
from console.live.permit import guarded
from console.services import audit, deps
from console.services.views import AuditRow, Page

STEP = 50
FILTERS = ("kind", "actor_name", "tool", "outcome")
NO_DETAIL = Detail(0, "", "", "", "", "", [], [], [])


class Audit(rx.State):
    """`open_seq` is the number of the opened entry, 0 for none."""

    entries: list[Entry] = []
    total: str = ""
    more: bool = False
    phase: str = "loading"
    problem: str = ""
    open_seq: int = 0
    detail: Detail = NO_DETAIL
    own_only: bool = False

    _cursor: str | None = None
    _asked: dict[str, str] = {}

    async def _page(self, limit: int, cursor: str | None = None, **more: Any) -> Page[AuditRow]:
        asked = {name: text for name, text in self._asked.items() if text}
        return await asyncio.to_thread(audit.log, deps.current(), acting(), limit=limit, cursor=cursor, **asked, **more)

    async def _read(self) -> None:
        try:
            page = await self._page(min(200, max(STEP, len(self.entries))))
        except Forbidden as refusal:
            self.phase, self.problem, self.entries = "denied", refusal.detail, []
        except ConsoleError as error:
            self.phase, self.problem = "error", error.detail
        else:
            self._take(page, [])

    def _take(self, page: Page[AuditRow], before: list[Entry]) -> None:
        entries = before + [entry(row) for row in page.items]
        if self.entries != entries:
            self.entries = entries
        self.total = f"{page.total:,}{'+' if page.total_capped else ''}"
        self.more, self._cursor, self.phase = page.next_cursor is not None, page.next_cursor, "ready"
        for row in page.items:
            if row.seq == self.open_seq and self.detail != detail(row):
                self.detail = detail(row)

    @guarded(Permission.SIGNED_IN)
    async def load(self) -> None:
        actor = acting()
        self.own_only = actor.role == "supervisor"
        BROADCASTER.watch(self.router.session.client_token, "audit")
        await self._read()
        await (await self.get_state(Queue))._read()

    @guarded(Permission.AUDIT_OWN)
    async def refresh(self) -> None:
        await self._read()

    @guarded(Permission.AUDIT_OWN)
    async def older(self) -> None:
        if self._cursor is not None:
            self._take(await self._page(STEP, self._cursor), list(self.entries))

    @guarded(Permission.AUDIT_OWN)
    async def narrow(self, form: Any) -> None:
        self._asked = {name: parse.form_text(form, name, 200).strip() for name in FILTERS}
        self.entries, self.open_seq = [], 0
        await self._read()

    @guarded(Permission.AUDIT_OWN)
    async def toggle(self, seq: Any) -> None:
        wanted = parse.whole(seq, 1)
        if wanted == self.open_seq:
            self.open_seq, self.detail = 0, NO_DETAIL
            return
        # Keyset: the page that ends just below this number begins with it.
        page = await self._page(1, str(wanted + 1))
        for row in page.items:
            self.open_seq, self.detail = row.seq, detail(row)
