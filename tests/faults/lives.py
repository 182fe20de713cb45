"""What the forked consoles do: make paused threads, decide and die, start again and come to rest.

Amounts tell calls apart: thread k's action i asks for SPAN (k + 1) + i, and editor n adds 10 n. The agent's
tool appends a line per effect to a file, so nothing but the console keeps an effect from happening twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from console.domain.errors import Conflict
from console.services import accounts, decide
from console.services.deps import Deps
from console.services.heads import Signer
from console.services.people import add_user
from console.services.views import ReviewView
from console.services.worker import running
from console.settings import Settings
from console.sources.local import LocalSource
from console.store.engine import open_engine
from console.store.schema import upgrade
from tests.faults.points import arm
from tests.services.agents import obedient
from tests.services.world import APPROVE, CAST, REJECT, World, call, cast_of, deps_over, edit, rows, wait_for

MODES = ("batched", "per_call")
SPAN = 10_000
PATIENCE = 30.0
AT_REST = """
    SELECT (SELECT count(*) FROM outbox WHERE state IN ('ready', 'taken', 'dispatched', 'waiting'))
         + (SELECT count(*) FROM run_lease WHERE owner IS NOT NULL)
         + (SELECT count(*) FROM review WHERE status IN ('open', 'awaiting_second', 'decided', 'resuming'))
         + (SELECT count(*) FROM thread WHERE status = 'running')
"""


@dataclass(frozen=True)
class Pair:
    """One review of the prepared pause, with what will be said of it: words, one for each action."""

    review_id: str
    version: int
    digest: str
    thread: int
    thread_id: str
    first: int
    words: tuple[str, ...]
    editor: int = 1

    def decisions(self) -> list[dict[str, Any]]:
        return [self._decision(at, word) for at, word in enumerate(self.words, self.first)]

    def _decision(self, at: int, word: str) -> dict[str, Any]:
        if word == "edit":
            return edit("charge", amount=amount(self.thread, at, self.editor))
        return APPROVE if word == "approve" else REJECT


def amount(thread: int, action: int, editor: int = 0) -> int:
    return SPAN * (thread + 1) + 10 * editor + action


# --- opening


def open_console(folder: Path) -> Deps:
    """A source for each interrupt mode that the prepared threads are in."""
    modes = json.loads((folder / "modes.json").read_text())
    sources = {mode: LocalSource(mode, obedient(folder, mode=mode), folder / f"{mode}.db") for mode in modes}
    return deps_over(folder, sources)


def world_of(folder: Path, deps: Deps, mode: str) -> World:
    return World(deps, folder, cast_of(deps), mode)


@contextmanager
def serving(deps: Deps) -> Iterator[None]:
    """What `serve` starts beside its pages."""
    signer = Signer(deps)
    with running(deps):
        signer.start()
        try:
            yield
        finally:
            signer.stop()


def make_tables(folder: Path) -> None:
    """An empty console with the cast. Their passwords cost a second, so copies are made of it."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Deps(Settings(data=folder, demo=True), open_engine(f"sqlite:///{folder / 'console.db'}"), {})
    upgrade(made.engine)
    for name, role in CAST.items():
        add_user(made, accounts.OPERATOR, name, role, accounts.DEMO_PASSWORD)
    made.engine.dispose()


def prepare(folder: Path, threads: Sequence[tuple[str, int]]) -> None:
    """Paused threads, each (mode, number of actions); their reviews are listed in pairs.json.

    The folder is there, with its tables.
    """
    (folder / "modes.json").write_text(json.dumps(sorted({mode for mode, _ in threads})))
    deps = open_console(folder)
    listed: list[dict[str, Any]] = []
    with serving(deps):
        started = [_ask(folder, deps, mode, at, count) for at, (mode, count) in enumerate(threads)]
        for at, (world, thread_id) in enumerate(started):
            world.wait_status(thread_id, "paused")
            first = 0
            for review in world.reviews(thread_id):
                listed.append(_listed(review, at, first))
                first += len(review.actions)
    deps.engine.dispose()
    (folder / "pairs.json").write_text(json.dumps(listed))


