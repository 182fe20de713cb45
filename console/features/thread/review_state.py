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
from console.features.thread import answer, cards, drafting, edit_tree, verdict
from console.features.thread.answer import ANSWER
from console.features.thread.cards import Card, Member
from console.features.thread.drafting import SAVER, Begun
from console.features.thread.edit_tree import Diff
from console.features.thread.messages import readable
from console.features.thread.notices import (
    CHANGED,
    Notice,
    done,
    incomplete,
    overtaken,
    pick,
    refused,
    second,
)
from console.features.thread.open_forms import FORMS, OpenForm
from console.features.thread.verdict import Choice, Effect, Judged, Proposed
from console.forms.exact import dumps
from console.forms.form import Form
from console.live.identity import acting
from console.live.permit import guarded
from console.live.tab import Tab
from console.services import decide, deps, drafts
from console.services.views import ReviewView


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
    # What is said to the agent, by slot, and a free answer as it was put back.
    messages: dict[str, str] = {}
    written: str = ""
    draft_at: str = ""
    draft_words: str = ""

    _drawn: str = ""
    _version: int = 0
    _digest: str = ""
    _proposed: list[Proposed] = []
    _steps: dict[str, str] = {}
    _answer_schema: str = ""
    _answer: str = ""

    def _clear(self) -> None:
        self.reset()  # type: ignore[no-untyped-call]

    def _show(self, reviews: Sequence[ReviewView], wanted: str) -> Notice | None:
        """Draw one review of the pause; the notice says what became of choices that had to go."""
        chosen = pick(reviews, wanted or self.id)
        if chosen is None:
            self._clear()
            return None
        drawn, notice = f"{chosen.id}.{chosen.version}", None
        if drawn != self._drawn:
            if self.choices and self.deciding and wanted in ("", self.id):
                notice = overtaken(self.id, chosen)
            self._begin(chosen, drawn)
        self._describe(chosen)
        return notice

    def _begin(self, review: ReviewView, drawn: str) -> None:
        """The key is new each time: radios and fields of an earlier drawing cannot stay in the page."""
        FORMS.drop(self.key)
        self._drawn, self.key = drawn, f"{drawn}.{secrets.token_hex(4)}"
        self.id, self._version, self._digest = review.id, review.version, review.digest
        self.figures, self.diffs, self.problem, self.draft_at = {}, [], "", ""
        self._take_up(Begun())
        self._proposed = cards.proposals(review)
        self._answer_schema = dumps(review.answer_schema) if review.answer_schema else ""

    def _take_up(self, begun: Begun) -> None:
        self.choices, self.messages = dict(begun.choices), dict(begun.messages)
        self._steps, self._answer = dict(begun.steps), begun.answer
        self.written, self.as_json = begun.answer, begun.as_json

    async def _put_back(self) -> None:
        """What this person had begun before, here or in another browser."""
        kept = await asyncio.to_thread(drafts.load, deps.current(), acting(), self.id)
        if kept is None or not self.deciding:
            return
        FORMS.drop(self.key)
        self._take_up(drafting.put_back(kept, [each.allowed for each in self._proposed], self._version))
        self.draft_at = kept["saved_at"]
        self.draft_words = drafting.words(kept, self._version)

    def _changed(self) -> None:
        """Kept a moment later; the draft that was put back is this one from now on."""
        begun = Begun(dict(self.choices), dict(self.messages), dict(self._steps), self._answer, self.as_json)
        SAVER.later(deps.current(), acting(), self.id, self._version, begun)

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

    @property
    def _edited(self) -> list[str]:
        """The slots of forms that may be edited now: of actions whose choice is edit, or the answer's."""
        if not self.deciding:
            return []
        if self.kind == "answer":
            return [ANSWER] if self._answer_schema else []
        return [at for at, kind in self.choices.items() if kind == "edit"]

    def _slot(self, value: Any) -> str:
        return parse.one_of(value, tuple(self._edited))

    def _form(self, slot: str) -> OpenForm | None:
        """One form as far as it was edited; None where there can be none."""

        def make() -> Form | None:
            if slot == ANSWER:
                return answer.form_of(self._answer_schema)
            return verdict.form_of(self._proposed[int(slot)])

        return FORMS.get(self.key, slot, make, self._steps.get(slot, "null"))

    def _keep(self, opened: OpenForm) -> None:
        """The steps, from which the form can be made again, in this process or another."""
        self._steps = {**self._steps, opened.slot: json.dumps(opened.form.draft())}
        self._changed()

    def _choice(self, slot: str) -> Choice:
        kind = self.choices.get(slot, "")
        opened = self._form(slot) if kind == "edit" else None
        return Choice(kind, opened.form if opened else None, self.messages.get(slot, ""))

    def _weigh(self) -> list[Judged]:
        """Judge everything chosen so far and draw what it would do and what is missing."""
        slots = [str(position) for position in range(len(self._proposed))]
        choices = [self._choice(slot) for slot in slots]
        judged = [
            verdict.judge(proposed, choice) for proposed, choice in zip(self._proposed, choices, strict=True)
        ]
        self.figures = {slot: each.figure for slot, each in zip(slots, judged, strict=True) if each.figure}
        self.diffs = edit_tree.all_diffs([each.form for each in choices])
        self.effects, self.summary = verdict.effects(judged, choices), verdict.summary(choices)
        self.missing = verdict.missing(judged)
        if self.kind == "answer":
            opened = self._form(ANSWER) if self._edited else None
            free = answer.missing(self._answer, self.as_json)
            self.missing, self.summary = answer.wanting(opened.form) if opened else free, "1 answer"
        return judged

    def _said(self) -> None:
        self._weigh()
        self._changed()

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
            self._said()

    @guarded(Permission.DECIDE)
    async def word_for_agent(self, key: Any, position: Any, text: Any) -> None:
        if self._is_drawn(key):
            self.messages = {**self.messages, str(self._position(position)): parse.text(text)}
            self._said()

    @guarded(Permission.VIEW)
    async def pick(self, review_id: Any) -> Any:
        from console.features.thread.state import Thread

        thread = await self.get_state(Thread)
        await thread._saw(await thread._read_reviews(parse.identifier(review_id)))

    @guarded(Permission.DECIDE)
    async def submit(self, key: Any) -> None:
        """`key` is what the browser had drawn when the button was pressed: only what was shown is decided."""
        if not self.deciding:
            return
        judged = self._weigh()
        if parse.identifier(key) != self.key:
            notice = CHANGED
        elif self.missing:
            notice = incomplete(self.missing)
        else:
            notice = await self._record(judged)
        (await self.get_state(Tab))._say(*notice)

    async def _record(self, judged: list[Judged]) -> Notice:
        from console.features.thread.edit_state import Edit
        from console.features.thread.state import Thread

        try:
            recorded = await asyncio.to_thread(
                decide.decide, deps.current(), acting(), self.id, **self._body(judged)
            )
        except Invalid as wrong:
            self._point_at(wrong)
            await (await self.get_state(Edit))._follow(self)
            return refused(wrong)
        except Conflict as lost:
            notice = second(lost)
        except ConsoleError as refusal:
            notice = (refusal.title, refusal.detail, "amber")
        else:
            notice = done(self.summary, recorded.waiting_for)
            await SAVER.drop(deps.current(), acting(), self.id)
        await (await self.get_state(Thread))._reread()
        return notice

    def _body(self, judged: list[Judged]) -> dict[str, Any]:
        body: dict[str, Any] = {"version": self._version, "digest": self._digest}
        if self.kind == "answer":
            opened = self._form(ANSWER) if self._edited else None
            given = opened.form.args if opened else answer.read(self._answer, self.as_json)
            return {**body, "answer": given}
        return {**body, "decisions": [each.decision for each in judged]}

    def _point_at(self, wrong: Invalid) -> None:
        """What was refused stands at its field where there is one, else above the button."""
        lost = []
        for slot, pointer, message in verdict.places(wrong, of_answer=self.kind == "answer"):
            opened = self._form(slot) if slot in self._edited else None
            if opened is None:
                lost.append(message)
            else:
                opened.refused[pointer] = message
        self.problem = escape("; ".join(lost))
