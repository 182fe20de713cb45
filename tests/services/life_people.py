"""What people do in a review's life, rightly and wrongly."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from console.domain.errors import Invalid
from console.services import alarms, chat, decide, resolve
from tests.services.life_model import Model, Talk, has, refused
from tests.services.stage import SOURCE, charges
from tests.services.world import APPROVE, REJECT, edit

MANY = 3
WORDS = ("approve", "reject", "edit")


class People(Model):
    @initialize(words=st.lists(st.sampled_from(WORDS), min_size=3, max_size=3))
    def first(self, words: list[str]) -> None:
        self.begins(2)
        self.decides(0, words)

    @rule(at=st.integers(0, 99))
    def is_refused(self, at: int) -> None:
        """One of those that must change nothing, where it applies."""
        tries = (
            self.is_too_late,
            self.decides_on_what_is_closed,
            self.decides_wrongly,
            self.decides_on_what_was,
            self.speaks_into_what_waits,
        )
        tries[at % len(tries)](at)

    @precondition(lambda self: len(self.talks) < MANY)
    @rule(count=st.integers(1, 3))
    def begins(self, count: int) -> None:
        amounts = self.new_amounts(count)
        self.stage.lapse()
        thread_id = self.stage.begin(charges(*amounts))
        self.talks.append(Talk(thread_id, self.stage.reviews(thread_id)[0].id, amounts))
        self.work_all()
        self.did("begins")

    @has("open", done_to="")
    @rule(at=st.integers(0, 9), words=st.lists(st.sampled_from(WORDS), min_size=3, max_size=3))
    def decides(self, at: int, words: list[str]) -> None:
        talk = self.one(at, "open", done_to="")
        if talk is None:
            return
        talk.words, talk.by, talk.status, talk.work = words[: len(talk.amounts)], "sam", "decided", "resume"
        given = [
            {"approve": APPROVE, "reject": REJECT, "edit": edit("charge", amount=amount + 1000)}[word]
            for word, amount in zip(talk.words, talk.amounts, strict=True)
        ]
        review = self.stage.review(talk.review)
        key = f"{review.id}.{review.version}"
        first = self.stage.decide(review, *given, key=key)
        again = self.stage.decide(review, *given, key=key)
        assert again == first, "the same key has another answer"
        other = [REJECT if word != "reject" else APPROVE for word in talk.words]
        refused(lambda: self.stage.decide(review, *other, key=key), "idempotency-key-reused")
        self.did("decides")

    def is_too_late(self, at: int) -> None:
        talk = self.one(at, "decided", "resuming", "settled", "stuck", "mismatch")
        if talk is None:
            return
        review = self.stage.review(talk.review)
        lost = refused(lambda: self.stage.decide(review, by="sue"), "already-decided")
        assert lost.decided_by == talk.by
        self.did("is_too_late")

    def decides_on_what_is_closed(self, at: int) -> None:
        talk = self.one(at, "superseded", "cancelled")
        if talk is None:
            return
        # Of a verdict that was taken back or overtaken, its author is still named.
        kinds = ("already-decided",) if talk.by else ("closed",)
        refused(lambda: self.stage.decide(self.stage.review(talk.review), by="sue"), *kinds)
        self.did("decides_on_what_is_closed")

    def decides_wrongly(self, at: int) -> None:
        talk = self.one(at, "open", done_to="")
        if talk is None:
            return
        right: list[Any] = [APPROVE] * len(talk.amounts)
        given = {
            0: right[1:],
            1: [*right, APPROVE],
            2: [*right[1:], {"type": "respond", "message": "yes"}],
            3: [*right[1:], edit("charge", amount="all")],
            4: [*right[1:], edit("note", text="x")],
        }[at // 5 % 5]
        review = self.stage.review(talk.review)
        said = {"version": review.version, "digest": review.digest, "decisions": given}
        with pytest.raises(Invalid) as problem:
            decide.decide(self.stage.deps, self.stage.cast["sam"], review.id, **said)
        assert problem.value.problems
        self.did("decides_wrongly")

    def decides_on_what_was(self, at: int) -> None:
        talk = self.one(at, "open", done_to="")
        if talk is None:
            return
        review = self.stage.review(talk.review)
        other = {"version": review.version - 1} if at // 5 % 2 else {"digest": "0" * 64}
        seen = {"version": review.version, "digest": review.digest, **other}
        who = self.stage.cast["sam"]
        lost = refused(
            lambda: decide.decide(self.stage.deps, who, review.id, decisions=[APPROVE], **seen), "stale"
        )
        assert lost.stale
        self.did("decides_on_what_was")

    @precondition(lambda self: self.disturbed(0) is not None)
    @rule(at=st.integers(0, 9))
    def decides_on_what_moved(self, at: int) -> None:
        talk = self.disturbed(at)
        if talk is None:
            return
        refused(lambda: self.stage.decide(self.stage.review(talk.review)), "stale")
        self.see(talk)
        self.did("decides_on_what_moved")

    @has("open", done_to="poisoned")
    @rule(at=st.integers(0, 9))
    def decides_on_what_is_poisoned(self, at: int) -> None:
        talk = self.one(at, "open", done_to="poisoned")
        if talk is None:
            return
        refused(lambda: self.stage.decide(self.stage.review(talk.review)), "poisoned")
        self.see(talk)
        self.did("decides_on_what_is_poisoned")

    @has("open", "decided", died="")
    @rule(at=st.integers(0, 9))
    def cancels(self, at: int) -> None:
        talk = self.one(at, "open", "decided", died="")
        if talk is None:
            return
        act = lambda: resolve.cancel(self.stage.deps, self.stage.cast["sue"], talk.review, "no")  # noqa: E731
        if talk.done_to == "moved":
            refused(act, "stale")
            return
        if talk.work == "repair":
            refused(act, "thread-moved")
            return
        act()
        talk.status, talk.work, talk.done_to, talk.seen = "cancelled", "close", "", False
        self.did("cancels")

    @has("settled", "superseded", "cancelled", work="", done_to="")
    @rule(at=st.integers(0, 9))
    def speaks(self, at: int) -> None:
        talk = self.one(at, "settled", "superseded", "cancelled", work="", done_to="")
        if talk is None:
            return
        talk.amounts = self.new_amounts(1)
        chat.say(self.stage.deps, self.stage.cast["sam"], SOURCE, talk.thread_id, charges(*talk.amounts))
        talk.work = "message"
        self.did("speaks")

    def speaks_into_what_waits(self, at: int) -> None:
        talk = self.one(at, "open", done_to="") or self.one(at, "stuck")
        if talk is None:
            return
        who = self.stage.cast["sam"]
        refused(
            lambda: chat.say(self.stage.deps, who, SOURCE, talk.thread_id, "hello"),
            "thread-paused",
            "thread-stuck",
        )
        self.did("speaks_into_what_waits")

    @has("stuck", work="")
    @rule(at=st.integers(0, 9), choice=st.sampled_from(["not_run", "ran", "give_up"]))
    def resolves(self, at: int, choice: str) -> None:
        talk = self.one(at, "stuck", work="")
        if talk is None:
            return
        if choice == "not_run" and talk.died == "effect":
            # A person who is wrong about that makes it happen twice, and no console can know.
            choice = "ran"
        said = {"choice": choice, "reason": "looked it up", "result": "charged"}
        act = lambda: resolve.resolve(  # noqa: E731
            self.stage.deps, self.stage.cast["sue"], SOURCE, talk.thread_id, **said
        )
        if choice == "not_run" and talk.died == "ended":
            refused(act, "tool-ended")
            return
        act()
        talk.status, talk.work = ("resuming", "rerun") if choice == "not_run" else ("settled", "close")
        self.did(f"resolves: {choice}")

    @has("open", done_to="poisoned", seen=True, work="")
    @rule(at=st.integers(0, 9))
    def repairs(self, at: int) -> None:
        talk = self.one(at, "open", done_to="poisoned", seen=True, work="")
        if talk is None:
            return
        resolve.repair(self.stage.deps, self.stage.cast["ada"], talk.review)
        talk.work = "repair"
        talk.done_to = "repaired"
        self.did("repairs")

    @has("mismatch")
    @rule(at=st.integers(0, 9))
    def closes_the_alarm(self, at: int) -> None:
        talk = self.one(at, "mismatch")
        if talk is None:
            return
        act = lambda: alarms.close_mismatch(  # noqa: E731
            self.stage.deps, self.stage.cast["ada"], talk.review, "seen"
        )
        if talk.closed:
            refused(act, "closed")
        else:
            act()
            talk.closed = True
            self.did("closes_the_alarm")
