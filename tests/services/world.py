"""A console over real files, as pages and routes drive it: through its services, with its worker."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from console.demo.agent import build
from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.services import audit, chat, decide, inbox, worker
from console.services.deps import Deps
from console.services.views import AuditRow, ReviewView, ThreadView, VerdictView
from console.settings import Settings, SourceSettings
from console.sources.local import LocalSource
from console.sources.port import Source
from console.store import users
from console.store.engine import open_engine, read

CAST = {
    "sam": Role.SUPERVISOR,
    "sue": Role.SUPERVISOR,
    "quinn": Role.QA,
    "ada": Role.ADMIN,
    "mallory": Role.NONE,
}
SUPPORT, OBEDIENT = "support", "obedient"
APPROVE: dict[str, Any] = {"type": "approve"}
REJECT: dict[str, Any] = {"type": "reject", "message": "too late"}
# Generous, since the machine may be busy; a passing test never waits for it.
PATIENCE = 20.0


def edit(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


def call(*calls: Any) -> str:
    """A message that makes the obedient agent call these tools in one turn."""
    return json.dumps([list(each) for each in calls])


def demo_deps(
    folder: Path, mode: str = "batched", visible: Mapping[str, tuple[str, ...]] | None = None
) -> Deps:
    graph = build(folder / "shop.db", interrupt_mode=mode, token_delay=0)
    source = LocalSource(SUPPORT, graph, folder / "checkpoints.db")
    return deps_over(folder, {SUPPORT: source}, visible)


def deps_over(
    folder: Path, sources: Mapping[str, Source], visible: Mapping[str, tuple[str, ...]] | None = None
) -> Deps:
    chosen = {name: SourceSettings(graph="x:y", visible_to=names) for name, names in (visible or {}).items()}
    settings = Settings(data=folder, demo=True, sources=chosen)
    return Deps(settings, open_engine(f"sqlite:///{folder / 'console.db'}"), sources)


def cast_of(deps: Deps) -> dict[str, Actor]:
    with read(deps.engine) as connection:
        rows = users.everyone(connection)
    return {row["name"]: Actor(row["id"], row["name"], Role(row["role"])) for row in rows}


def wait_for(what: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """The first true value of `what`."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError(f"{what} did not come true in {patience} s")


@dataclass
class World:
    deps: Deps
    folder: Path
    cast: dict[str, Actor]
    source: str = SUPPORT

    def start(self, text: str, by: str = "sam") -> str:
        return chat.start(self.deps, self.cast[by], self.source, text).thread_id

    def wait_status(self, thread_id: str, *statuses: str) -> ThreadView:
        def look() -> ThreadView | None:
            found = self.thread(thread_id)
            return found if found.status in statuses else None

        try:
            return wait_for(look)  # type: ignore[no-any-return]
        except AssertionError:
            raise AssertionError(f"not {statuses} but {self.thread(thread_id)}") from None

    def thread(self, thread_id: str) -> ThreadView:
        return chat.thread(self.deps, self.cast["sam"], thread_id, self.source)

    def pause(self, text: str) -> ReviewView:
        """Say it in a new thread; the first review of the pause that follows."""
        thread_id = self.start(text)
        found = self.wait_status(thread_id, "paused", "failed", "idle")
        assert found.status == "paused", found
        return self.reviews(thread_id)[0]

    def reviews(self, thread_id: str) -> list[ReviewView]:
        return inbox.thread_reviews(self.deps, self.cast["sam"], self.source, thread_id)

    def review(self, review_id: str, by: str = "sam") -> ReviewView:
        return inbox.review(self.deps, self.cast[by], review_id)

    def decide(self, review: ReviewView, *decisions: Any, by: str = "sam", **more: Any) -> VerdictView:
        given = {"version": review.version, "digest": review.digest, "decisions": list(decisions), **more}
        return decide.decide(self.deps, self.cast[by], review.id, **given)

    def decide_all(self, thread_id: str, *decisions: Any, by: str = "sam") -> None:
        """One decision per action, however the interrupt mode spreads the actions over reviews."""
        reviews = self.reviews(thread_id)
        if len(reviews) == 1:
            self.decide(reviews[0], *decisions, by=by)
            return
        for review, decision in zip(reviews, decisions, strict=True):
            self.decide(review, decision, by=by)

    def actions(self, thread_id: str) -> list[Any]:
        """Of the newest pause, in the order people see them."""
        return [action for review in self.reviews(thread_id) for action in review.actions]

    def wait_settled(self, review_id: str, *statuses: str) -> ReviewView:
        wanted = statuses or ("settled",)
        found: ReviewView = wait_for(
            lambda: r if (r := self.review(review_id)).status not in {"decided", "resuming", "open"} else None
        )
        assert found.status in wanted, found
        return found

    def messages(self, thread_id: str) -> list[Any]:
        return list(chat.messages(self.deps, self.cast["sam"], self.source, thread_id).items)

    def last_words(self, thread_id: str) -> str:
        return str(self.messages(thread_id)[-1].text)

    def ledger(self, by: str = "ada", **wanted: Any) -> list[AuditRow]:
        """Oldest first."""
        return list(reversed(audit.log(self.deps, self.cast[by], limit=200, **wanted).items))

    def kinds(self, review_id: str) -> list[str]:
        return [row.kind for row in self.ledger(review=review_id)]

    def queue(self, by: str = "sam", **wanted: Any) -> list[str]:
        return [row.id for row in inbox.queue(self.deps, self.cast[by], **wanted).items]

    def refunds(self) -> list[tuple[Any, ...]]:
        return rows(self.folder / "shop.db", "SELECT order_id, amount, decision_id FROM refunds ORDER BY id")

    def table(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return rows(self.folder / "console.db", sql, *values)

    def journal(self, thread_id: str) -> list[tuple[Any, ...]]:
        """(name, args, ended) of every start."""
        return self.table(
            "SELECT name, args_text, ended FROM tool_run WHERE thread_id = ? ORDER BY id", thread_id
        )

    def lost_count(self, review_id: str) -> int:
        return self.kinds(review_id).count(Kind.LOST)

    @contextmanager
    def worker(self) -> Iterator[None]:
        with worker.running(self.deps):
            yield


def rows(file: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file, timeout=30)) as db:
        return db.execute(sql, values).fetchall()
