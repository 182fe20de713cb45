"""The log as one tab reads it. The address says what is asked, which page of it, and which entry is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import reflex as rx

from console.domain.access import Permission, allows, rule
from console.domain.errors import BadRequest, ConsoleError, Forbidden
from console.features import parse
from console.features.audit import query
from console.features.audit.check_state import Check
from console.features.audit.query import Asked
from console.features.audit.rows import Entry, Option, Pin, entry, options, pins
from console.features.audit.story import NOTHING, Detail, detail
from console.features.queue.state import Queue
from console.live.broadcast import BROADCASTER
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import audit, deps, unmask
from console.services.views import AuditRow, Page

STEP = 50
HOURS = (1, 24, 24 * 7)
T = TypeVar("T")


class Audit(rx.State):
    """One page of rows and one opened entry. `pinned` is the opened entry when its row is on no such page."""

    asked: Asked = Asked()
    entries: list[Entry] = []
    pinned: list[Entry] = []
    total: str = ""
    older: str = ""
    newest: str = ""
    narrow: bool = False
    waiting: int = 0
    phase: str = "loading"
    problem: str = ""
    open_seq: int = 0
    detail: Detail = NOTHING
    lost: str = ""
    closed: str = ""
    everything: bool = False
    proves: bool = False
    why_not: str = ""
    pins: list[Pin] = []
    actors: list[Option] = []
    kinds: list[Option] = []
    tools: list[Option] = []
    verdicts: list[Option] = []
    outcomes: list[Option] = []
    csv_href: str = ""
    jsonl_href: str = ""

    _url: str = ""
    _read_as: Asked = Asked()

    @guarded(Permission.SIGNED_IN)
    async def load(self) -> Any:
        """A page load, a soft navigation, Back, or a new connection."""
        url = str(self.router.url)
        moved, self._url = url != self._url, url
        (await self.get_state(Tab))._hush()
        await (await self.get_state(Queue))._read()
        BROADCASTER.watch(self.router.session.client_token, "audit")
        self._rights()
        try:
            asked = query.read(self.router.url.query_parameters)
        except BadRequest as wrong:
            self.phase, self.problem, self.entries = "error", wrong.detail, []
            return None
        same = query.closing(self._read_as) == query.closing(asked)
        stays = moved and self.phase == "ready" and same
        self.asked = self._read_as = asked
        if not stays:
            await self._read()
        if self.phase == "ready":
            await self._open()
        return await self._band(follow=True)

    def _rights(self) -> None:
        role = acting().role
        self.everything = allows(role, Permission.AUDIT_ALL)
        self.proves = allows(role, Permission.AUDIT_EXPORT)
        self.why_not = "" if self.proves else f"{rule(Permission.AUDIT_EXPORT)}."

    async def _band(self, *, follow: bool) -> Any:
        """The event that follows a running check, for those who see the band and may check."""
        if not self.everything:
            return None
        return await (await self.get_state(Check))._arrive(follow=follow and self.proves)

    async def _ask(self, service: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.to_thread(service, deps.current(), acting(), *args, **named)

    async def _page(self) -> Page[AuditRow]:
        asked = self._read_as
        return await self._ask(audit.log, limit=STEP, cursor=asked.cursor or None, **query.filters(asked))

    async def _read(self) -> None:
        try:
            page, choices = await self._page(), await self._ask(audit.choices)
        except Forbidden as refusal:
            self.phase, self.problem, self.entries = "denied", refusal.detail, []
        except ConsoleError as error:
            self.phase, self.problem = "error", error.detail
        else:
            self._take(page)
            self._menus(choices)

    def _take(self, page: Page[AuditRow]) -> None:
        asked = self._read_as
        self.entries = [entry(row, asked) for row in page.items]
        self.total = f"{page.total:,}{'+' if page.total_capped else ''}"
        self.older = (
            query.address(replace(asked, cursor=page.next_cursor, entry="")) if page.next_cursor else ""
        )
        self.newest = query.address(query.narrowed(asked)) if asked.cursor else ""
        self.narrow, self.waiting, self.phase = query.narrows(asked), 0, "ready"
        self.csv_href, self.jsonl_href = query.export(asked, "csv"), query.export(asked, "jsonl")

    def _menus(self, choices: Any) -> None:
        asked = self.asked
        self.actors = options(choices.actors, asked.actor)
        self.kinds = options(choices.kinds, asked.kind, words=True)
        self.tools = options(choices.tools, asked.tool)
        self.verdicts = options(choices.verdicts, asked.verdict)
        self.outcomes = options(choices.outcomes, asked.outcome)
        self.pins = pins(asked)

    async def _open(self) -> None:
        seq, self.lost, self.closed = query.number(self.asked), "", query.closing(self.asked)
        self.open_seq, self.detail, self.pinned = 0, NOTHING, []
        if not seq:
            return
        try:
            found = await self._ask(audit.entry, seq)
        except ConsoleError as error:
            self.lost = error.detail
            return
        self.open_seq, self.detail = seq, detail(found, self.asked)
        if all(each.seq != seq for each in self.entries):
            self.pinned = [entry(found.row, self.asked)]

    @guarded(Permission.AUDIT_OWN)
    async def refresh(self) -> None:
        """Something was written. Rows that are drawn may have got their outcome; newer ones wait."""
        if self.phase != "ready":
            return
        page = await self._page()
        newest = self.entries[0].seq if self.entries else 0
        known = {row.seq: entry(row, self._read_as) for row in page.items}
        self.entries = [known.get(each.seq, each) for each in self.entries]
        if not self._read_as.cursor:
            self.waiting = sum(seq > newest for seq in known)
        if self.open_seq and not self.detail.whole:
            self.detail = detail(await self._ask(audit.entry, self.open_seq), self._read_as)
        await self._band(follow=False)

    @guarded(Permission.UNMASK)
    async def unmask(self) -> None:
        """The opened entry whole, until it is closed; that it was shown is written down first."""
        if self.open_seq and self.detail.masked:
            found = await self._ask(unmask.entry, self.open_seq)
            self.detail = replace(detail(found, self._read_as), whole=True)

    @guarded(Permission.AUDIT_OWN)
    async def show_new(self) -> None:
        self._take(await self._page())

    @guarded(Permission.AUDIT_OWN)
    async def retry(self) -> None:
        await self._read()

    @guarded(Permission.AUDIT_OWN)
    async def pick(self, name: Any, value: Any) -> Any:
        """One menu; at once in the address, so that Back takes it away again."""
        chosen = {parse.one_of(name, query.PICKED): parse.text(value, query.CAP)}
        return self._go(query.narrowed(self.asked, **chosen))

    @guarded(Permission.AUDIT_OWN)
    async def search(self, form: Any) -> Any:
        return self._go(query.narrowed(self.asked, q=parse.form_text(form, "q", query.CAP).strip()))

    @guarded(Permission.AUDIT_OWN)
    async def between(self, form: Any) -> Any:
        times = {name: parse.form_text(form, name, 40).strip() for name in query.TIMES}
        for text in times.values():
            query.moment(text)
        return self._go(query.narrowed(self.asked, **times))

    @guarded(Permission.AUDIT_OWN)
    async def last(self, hours: Any) -> Any:
        """The last hours from now on, 0 for any time."""
        back = parse.whole(hours, 0, max(HOURS))
        since = (datetime.now(UTC) - timedelta(hours=back)).isoformat(timespec="seconds") if back else ""
        return self._go(query.narrowed(self.asked, since=since, until=""))

    def _go(self, asked: Asked) -> Any:
        # Drawn at once, so that a menu does not jump back; read when the address has changed.
        self.asked = asked
        return rx.redirect(query.address(asked))
