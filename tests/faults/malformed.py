"""200 malformed answers to each kind of payload: none is taken, and a right one settles every thread.

`python -m tests.faults.malformed`; `make test` gives 40 of each.
"""

from __future__ import annotations

import logging
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from console.domain.errors import BadRequest, Conflict, Invalid
from console.services import decide
from console.services.views import ReviewView
from tests.services.invariants import check
from tests.services.malformed import SCHEMA, Given, answers_with_schema, answers_without, approvals
from tests.services.questions import ASKING, asking_deps
from tests.services.tables import make_tables
from tests.services.world import APPROVE, REJECT, SUPPORT, World, cast_of, demo_deps, rows

EACH, A_THREAD = 200, 40
TWO = "Refund A-2048 699 and refund A-2049 450"
# Kind: how the console is made, how one is drawn, and the right one at the end.
Kind = tuple[Callable[[Path], Any], str, Callable[[random.Random], Given], Given]
KINDS: dict[str, Kind] = {
    "batched approval": (
        demo_deps,
        SUPPORT,
        lambda draw: approvals(draw, 2),
        {"decisions": [APPROVE, REJECT]},
    ),
    "per-call approval": (
        lambda folder: demo_deps(folder, "per_call"),
        SUPPORT,
        lambda draw: approvals(draw, 1),
        {"decisions": [APPROVE]},
    ),
    "answer with a schema": (
        lambda folder: asking_deps(folder, SCHEMA),
        ASKING,
        answers_with_schema,
        {"answer": {"amount": 3}},
    ),
    "answer without": (lambda folder: asking_deps(folder, None), ASKING, answers_without, {"answer": False}),
}


def trial(kind: str, folder: Path, count: int, seed: int) -> list[str]:
    """`count` malformed answers to one thread of this kind, then a right one; what was not as it must be."""
    make, source, generate, right = KINDS[kind]
    deps = make(folder)
    world, draw = World(deps, folder, cast_of(deps), source), random.Random(seed)
    try:
        with world.worker():
            review = world.pause(TWO)
            before = _kept(folder)
            wrong = [line for _ in range(count) if (line := _offer(world, review, generate(draw)))]
            if _kept(folder) != before:
                return [f"{kind}: something was saved", *wrong]
            for each in world.reviews(review.thread_id):
                _decide(world, each, right)
            for each in world.reviews(review.thread_id):
                world.wait_settled(each.id)
            world.wait_status(review.thread_id, "idle")
        return wrong + check(folder)
    finally:
        deps.engine.dispose()


def _decide(world: World, review: ReviewView, given: Given) -> None:
    seen = {"version": review.version, "digest": review.digest}
    decide.decide(world.deps, world.cast["sam"], review.id, **seen, **given)


def _offer(world: World, review: ReviewView, given: Given) -> str:
    """What was not as it must be with one malformed answer; empty when it was refused."""
    try:
        _decide(world, review, given)
    except (Invalid, BadRequest, Conflict) as refused:
        now = world.review(review.id)
        fine = (now.status, now.version) == ("open", review.version) and refused.status in {400, 409, 422}
        return "" if fine else f"{_short(given)} left the review {now.status}"
    except Exception as accident:
        return f"{_short(given)}: {type(accident).__name__}: {str(accident)[:200]}"
    return f"{_short(given)} was taken"


def _short(given: Given) -> str:
    try:
        return repr(given)[:200]
    except (ValueError, RecursionError):
        return f"{sorted(given)} with what has no text"


def _kept(folder: Path) -> list[Any]:
    """Everything but the log, which has each attempt."""
    tables = ("review", "decision", "outbox", "thread", "idempotent_answer")
    return [rows(folder / "console.db", f"SELECT * FROM {name}") for name in tables]


def main(each: int = EACH) -> int:
    logging.disable(logging.CRITICAL)
    wrong: list[str] = []
    with TemporaryDirectory() as name:
        tables = make_tables(Path(name))
        for kind in KINDS:
            for number in range(-(-each // A_THREAD)):
                folder = Path(name) / f"{kind}{number}"
                folder.mkdir()
                shutil.copy(tables, folder / "console.db")
                wrong += trial(kind, folder, min(A_THREAD, each - number * A_THREAD), seed=number)
    for line in wrong:
        sys.stdout.write(line + "\n")
    sys.stdout.write(f"{each * len(KINDS)} malformed answers, {len(wrong)} not refused as they must be\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
