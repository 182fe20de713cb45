"""What a person may do about a thread that cannot go on by itself, and what this tab has typed for it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx

from console.domain import access
from console.domain.access import Permission
from console.domain.errors import Conflict, ConsoleError
from console.domain.review import Status, ThreadStatus
from console.domain.text import Segment, escape, visible
from console.features import parse
from console.features.drawn import stamp
from console.features.thread.review_state import Review
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import alarms, deps, resolve
from console.services.views import MessageView, ReviewView, ThreadView

SETTLED = {
    "ran": "It ran: the agent gets the result, nothing is run.",
    "not_run": "It did not run: it is run now.",
    "give_up": "Given up: the call is closed and the agent is told.",
}


@dataclass(frozen=True)
class OpenCall:
    """A call of the agent's last turn that has no result. `begun`: it may have run."""

    name: str
    called: list[Segment]
    begun: bool
    reviewed: bool


def open_calls(messages: Sequence[MessageView]) -> tuple[OpenCall, ...]:
    """Those that closing the pause would give a result, in the order of the agent's message."""
    last = max((at for at, each in enumerate(messages) if each.tool_calls), default=None)
    if last is None:
        return ()
    answered = {each.tool_call_id for each in messages[last + 1 :]}
    return tuple(
        OpenCall(
            escape(call.name),
            visible(call.args_text),
            call.state not in ("waiting", "not run"),
            call.reviewed,
        )
        for call in messages[last].tool_calls
        if call.id not in answered
    )


def doubt(calls: Sequence[OpenCall]) -> str:
    names = list(dict.fromkeys(call.name for call in calls if call.begun))
    return f"It is uncertain whether {' and '.join(names)} ran" if names else "It is uncertain what ran"


def detail(error: str) -> str:
    """The thread's error without what the title says already."""
    head, found, rest = error.partition(" ran: ")
    said = rest if found and head.startswith("it is uncertain whether ") else error
    return escape(said[:1].upper() + said[1:])


def price(calls: int, actions: int) -> str:
    """What closing does, in words; empty when there is no call that could be closed."""
    if not calls:
        return ""
    # Calls that needed no review wait in the same pause and are closed with it.
    noun = "action" if calls == actions else "call"
    if calls == 1:
        said = f"The 1 {noun} of this pause gets a result that says it did not run."
    else:
        said = f"All {calls} {noun}s of this pause get a result that says they did not run."
    return f"{said} The agent goes on."


def missing(choice: str, reason: str, result: str) -> str:
    """The first thing that is missing, in words; empty when the choice can be recorded."""
    if not choice:
        return "Choose, and say how you know"
    if choice == "ran" and not result.strip():
        return "Say what the call answered"
    for name, text, longest in (
        ("result", result, resolve.MAX_RESULT),
        ("reason", reason, resolve.MAX_REASON),
    ):
        if len(text) > longest:
            return f"The {name} is too long: {len(text):,} characters, at most {longest:,}"
    return "" if reason.strip() else "Say how you know"


def alarm_of(reviews: Sequence[ReviewView]) -> tuple[str, str]:
    """A mismatch of the pause and `open`, or who closed its alarm; open ones first, empty where none is."""
    found = [each for each in reviews if each.status == Status.MISMATCH]
    if not found:
        return "", ""
    first = min(found, key=lambda each: each.closed_by is not None)
    return first.id, f"Closed by {escape(first.closed_by)}" if first.closed_by else "open"


