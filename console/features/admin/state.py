"""Who there is, for admins. The address says which page of people is shown and who is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import reflex as rx

from console.domain.access import Permission, Role, Scope, require
from console.domain.errors import ConsoleError, Forbidden
from console.features import parse
from console.features.admin.rows import NO_PERSON, Person, SignIn, Token, address, person, sign_in, token
from console.features.drawn import stamp
from console.features.queue.state import Queue
from console.live.broadcast import BROADCASTER
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import audit, deps, people, sessions, tokens

T = TypeVar("T")
STEP = 50
ROLES = tuple(each.value for each in Role)
SCOPES = tuple(each.value for each in Scope)
DAYS = {"": None, "30": 30, "90": 90, "365": 365}


class Admin(rx.State):
    """`made` is a new token; it is shown until the page does anything else."""

    phase: str = "loading"
    problem: str = ""
    people: list[Person] = []
    total: str = ""
    older: str = ""
    newest: str = ""
    closed: str = ""
    opened: Person = NO_PERSON
    lost: str = ""
    sessions: list[SignIn] = []
    tokens: list[Token] = []
    wish: str = ""
    made: str = ""
    fingerprint: str = ""
    added: int = 0

    _cursor: str = ""

    @guarded(Permission.SIGNED_IN)
    async def load(self) -> None:
        """A page load, a soft navigation, Back, or a new connection."""
        (await self.get_state(Tab))._hush()
        await (await self.get_state(Queue))._read()
        BROADCASTER.watch(self.router.session.client_token, "admin")
        self.made = self.wish = self.lost = ""
        try:
            require(acting(), Permission.ADMINISTER)
            asked = self.router.url.query_parameters
            self._cursor = parse.text(asked.get("cursor", ""), parse.ID_CAP)
            await self._read(parse.identifier(asked.get("user", "")))
        except Forbidden as refusal:
            self.phase, self.problem, self.people = "denied", refusal.detail, []
        except ConsoleError as error:
            self.phase, self.problem, self.people = "error", error.detail, []

    async def _ask(self, service: Callable[..., T], *args: Any) -> T:
        return await asyncio.to_thread(service, deps.current(), acting(), *args)

    async def _read(self, user_id: str) -> None:
        page = await self._ask(people.page, STEP, self._cursor or None)
        me = acting().id
        self.people = [person(each, me, self._cursor) for each in page.items]
        self.total = f"{page.total:,}{'+' if page.total_capped else ''}"
        self.older = address(page.next_cursor) if page.next_cursor else ""
        self.newest, self.closed = address() if self._cursor else "", address(self._cursor)
        head = await self._ask(audit.head)
        self.fingerprint = head.fingerprint if head else ""
        await self._open(user_id)
        self.phase = "ready"

    async def _open(self, user_id: str) -> None:
        self.opened, self.sessions, self.tokens = NO_PERSON, [], []
        if not user_id:
            return
        try:
            found = await self._ask(people.user, user_id)
        except ConsoleError as error:
            self.lost = error.detail
            return
        self.opened = person(found, acting().id, self._cursor)
        now = stamp(datetime.now(UTC))
        self.sessions = [sign_in(each) for each in await self._ask(sessions.of_user, found.name)]
        self.tokens = [token(each, now) for each in await self._ask(tokens.of_user, found.name)]

    async def _done(self, user_id: str, title: str, text: str = "") -> None:
        """An act of an admin on themselves may have ended their own session: the next event finds out."""
        self.wish = ""
        (await self.get_state(Tab))._say(title, text, "green")
        await self._read(user_id)

    async def _named(self, user_id: Any) -> tuple[str, str]:
        """(id, name) of whom a button was drawn for, read again: what a browser sends is only an id."""
        found = await self._ask(people.user, parse.identifier(user_id))
        return found.id, found.name

    @guarded(Permission.ADMINISTER)
    async def retry(self) -> None:
        await self._read(self.opened.id)

    @guarded(Permission.ADMINISTER)
    async def add(self, form: Any) -> None:
        self.made = ""
        name = parse.form_text(form, "name", 64).strip()
        role = parse.one_of(parse.form_text(form, "role", 20), ROLES)
        await self._ask(people.add_user, name, role, parse.form_text(form, "password", 1_000))
        self.added += 1
        await self._done("", f"{name} was added", f"As {role}. Tell them the password by another way.")

    @guarded(Permission.ADMINISTER)
    async def choose_role(self, role: Any) -> None:
        chosen = parse.one_of(role, ROLES)
        self.wish = "" if chosen == self.opened.role else chosen

    @guarded(Permission.ADMINISTER)
    async def change_role(self, user_id: Any, role: Any) -> None:
        self.made = ""
        chosen = parse.one_of(role, ROLES)
        found, name = await self._named(user_id)
        await self._ask(people.change_role, name, chosen)
        await self._done(found, f"{name} is now {chosen}", "Their sessions and tokens have ended.")

    @guarded(Permission.ADMINISTER)
    async def disable(self, user_id: Any) -> None:
        self.made = ""
        found, name = await self._named(user_id)
        await self._ask(people.disable_user, name)
        await self._done(found, f"{name} was disabled", "Their sessions and tokens have ended.")

    @guarded(Permission.ADMINISTER)
    async def enable(self, user_id: Any) -> None:
        self.made = ""
        found, name = await self._named(user_id)
        await self._ask(people.enable_user, name)
        await self._done(found, f"{name} may sign in again")

    @guarded(Permission.ADMINISTER)
    async def sign_out(self, user_id: Any) -> None:
        self.made = ""
        found, name = await self._named(user_id)
        await self._ask(sessions.revoke_all, name)
        await self._done(found, f"{name} was signed out everywhere")

    @guarded(Permission.ADMINISTER)
    async def make_token(self, form: Any) -> None:
        self.made = ""
        found, name = await self._named(parse.form_text(form, "user", parse.ID_CAP))
        scope = parse.one_of(parse.form_text(form, "scope", 20) or Scope.READ.value, SCOPES)
        days = DAYS[parse.one_of(parse.form_text(form, "days", 4), tuple(DAYS))]
        ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
        label = parse.form_text(form, "label", tokens.LONGEST_LABEL).strip()
        _, made = await self._ask(tokens.create_token, name, label, scope, ends)
        await self._done(found, "Token made", "It is shown this once.")
        self.made = made

    @guarded(Permission.ADMINISTER)
    async def hide_token(self) -> None:
        self.made = ""

    @guarded(Permission.ADMINISTER)
    async def revoke(self, token_id: Any) -> None:
        self.made = ""
        await self._ask(tokens.revoke_token, parse.identifier(token_id))
        await self._done(self.opened.id, "Token revoked")
