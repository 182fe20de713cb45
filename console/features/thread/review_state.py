"""The review on the desk, and what this tab has chosen and typed; nothing is decided until submitted."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from typing import Any

import reflex as rx

from console.domain.access import Permission
from console.domain.errors import Conflict, ConsoleError, Invalid
from console.domain.review import UNDECIDED, Status
from console.domain.text import Segment, escape
from console.features import parse
from console.features.drawn import stamp
from console.features.thread import answer, cards, edit_tree, verdict
from console.features.thread.cards import Card, Member
from console.features.thread.edit_tree import Diff
from console.features.thread.messages import readable
from console.features.thread.open_forms import FORMS, OpenForm
from console.features.thread.verdict import Choice, Effect, Judged, Proposed
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
    figures: dict[str, str] = {}
    diffs: list[Diff] = []
    problem: str = ""
    effects: list[Effect] = []
    summary: str = ""
    missing: str = ""
    as_json: bool = False

    _drawn: str = ""
    _version: int = 0
    _digest: str = ""
    _proposed: list[Proposed] = []
    _steps: dict[str, str] = {}
    _answer_schema: str = ""
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
        self.choices, self.figures, self.diffs, self.problem = {}, {}, [], ""
        self._steps, self._messages, self._answer, self.as_json = {}, {}, "", False
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

    def _slot(self, value: Any) -> str:
        """The place of a form that may be edited now: the position of an action whose choice is edit."""
        return parse.one_of(value, tuple(at for at, kind in self.choices.items() if kind == "edit"))

    def _form(self, slot: str) -> OpenForm | None:
        """The form of one action, as far as it was edited; None where there can be none."""
        proposed = self._proposed[int(slot)]
        if (made := verdict.form_of(proposed)) is None:
            return None
        steps = json.loads(self._steps.get(slot, "null"))
        return FORMS.get(self.key, slot, lambda: made, steps)

    def _keep(self, opened: OpenForm) -> None:
        """The steps, from which the form can be made again."""
        self._steps = {**self._steps, opened.slot: json.dumps(opened.form.draft())}

    def _choice(self, slot: str) -> Choice:
        kind = self.choices.get(slot, "")
        opened = self._form(slot) if kind == "edit" else None
        return Choice(kind, opened.form if opened else None, self._messages.get(slot, ""))

    def _weigh(self) -> list[Judged]:
        """Judge everything chosen so far and draw what it would do and what is missing."""
        slots = [str(position) for position in range(len(self._proposed))]
        choices = [self._choice(slot) for slot in slots]
        judged = [
            verdict.judge(proposed, choice) for proposed, choice in zip(self._proposed, choices, strict=True)
        ]
        self.figures = {slot: each.figure for slot, each in zip(slots, judged, strict=True) if each.figure}
        self.diffs = [
            diff
            for slot, each in zip(slots, choices, strict=True)
            if each.form
            for diff in edit_tree.diffs(each.form, str(int(slot) + 1))
        ]
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
        from console.features.thread.edit_state import Edit

        if self._is_drawn(key):
            at = self._position(position)
            self.choices = {**self.choices, str(at): parse.one_of(kind, self._proposed[at].allowed)}
            await (await self.get_state(Edit))._follow(self)
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
        from console.features.thread.edit_state import Edit
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
            await (await self.get_state(Edit))._follow(self)
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
        """What was refused stands at its field where there is one, else above the button."""
        lost = []
        for each in wrong.problems:
            slot = str(each.position or 0)
            start = f"/decisions/{slot}/edited_action/args"
            opened = self._form(slot) if self.choices.get(slot) == "edit" else None
            if opened is None or not each.pointer.startswith(start):
                lost.append(each.message)
            else:
                opened.refused[each.pointer.removeprefix(start)] = each.message
        self.problem = escape("; ".join(lost))


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