class WaysOut(rx.State):
    """`key` names one drawing of one doubt: a choice made for another is not applied.

    Closing and repairing are of a review, and go by the key of its drawing.
    """

    key: str = ""
    stuck: bool = False
    poisoned: bool = False
    may_settle: bool = False
    may_repair: bool = False
    title: str = ""
    detail: str = ""
    unreviewed: list[OpenCall] = []
    price: str = ""
    alarm: str = ""
    alarm_review: str = ""

    choice: str = ""
    reason: str = ""
    result: str = ""
    missing: str = missing("", "", "")

    _drawn: str = ""
    _closing: str = ""

    def _clear(self) -> None:
        self.reset()  # type: ignore[no-untyped-call]

    def _show(self, thread: ThreadView, calls: Sequence[OpenCall], reviews: Sequence[ReviewView]) -> None:
        status = thread.status
        # With the time, this doubt is told from an equal one later.
        drawn = f"{thread.source}/{thread.thread_id}/{status}/{stamp(thread.updated_at)}"
        if drawn != self._drawn:
            self._drawn, self.key = drawn, secrets.token_hex(8)
            self.choice = self.reason = self.result = self._closing = ""
            self._weigh()
        self.stuck, self.poisoned = status == ThreadStatus.STUCK, status == ThreadStatus.POISONED
        role = acting().role
        self.may_settle = access.allows(role, Permission.DECIDE)
        self.may_repair = access.allows(role, Permission.ADMINISTER)
        self.title, self.detail = doubt(calls), detail(thread.error)
        self.unreviewed = [call for call in calls if call.begun and not call.reviewed]
        self.price = price(len(calls), sum(len(each.actions) for each in reviews))
        self.alarm_review, self.alarm = alarm_of(reviews)

    def _weigh(self) -> None:
        self.missing = missing(self.choice, self.reason, self.result)

    def _is_drawn(self, key: Any) -> bool:
        return parse.identifier(key) == self.key and self.stuck

    @guarded(Permission.DECIDE)
    async def choose(self, key: Any, choice: Any) -> None:
        if self._is_drawn(key):
            self.choice = parse.one_of(choice, resolve.CHOICES)
            if self.choice != "ran":
                # Its field is gone from the page, and what is not shown is not sent.
                self.result = ""
            self._weigh()

    @guarded(Permission.DECIDE)
    async def say_how(self, key: Any, text: Any) -> None:
        if self._is_drawn(key):
            self.reason = parse.text(text, parse.JSON_CAP)
            self._weigh()

    @guarded(Permission.DECIDE)
    async def say_result(self, key: Any, text: Any) -> None:
        if self._is_drawn(key) and self.choice == "ran":
            self.result = parse.text(text, parse.JSON_CAP)
            self._weigh()

    @guarded(Permission.DECIDE)
    async def settle(self, key: Any) -> None:
        from console.features.thread.state import Thread

        tab, thread = await self.get_state(Tab), await self.get_state(Thread)
        if not self.stuck:
            return
        if not self._is_drawn(key):
            tab._say("The thread moved on", "Nothing was recorded. Look at it again.", "amber")
            return
        if self.missing:
            tab._say("The choice is not complete", f"{self.missing}. Nothing was recorded.", "amber")
            return
        where, choice = thread._where(), self.choice
        given = {"choice": choice, "reason": self.reason, "result": self.result}
        await self._do(
            lambda: resolve.resolve(deps.current(), acting(), *where, **given),
            ("Choice recorded", SETTLED[choice], "green"),
            "The choice was not recorded",
        )

    @guarded(Permission.DECIDE)
    async def ask_closing(self, opened: Any) -> None:
        """The dialog's field is empty each time it opens."""
        if opened is True:
            self._closing = ""

    @guarded(Permission.DECIDE)
    async def say_why(self, key: Any, text: Any) -> None:
        review = await self.get_state(Review)
        if parse.identifier(key) == review.key:
            self._closing = parse.text(text, parse.JSON_CAP)

    @guarded(Permission.DECIDE)
    async def close(self, key: Any) -> None:
        if (review_id := await self._review_drawn(key, "closed")) is not None:
            reason, self._closing = self._closing, ""
            version = (await self.get_state(Review))._version
            await self._do(
                lambda: resolve.cancel(deps.current(), acting(), review_id, reason, version),
                ("Closed without running", "The agent is told that nothing ran.", "green"),
                "Nothing was closed",
            )

    @guarded(Permission.ADMINISTER)
    async def repair(self, key: Any) -> None:
        if (review_id := await self._review_drawn(key, "repaired")) is not None:
            await self._do(
                lambda: resolve.repair(deps.current(), acting(), review_id),
                ("Repair recorded", "The thread goes back to its pause and asks again.", "green"),
                "Nothing was repaired",
            )

    @guarded(Permission.ADMINISTER)
    async def ask_alarm(self, opened: Any) -> None:
        """The dialog's field is empty each time it opens."""
        if opened is True:
            self._closing = ""

    @guarded(Permission.ADMINISTER)
    async def say_why_over(self, review_id: Any, text: Any) -> None:
        if parse.identifier(review_id) == self.alarm_review:
            self._closing = parse.text(text, parse.JSON_CAP)

    @guarded(Permission.ADMINISTER)
    async def close_alarm(self, review_id: Any) -> None:
        drawn, tab = parse.identifier(review_id), await self.get_state(Tab)
        if drawn != self.alarm_review or self.alarm != "open":
            tab._say("The thread moved on", "Nothing was recorded. Look at it again.", "amber")
            return
        reason, self._closing = self._closing, ""
        await self._do(
            lambda: alarms.close_mismatch(deps.current(), acting(), drawn, reason),
            ("Alarm closed", "It is off the queue. The review stays what it is.", "green"),
            "The alarm was not closed",
        )

    async def _review_drawn(self, key: Any, verb: str) -> str | None:
        """The review that the browser had drawn when the button was pressed, if it still is what it was.

        Read once more, since closing takes back a verdict that waits for others of its pause.
        """
        from console.features.thread.state import Thread

        drawn = parse.identifier(key)
        await (await self.get_state(Thread))._reread()
        review, tab = await self.get_state(Review), await self.get_state(Tab)
        if review.id and drawn == review.key:
            return str(review.id)
        first = f"{review.decided_by.capitalize()} decided this first" if review.decided_by else ""
        tab._say(first or "The request changed", f"Nothing was {verb}. Look at it again.", "amber")
        return None

    async def _do(self, what: Callable[[], Any], done: tuple[str, str, str], refused: str) -> None:
        from console.features.thread.state import Thread

        tab, thread = await self.get_state(Tab), await self.get_state(Thread)
        notice = done
        try:
            await asyncio.to_thread(what)
        except Conflict as lost:
            first = f"{lost.decided_by.capitalize()} decided this first" if lost.decided_by else refused
            notice = (first, lost.detail, "amber")
        except ConsoleError as refusal:
            notice = (refused, refusal.detail, "amber")
        await thread._reread()
        tab._say(*notice)
