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
from console.live.tab import Tab
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
    _details: dict[int, Detail] = {}

    async def _page(self, limit: int, cursor: str | None = None) -> Page[AuditRow]:
        asked = {name: text for name, text in self._asked.items() if text}
        return await asyncio.to_thread(
            audit.log, deps.current(), acting(), limit=limit, cursor=cursor, **asked
        )

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
        kept = self._details if before else {}
        self._details = {**kept, **{row.seq: detail(row) for row in page.items}}
        self._open(self.open_seq)

    def _open(self, seq: int) -> None:
        self.open_seq, self.detail = (seq, self._details[seq]) if seq in self._details else (0, NO_DETAIL)

    @guarded(Permission.SIGNED_IN)
    async def load(self) -> None:
        (await self.get_state(Tab))._hush()
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
        self._open(0 if wanted == self.open_seq else wanted)
