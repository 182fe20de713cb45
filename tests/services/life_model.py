"""What the model of a review's life knows, and what must come of the work that is to be done."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis.stateful import RuleBasedStateMachine, precondition

from console.domain.errors import Conflict
from console.services import choices
from tests.services.stage import Stage

UNSURE = ("started", "effect", "ended")


@dataclass
class Talk:
    """What the model knows of one thread: its newest review, what is to be done, what strangers did to it.

    `work`: what the worker has to do. `done_to`: moved, otherwise or poisoned, and whether the console has
    `seen` it. `died`: where the last worker died. `flips`: a rejected call of it is run all the same.
    """

    thread_id: str
    review: str
    amounts: list[int]
    status: str = "open"
    words: list[str] = field(default_factory=list)
    by: str = ""
    work: str = ""
    done_to: str = ""
    seen: bool = False
    died: str = ""
    flips: bool = False
    closed: bool = False

    @property
    def runs(self) -> bool:
        """True when a tool starts."""
        return self.flips or any(word != "reject" for word in self.words)


def refused(act: Callable[[], object], *kinds: str) -> Conflict:
    with pytest.raises(Conflict) as lost:
        act()
    assert lost.value.reason in kinds, (lost.value.reason, lost.value.detail, kinds)
    return lost.value


def has(*statuses: str, **wanted: Any) -> Callable[[Any], Any]:
    """There is such a thread, so that no step is spent on nothing."""
    return precondition(lambda self: self.one(0, *statuses, **wanted) is not None)


class Model(RuleBasedStateMachine):
    tables: ClassVar[Path]
    happened: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        logging.disable(logging.CRITICAL)
        self.stage = Stage.over(self.tables)
        self.talks: list[Talk] = []
        # What reviews came to that are no longer their thread's newest.
        self.past: dict[str, str] = {}
        self.expected: Counter[str] = Counter()
        self.amount = 0
        # The one process here plays all workers, so a dead one's lease says that it lives.
        self.is_dead, choices.is_dead = choices.is_dead, lambda _: True

    def teardown(self) -> None:
        choices.is_dead = self.is_dead
        self.stage.close()
        logging.disable(logging.NOTSET)

    def did(self, what: str) -> None:
        Model.happened[what] += 1

    def one(self, at: int, *statuses: str, **wanted: Any) -> Talk | None:
        found = [
            each
            for each in self.talks
            if (not statuses or each.status in statuses)
            and all(getattr(each, name) == value for name, value in wanted.items())
        ]
        return found[at % len(found)] if found else None

    def note(self, talk: Talk) -> None:
        """The pause of the thread as it is now is the one the model speaks of."""
        if talk.review:
            self.past[talk.review] = talk.status
        talk.review = self.stage.reviews(talk.thread_id)[0].id
        talk.status, talk.words, talk.by, talk.died, talk.flips = "open", [], "", "", False
        talk.done_to, talk.seen, talk.closed, talk.work = "", False, False, ""
        # A verdict that was taken back never used it up.
        self.stage.source.flipped.discard(talk.thread_id)

    def new_amounts(self, count: int) -> list[int]:
        self.amount += count
        return list(range(self.amount - count + 1, self.amount + 1))

    def disturbed(self, at: int) -> Talk | None:
        return self.one(at, "open", done_to="moved") or self.one(at, "open", done_to="otherwise")

    def undisturbed(self, at: int) -> Talk | None:
        return self.one(at, "open", "decided", done_to="", died="", work="") or self.one(
            at, "decided", done_to="", died="", work="resume"
        )

    def see(self, talk: Talk) -> None:
        """The console has looked at an open review's thread."""
        if talk.done_to == "moved":
            talk.status, talk.done_to = "superseded", ""
        elif talk.done_to == "otherwise":
            talk.done_to = ""
        elif talk.done_to == "poisoned":
            talk.seen = True

    def work_all(self) -> None:
        for talk in self.talks:
            if talk.work:
                self.end(talk)

    def end(self, talk: Talk) -> None:
        """What must have come of the work of one thread."""
        work, talk.work = talk.work, ""
        if work in {"message", "repair"}:
            if work == "repair":
                talk.status = "superseded"
            self.note(talk)
        elif work == "rerun":
            self.has_run(talk)
        elif work == "resume" and talk.died in UNSURE:
            talk.status = "stuck"
        elif work == "resume" and talk.done_to == "moved":
            talk.status, talk.done_to = "superseded", ""
        elif work == "resume" and talk.done_to:
            # It was not handed over: the request is not what was decided, or takes no answer.
            talk.status, talk.by, talk.words = "open", "", []
            talk.seen = talk.done_to == "poisoned"
            talk.done_to = talk.done_to if talk.seen else ""
        elif work == "resume":
            self.has_run(talk)

    def has_run(self, talk: Talk) -> None:
        talk.status, talk.died = ("mismatch" if talk.flips else "settled"), ""
        for word, amount in zip(talk.words, talk.amounts, strict=True):
            if word != "reject" or talk.flips:
                self.expected[f'{{"amount": {amount + 1000 if word == "edit" else amount}}}'] += 1
        self.did(f"ends {talk.status}")
