"""A console over a scripted source: no agent, no threads, and every step of the worker taken by hand."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from console.domain.access import Actor
from console.services import chat, decide, inbox
from console.services.deps import Deps
from console.services.views import ReviewView, VerdictView
from tests.services.invariants import check
from tests.services.scripted import FREE, GATED, ByHand, Died, Scripted
from tests.services.world import APPROVE, cast_of, deps_over, rows

SOURCE = "scripted"
MEMORY = Path("/dev/shm")


def charges(*amounts: int) -> str:
    return json.dumps([[GATED, {"amount": amount}] for amount in amounts])


def note(text: str) -> str:
    return json.dumps([[FREE, {"text": text}]])


@dataclass
class Stage:
    folder: Path
    deps: Deps
    source: Scripted
    hand: ByHand
    cast: dict[str, Actor]

    @classmethod
    def over(cls, tables: Path, folder: Path | None = None) -> Stage:
        """`tables` is a console.db with its tables and the cast; it is copied, into memory if that can be."""
        folder = folder or Path(mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        folder.mkdir(exist_ok=True)
        shutil.copy(tables, folder / "console.db")
        source = Scripted(SOURCE)
        deps = deps_over(folder, {SOURCE: source})
        return cls(folder, deps, source, ByHand(deps), cast_of(deps))

    def begin(self, text: str) -> str:
        thread_id = chat.start(self.deps, self.cast["sam"], SOURCE, text).thread_id
        self.hand.all()
        return thread_id

    def reviews(self, thread_id: str) -> list[ReviewView]:
        return inbox.thread_reviews(self.deps, self.cast["sam"], SOURCE, thread_id)

    def pause(self, *amounts: int) -> ReviewView:
        return self.reviews(self.begin(charges(*amounts or (7,))))[0]

    def review(self, review_id: str) -> ReviewView:
        return inbox.review(self.deps, self.cast["sam"], review_id)

    def decide(
        self, review: ReviewView, *decisions: Any, by: str = "sam", key: str | None = None
    ) -> VerdictView:
        said = list(decisions) or [APPROVE] * len(review.actions)
        return decide.decide(
            self.deps,
            self.cast[by],
            review.id,
            version=review.version,
            digest=review.digest,
            decisions=said,
            idempotency_key=key,
        )

    def stuck(self, *amounts: int) -> ReviewView:
        """A charge that started, and nobody knows whether it did anything."""
        review = self.pause(*amounts)
        self.decide(review)
        self.die_at("started")
        self.hand.all()
        return self.review(review.id)

    def die_at(self, moment: str) -> None:
        """The worker's process ends there, and another takes over after the lease."""
        self.source.die_at = moment
        try:
            self.hand.all()
        except Died:
            pass
        else:
            raise AssertionError(f"{moment} was not reached")
        self.lapse()

    def lapse(self) -> None:
        """As if every lease had run out and every wait were over."""
        past = "2000-01-01 00:00:00.000000"
        with closing(sqlite3.connect(self.folder / "console.db", timeout=30)) as db, db:
            db.execute("UPDATE run_lease SET until = ?", (past,))
            db.execute("UPDATE outbox SET not_before = ?", (past,))

    def thread_status(self, thread_id: str) -> str:
        return chat.thread(self.deps, self.cast["sam"], thread_id, SOURCE).status

    def broken(self) -> list[str]:
        return check(self.folder, self.source.happened)

    def contents(self) -> list[Any]:
        """Everything the console has stored, but not who uses a session just now."""
        names = "review decision ledger ledger_facet payload outbox thread tool_run idempotent_answer"
        return [rows(self.folder / "console.db", f"SELECT * FROM {name}") for name in names.split()]

    def close(self) -> None:
        self.hand.close()
        self.deps.engine.dispose()
        shutil.rmtree(self.folder)
