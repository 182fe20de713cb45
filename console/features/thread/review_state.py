"""The review on the desk, and what this tab has chosen and typed; nothing is decided until submitted."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.domain.errors import BadRequest, Conflict, ConsoleError, Invalid
from console.domain.review import UNDECIDED, Status
from console.domain.text import Segment, escape
from console.features import parse
from console.features.drawn import read_args, stamp
from console.features.thread import answer, cards, verdict
from console.features.thread.cards import Card, Member
from console.features.thread.messages import readable
from console.features.thread.verdict import Choice, Effect, Judged, Proposed
from console.forms.fields import fields
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import decide, deps
from console.services.views import ReviewView

# Title, text and tone.
Notice = tuple[str, str, str]


class Review(rx.State):
    """`key` names one drawing of one version of a review: an event for any other is not applied."""

    key: str = ""
    id: str = ""
    kind: str = ""
    short: str = ""
    digest: str = ""
    open: bool = False
    deciding: bool = False
    why_not: str = ""
    word: str = ""
    tone: str = "gray"
    opened_at: str = ""
    decided_by: str = ""
    decided_at: str = ""
    settled_at: str = ""
    outcome: str = ""
    outcome_tone: str = "gray"
    waiting_for: int = 0
    note: str = ""
    given: str = ""
    stored: list[Segment] = []
    cards: list[Card] = []
    group: list[Member] = []

    choices: dict[str, str] = {}
    errors: dict[str, str] = {}
    changed: dict[str, str] = {}
    hidden: dict[str, str] = {}
    figures: dict[str, str] = {}
    turns: dict[str, int] = {}
    effects: list[Effect] = []
    summary: str = ""
    missing: str = ""
    as_json: bool = False

    _drawn: str = ""
    _version: int = 0
    _digest: str = ""
    _proposed: list[Proposed] = []
    _edits: dict[str, str] = {}
    _messages: dict[str, str] = {}
    _answer: str = ""

    def _clear(self) -> None:
        self.reset()  # type: ignore[no-untyped-call]

    def _show(self, reviews: Sequence[ReviewView], wanted: str) -> Notice | None:
        """Draw one review of the pause; the notice says what became of choices that had to go."""
        chosen = _pick(reviews, wanted or self.id)
        if chosen is None:
            self._clear()
            return None
        drawn, notice = f"{chosen.id}.{chosen.version}", None
        if drawn != self._drawn:
            if self.choices and self.deciding and wanted in ("", self.id):
                notice = _overtaken(self.id, chosen)
            self._begin(chosen, drawn)
        self._describe(chosen)
        return notice

    def _begin(self, review: ReviewView, drawn: str) -> None:
        """The key is new each time: radios and fields of an earlier drawing cannot stay in the page."""
        self._drawn, self.key = drawn, f"{drawn}.{secrets.token_hex(4)}"
        self.id, self._version, self._digest = review.id, review.version, review.digest
        self.choices, self.errors, self.changed, self.hidden = {}, {}, {}, {}
        self.figures, self.turns = {}, {}
        self._edits, self._messages, self._answer, self.as_json = {}, {}, "", False
        self._proposed = cards.proposals(review)

    def _describe(self, review: ReviewView) -> None:
        self.kind, self.short, self.digest = review.kind, review.id[:8], review.digest[:8]
        self.open = review.status in UNDECIDED
        self.deciding = self.open and review.kind != "unreadable" and review.may_decide
        self.why_not = review.why_not
        self.word, self.tone = cards.status_word(review.status, review.outcome)
        self.opened_at = stamp(review.opened_at)
        self.settled_at = "" if review.status == Status.STUCK else stamp(review.settled_at)
        self.decided_by, self.decided_at = review.decided_by or "", stamp(review.decided_at)
        self.outcome, self.outcome_tone = escape(review.outcome), cards.outcome_tone(review.outcome)
        self.waiting_for, self.note = review.waiting_for, escape(review.note)
        self.stored, self.given = readable(review.value_text), escape(review.answer_text)
        drawn = cards.cards(review)
        if self.cards != drawn:
            self.cards = drawn
        self.group = cards.members(review.group)
        self._weigh()

    def _choice(self, position: int) -> Choice:
        prefix = f"{position}:"
        edits = {slot[len(prefix) :]: text for slot, text in self._edits.items() if slot.startswith(prefix)}
        return Choice(self.choices.get(str(position), ""), edits, self._messages.get(str(position), ""))

    def _weigh(self) -> list[Judged]:
        """Judge everything chosen so far and draw what it would do and what is missing."""
        choices = [self._choice(position) for position in range(len(self._proposed))]
        judged = [
            verdict.judge(proposed, choice) for proposed, choice in zip(self._proposed, choices, strict=True)
        ]
        by_slot = list(enumerate(judged))
        self.errors = {
            cards.slot_of(at, key): text for at, each in by_slot for key, text in each.errors.items()
        }
        self.changed = {
            cards.slot_of(at, key): text for at, each in by_slot for key, text in each.changed.items()
        }
        self.hidden = {
            cards.slot_of(at, key): text for at, each in by_slot for key, text in each.hidden.items()
        }
        self.figures = {str(at): each.figure for at, each in by_slot if each.figure}
        self.effects, self.summary = verdict.effects(judged, choices), verdict.summary(choices)
        self.missing = verdict.missing(judged)
        if self.kind == "answer":
            self.missing, self.summary = answer.missing(self._answer, self.as_json), "1 answer"
        return judged

    def _is_drawn(self, key: Any) -> bool:
        return parse.identifier(key) == self.key and self.deciding

    def _position(self, value: Any) -> int:
        return parse.whole(value, 0, len(self._proposed) - 1)

    @guarded(Permission.DECIDE)
    async def choose(self, key: Any, position: Any, kind: Any) -> None:
        if self._is_drawn(key):
            at = self._position(position)
            self.choices = {**self.choices, str(at): parse.one_of(kind, self._proposed[at].allowed)}
            self._weigh()

    @guarded(Permission.DECIDE)
    async def edit(self, key: Any, position: Any, pointer: Any, text: Any) -> None:
        if self._is_drawn(key):
            at, where = self._position(position), parse.identifier(pointer)
            proposed = self._proposed[at]
            if where not in {
                each.pointer
                for each in fields(read_args(proposed.args_text) or {}, verdict.schema_of(proposed))
            }:
                raise BadRequest("There is no such argument.")
            self._edits = {**self._edits, cards.slot_of(at, where): parse.text(text, parse.JSON_CAP)}
            self._weigh()

    @guarded(Permission.DECIDE)
    async def put_back(self, key: Any, slot: Any) -> None:
        if self._is_drawn(key) and (where := parse.identifier(slot)) in self._edits:
            self._edits = {each: text for each, text in self._edits.items() if each != where}
            self.turns = {**self.turns, where: self.turns.get(where, 0) + 1}
            self._weigh()

    @guarded(Permission.DECIDE)
    async def word_for_agent(self, key: Any, position: Any, text: Any) -> None:
        if self._is_drawn(key):
            self._messages = {**self._messages, str(self._position(position)): parse.text(text)}
            self._weigh()

    @guarded(Permission.DECIDE)
    async def write_answer(self, key: Any, text: Any) -> None:
        if self._is_drawn(key):
            self._answer = parse.text(text, parse.JSON_CAP)
            self._weigh()

    @guarded(Permission.DECIDE)
    async def answer_as(self, key: Any, look: Any) -> None:
        if self._is_drawn(key):
            self.as_json = parse.one_of(look, ("text", "json")) == "json"
            self._weigh()

    @guarded(Permission.VIEW)
    async def pick(self, review_id: Any) -> Any:
        from console.features.thread.state import Thread

        thread = await self.get_state(Thread)
        await thread._saw(await thread._read_reviews(parse.identifier(review_id)))

    @guarded(Permission.DECIDE)
    async def submit(self, key: Any) -> None:
        """`key` is what the browser had drawn when the button was pressed: only what was shown is decided."""
        from console.features.thread.state import Thread

        if not self.deciding:
            return
        tab, thread = await self.get_state(Tab), await self.get_state(Thread)
        if parse.identifier(key) != self.key:
            tab._say("The request changed", "Nothing was decided. Look at it again.", "amber")
            return
        judged = self._weigh()
        if self.missing:
            tab._say("The verdict is not complete", f"{self.missing}. Nothing was decided.", "amber")
            return
        try:
            recorded = await asyncio.to_thread(
                decide.decide, deps.current(), acting(), self.id, **self._body(judged)
            )
        except Invalid as wrong:
            self._point_at(wrong)
            tab._say("The verdict was not accepted", f"{wrong.detail} Nothing was decided.", "amber")
            return
        except Conflict as lost:
            notice = _lost(lost)
        except ConsoleError as refusal:
            notice = (refusal.title, refusal.detail, "amber")
        else:
            more = f" Waiting for {recorded.waiting_for} more of this pause." if recorded.waiting_for else ""
            notice = ("Verdict recorded", f"{self.summary}.{more}", "green")
        await thread._reread()
        tab._say(*notice)

    def _body(self, judged: list[Judged]) -> dict[str, Any]:
        body: dict[str, Any] = {"version": self._version, "digest": self._digest}
        if self.kind == "answer":
            return {**body, "answer": answer.read(self._answer, self.as_json)}
        return {**body, "decisions": [each.decision for each in judged]}

    def _point_at(self, wrong: Invalid) -> None:
        self.errors = {
            **self.errors,
            **{cards.slot_of(each.position or 0, each.pointer): each.message for each in wrong.problems},
        }


def _pick(reviews: Sequence[ReviewView], wanted: str) -> ReviewView | None:
    """The one asked for, else the first that waits for a person, else the first."""
    asked = [each for each in reviews if each.id == wanted]
    waiting = [each for each in reviews if each.status in UNDECIDED]
    return next(iter([*asked, *waiting, *reviews]), None)


def _overtaken(before: str, now: ReviewView) -> Notice | None:
    """Said to a person whose choices were overtaken; None when it was their own verdict."""
    lost = "What you had chosen was not recorded."
    if now.id != before:
        return "The thread moved on", lost, "amber"
    if now.status == "open":
        return "The request changed", "What you had chosen was for the earlier one and is gone.", "amber"
    if now.decided_by == acting().name:
        return None
    return (
        (f"{now.decided_by.capitalize()} decided this first" if now.decided_by else "It was closed"),
        lost,
        "amber",
    )


def _lost(lost: Conflict) -> Notice:
    if lost.decided_by:
        first = f"{lost.decided_by.capitalize()} decided this first"
        return first, f"{lost.detail} Yours was not recorded.", "amber"
    if lost.stale:
        return (
            "The request changed",
            f"{lost.detail} Yours was not recorded; this is the request now.",
            "amber",
        )
    return lost.title, lost.detail, "amber"