def _ask(folder: Path, deps: Deps, mode: str, thread: int, count: int) -> tuple[World, str]:
    world = world_of(folder, deps, mode)
    calls = [("charge", {"amount": amount(thread, at)}) for at in range(count)]
    return world, world.start(call(*calls))


def _listed(review: ReviewView, thread: int, first: int) -> dict[str, Any]:
    return {
        "review_id": review.id,
        "version": review.version,
        "digest": review.digest,
        "thread": thread,
        "thread_id": review.thread_id,
        "first": first,
        "actions": len(review.actions),
    }


def pairs_of(folder: Path, words: Callable[[int, int], str], editor: int = 1) -> list[Pair]:
    """The prepared reviews, with `words(thread, action)` said of each action."""
    found = []
    for each in json.loads((folder / "pairs.json").read_text()):
        count, first = each.pop("actions"), each["first"]
        said = tuple(words(each["thread"], at) for at in range(first, first + count))
        found.append(Pair(**each, words=said, editor=editor))
    return found


# --- deciding, with a history of what was asked and answered


class History:
    """One line per invocation and one per answer; a line that is missing was cut off by a death."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def write(self, **line: Any) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps({**line, "at": time.time()}) + "\n")

    @staticmethod
    def read(*files: Path) -> list[Mapping[str, Any]]:
        lines = [
            json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()
        ]
        return sorted(lines, key=lambda line: float(line["at"]))


def say(world: World, by: str, pair: Pair, history: History, key: str | None) -> None:
    """Decide as a client does: the same key when it is said again."""
    asked = {"review": pair.review_id, "by": by, "key": key}
    history.write(op="asked", **asked)
    try:
        told = decide.decide(
            world.deps,
            world.cast[by],
            pair.review_id,
            version=pair.version,
            digest=pair.digest,
            decisions=pair.decisions(),
            idempotency_key=key,
        )
    except Conflict as lost:
        when = lost.decided_at.isoformat() if lost.decided_at else ""
        history.write(op="refused", why=lost.reason, winner=lost.decided_by, when=when, **asked)
    else:
        history.write(op="decided", decision=told.decision_id, **asked)


# --- lives


def decide_and_die(folder: Path, pairs: Sequence[Pair], point: str, nth: int) -> None:
    arm(point, nth)
    deps = open_console(folder)
    with serving(deps):
        say_all(folder, deps, pairs)
        time.sleep(PATIENCE)


def start_and_die(folder: Path, point: str) -> None:
    """A restart that is killed, too: the work that was left is enough to bring it to the point."""
    arm(point, 1)
    with serving(open_console(folder)):
        time.sleep(PATIENCE)


def start_again(folder: Path, pairs: Sequence[Pair]) -> None:
    """A whole start; the client repeats what it got no answer to; then everything comes to rest."""
    deps = open_console(folder)
    with serving(deps):
        say_all(folder, deps, pairs)
        wait_for_rest(folder)
        keep_transcripts(folder, deps)
    deps.engine.dispose()


def wait_for_rest(folder: Path, patience: float = PATIENCE) -> None:
    wait_for(lambda: rows(folder / "console.db", AT_REST) == [(0,)], patience)


def say_all(folder: Path, deps: Deps, pairs: Sequence[Pair]) -> None:
    history, world = History(folder / "history.jsonl"), world_of(folder, deps, "")
    for pair in pairs:
        say(world, "sam", pair, history, pair.review_id)


def keep_transcripts(folder: Path, deps: Deps) -> None:
    """What each thread's own messages say of its calls, for the checks: thread -> call id -> text."""
    found: dict[str, dict[str, str]] = {}
    for source, thread_id in rows(folder / "console.db", "SELECT source, thread_id FROM thread"):
        snapshot = deps.sources[source].snapshot(thread_id)
        messages = snapshot.messages if snapshot else ()
        found[thread_id] = {str(each.tool_call_id): each.text for each in messages if each.tool_call_id}
    (folder / "transcripts.json").write_text(json.dumps(found))
