"""The thread on the desk: loaded from the URL, then followed by change events."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import reflex as rx

from console.domain import access
from console.domain.access import Permission
from console.domain.errors import ConsoleError, Forbidden, NotFound
from console.domain.review import UNDECIDED
from console.domain.text import escape
from console.features import parse
from console.features.desk import Desk
from console.features.queue.rows import thread_path
from console.features.queue.state import Queue
from console.features.thread.claim_state import Claim
from console.features.thread.edit_state import Edit
from console.features.thread.messages import MessageRow, rows
from console.features.thread.review_state import Review
from console.features.thread.ways_out_state import OpenCall, WaysOut, open_calls
from console.live.broadcast import BROADCASTER
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import chat, deps, inbox, seen
from console.services.views import ReviewView, ThreadView

WINDOW = 50
# As in services.chat. The browser does not cut at it: a message that is too long is refused whole.
MESSAGE_CAP = 10_000
NOTHING = '[0,""]'


class Thread(rx.State):
    """`phase`: none, loading, ready, missing, denied, error. `locked` says why nothing may be sent now."""

    phase: str = "loading"
    problem: str = ""
    title: str = ""
    short: str = ""
    status: str = ""
    error: str = ""
    locked: str = ""
    may_chat: bool = False
    demo: bool = False
    earlier: int = 0
    messages: list[MessageRow] = []
    chunk: str = NOTHING

    _source: str = ""
    _thread_id: str = ""
    _sent: str = ""
    _last: str = ""
    _url: str = ""
    _ref: str = ""
    _view: ThreadView | None = None
    _open_calls: tuple[OpenCall, ...] = ()

    @guarded(Permission.SIGNED_IN)
    async def load(self) -> None:
        """A page load, a soft navigation or a new connection: rebuilt from cookie, URL and services."""
        url = str(self.router.url)
        moved, self._url = url != self._url, url
        desk, queue = await self.get_state(Desk), await self.get_state(Queue)
        await self._hush(moved)
        if moved:
            desk.composing, desk.drawer, desk.pane = False, False, "queue"
        self.may_chat = access.allows(acting().role, Permission.CHAT)
        self.demo = deps.current().settings.demo
        await queue._read()
        if queue.phase == "denied":
            await self._leave("denied", queue.problem)
        elif (wanted := self._asked()) is not None:
            if await self._open(*wanted) and moved:
                desk.pane = "review" if (await self.get_state(Review)).deciding else "chat"
        elif (wanted := await self._standing(moved) or await self._first_waiting()) is not None:
            await self._open(*wanted)
        else:
            await self._leave("none")

    async def _hush(self, moved: bool) -> None:
        """A notice belongs to the page it was said on, and good news is said once."""
        tab = await self.get_state(Tab)
        if moved or tab.notice_tone == "green":
            tab._hush()

    def _asked(self) -> tuple[str, str, str] | None:
        """Source, ref and review that the URL names; the source and the review may be empty."""
        path, asked = self.router.url.path, self.router.url.query_parameters
        if not path.startswith("/threads/"):
            return None
        ref = path.removeprefix("/threads/").strip("/")
        return str(asked.get("source", "")), ref, str(asked.get("review", ""))

    async def _standing(self, moved: bool) -> tuple[str, str, str] | None:
        """After a lost connection, what was being decided stays on the desk."""
        review = await self.get_state(Review)
        return (self._source, self._ref, review.id) if review.deciding and self._ref and not moved else None

    async def _first_waiting(self) -> tuple[str, str, str] | None:
        page = await asyncio.to_thread(inbox.queue, deps.current(), acting(), limit=1)
        first = next(iter(page.items), None)
        return (first.source, first.thread_ref, first.id) if first else None

    async def _leave(self, phase: str, problem: str = "") -> None:
        self._source = self._thread_id = self._ref = self.title = self.short = self.status = self.error = (
            self.locked
        ) = ""
        self.phase, self.problem, self.messages, self.earlier = phase, problem, [], 0
        self._say_chunk(0, "")
        (await self.get_state(Review))._clear()
        (await self.get_state(Edit))._clear()
        (await self.get_state(Claim))._show(None)
        (await self.get_state(WaysOut))._clear()
        (await self.get_state(Queue))._mark("")
        BROADCASTER.watch(self.router.session.client_token, "desk")

    async def _open(self, source: str, ref: str, review: str) -> bool:
        try:
            view = await asyncio.to_thread(
                chat.thread,
                deps.current(),
                acting(),
                parse.identifier(ref),
                source=parse.identifier(source) or None,
            )
        except (NotFound, Forbidden) as refusal:
            await self._leave("missing", refusal.detail)
            return False
        except ConsoleError as error:
            await self._leave("error", error.detail)
            return False
        self._source, self._thread_id, self._ref = view.source, view.thread_id, view.thread_ref
        # Watched before it is read: a change in between comes as an event and reads once more.
        BROADCASTER.watch(self.router.session.client_token, "desk", view.source, view.thread_id)
        self._take(view)
        await self._read_messages()
        await self._saw(await self._read_reviews(review))
        self._say_chunk(0, self._draft())
        self.phase = "ready"
        return True

    def _where(self) -> tuple[str, str]:
        return self._source, self._thread_id

    def _take(self, view: ThreadView) -> None:
        self._view = view
        self.title, self.short = escape(view.title), escape(view.thread_id)[:13]
        self.status, self.error, self.locked = view.status, escape(view.error), view.composer

    async def _read_messages(self) -> None:
        where = self._source, self._thread_id
        window = await asyncio.to_thread(chat.messages, deps.current(), acting(), *where, limit=WINDOW)
        drawn = rows(window.items, self.status)
        if self.messages != drawn:
            self.messages = drawn
        self.earlier, self._open_calls = window.earlier, open_calls(window.items)
        self._last = next((each.text for each in reversed(window.items) if each.role == "ai"), "")

    async def _read_reviews(self, wanted: str = "") -> ReviewView | None:
        """Draw the review that stands on the desk now, and return it."""
        where = self._source, self._thread_id
        reviews = await asyncio.to_thread(inbox.thread_reviews, deps.current(), acting(), *where)
        review = await self.get_state(Review)
        if (notice := review._show(reviews, wanted)) is not None:
            (await self.get_state(Tab))._say(*notice)
        await (await self.get_state(Edit))._follow(review)
        (await self.get_state(Queue))._mark(review.id)
        if self._view is not None:
            (await self.get_state(WaysOut))._show(self._view, self._open_calls, reviews)
        shown = next((each for each in reviews if each.id == review.id), None)
        (await self.get_state(Claim))._show(shown)
        return shown

    async def _saw(self, review: ReviewView | None) -> None:
        """For the log: this person was shown this version."""
        if review is not None:
            await asyncio.to_thread(seen.record, deps.current(), acting(), review)

    async def _reread(self) -> None:
        if not self._thread_id:
            return
        actor, where = acting(), self._thread_id
        self._take(await asyncio.to_thread(chat.thread, deps.current(), actor, where, source=self._source))
        await self._read_messages()
        shown = await self._read_reviews()
        # Watching a decided one take its course is no new look at the request.
        await self._saw(shown if shown is not None and shown.status in UNDECIDED else None)
        self._follow()

    def _draft(self) -> str:
        """Nothing once the message is complete and stands among the messages: never the same words twice."""
        text = deps.current().drafts.get(self._source, self._thread_id)
        return "" if text == self._last else escape(text)

    def _say_chunk(self, at: int, text: str) -> None:
        """The browser counts UTF-16 units, so the offset is given in those."""
        self.chunk = json.dumps([len(text[:at].encode("utf-16-le")) // 2, text[at:]], ensure_ascii=False)
        self._sent = text

    def _follow(self) -> None:
        text = self._draft()
        if text != self._sent:
            self._say_chunk(len(self._sent) if text.startswith(self._sent) else 0, text)

    @guarded(Permission.VIEW)
    async def refresh(self) -> None:
        await self._reread()

    @guarded(Permission.VIEW)
    async def draft(self) -> None:
        self._follow()

    @guarded(Permission.VIEW)
    async def on_gap(self) -> None:
        self._say_chunk(0, self._draft())

    @guarded(Permission.CHAT)
    async def say(self, form: Any) -> Any:
        words = parse.form_text(form, "text", MESSAGE_CAP).strip()
        if not words or not self._thread_id:
            return None
        where = self._source, self._thread_id
        self._take(await asyncio.to_thread(chat.say, deps.current(), acting(), *where, words))
        await self._reread()
        return rx.set_value("chat-input", "")

    @guarded(Permission.CHAT)
    async def start(self, form: Any) -> Any:
        return await self._begin(parse.form_text(form, "text", MESSAGE_CAP))

    @guarded(Permission.CHAT)
    async def start_with(self, words: Any) -> Any:
        return await self._begin(parse.text(words, MESSAGE_CAP))

    async def _begin(self, words: str) -> Any:
        if not words.strip():
            return None
        view = await asyncio.to_thread(chat.start, deps.current(), acting(), None, words.strip())
        return rx.redirect(thread_path(view.thread_ref))

    @guarded(Permission.CHAT)
    async def retry(self) -> None:
        where = self._source, self._thread_id
        self._take(await asyncio.to_thread(chat.retry, deps.current(), acting(), *where))
        await self._reread()
