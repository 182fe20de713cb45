"""The database fails at each statement of each service, in each of four ways: nothing is half done."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Unavailable
from console.services import chat, choices, observe, resolve
from tests.services.faulty import CODES, faults
from tests.services.scripted import MOMENTS
from tests.services.stage import SOURCE, Stage, note
from tests.services.world import APPROVE, REJECT, edit

Act = Callable[[], Any]
# In the long run every statement fails in every way; else in one of the four, each in its turn.
STEP = 1 if os.environ.get("CONSOLE_FAULTS") else 4
WAYS = [(code,) for code in CODES] if os.environ.get("CONSOLE_FAULTS") else [tuple(CODES)]


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    # Each failure is logged with its trace, and there are hundreds.
    logging.disable(logging.CRITICAL)
    made = Stage.over(tables)
    yield made
    made.close()
    logging.disable(logging.NOTSET)


def decide(stage: Stage) -> Act:
    review = stage.pause(7, 8, 9)
    return lambda: stage.decide(review, APPROVE, REJECT, edit("charge", amount=5))


def decide_with_key(stage: Stage) -> Act:
    review = stage.pause()
    return lambda: stage.decide(review, key="k")


def cancel(stage: Stage) -> Act:
    review = stage.pause(7, 8)
    return lambda: resolve.cancel(stage.deps, stage.cast["sam"], review.id, "not now")


def cancel_decided(stage: Stage) -> Act:
    review = stage.pause()
    stage.decide(review)
    return lambda: resolve.cancel(stage.deps, stage.cast["sam"], review.id, "not now")


def repair(stage: Stage) -> Act:
    review = stage.pause()
    stage.source.poison(review.thread_id)
    observe.observe(stage.deps, SOURCE, review.thread_id)
    return lambda: resolve.repair(stage.deps, stage.cast["ada"], review.id)


def settle_doubt(choice: str) -> Callable[[Stage], Act]:
    def prepare(stage: Stage) -> Act:
        stuck = stage.stuck()
        assert stuck.status == "stuck"
        said = {"choice": choice, "reason": "looked it up", "result": "charged 7"}
        return lambda: resolve.resolve(stage.deps, stage.cast["sam"], SOURCE, stuck.thread_id, **said)

    prepare.__name__ = choice
    return prepare


def start(stage: Stage) -> Act:
    return lambda: chat.start(stage.deps, stage.cast["sam"], SOURCE, "hello")


def say(stage: Stage) -> Act:
    thread_id = stage.begin("hello")
    return lambda: chat.say(stage.deps, stage.cast["sam"], SOURCE, thread_id, "again")


def supersede(stage: Stage) -> Act:
    review = stage.pause(7, 8)
    stage.source.move_on(review.thread_id)
    return lambda: observe.observe(stage.deps, SOURCE, review.thread_id)


def reopen(stage: Stage) -> Act:
    review = stage.pause()
    stage.source.ask_otherwise(review.thread_id)
    return lambda: observe.observe(stage.deps, SOURCE, review.thread_id)


SERVICES = [
    decide,
    decide_with_key,
    cancel,
    cancel_decided,
    repair,
    settle_doubt("ran"),
    settle_doubt("not_run"),
    settle_doubt("give_up"),
    start,
    say,
    supersede,
    reopen,
]


@pytest.mark.parametrize("ways", WAYS, ids=len)
@pytest.mark.parametrize("prepare", SERVICES, ids=lambda each: each.__name__)
def test_a_failure_at_any_statement_changes_nothing_and_the_next_attempt_works(
    stage: Stage, prepare: Callable[[Stage], Act], ways: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "is_dead", lambda _: True)
    act = prepare(stage)
    before, number = stage.contents(), 0
    while True:
        with faults(stage.deps.engine, ways[number % len(ways)], number) as found:
            try:
                act()
            except Unavailable as refused:
                said = refused.detail
            else:
                break
        assert "Nothing was decided and nothing is lost" in said, found.seen
        assert stage.contents() == before, found.seen
        number += 1
    assert not found.failed, "a failure was passed over in silence"
    assert {"BEGIN IMMEDIATE", "COMMIT"} <= set(found.seen)
    assert number == len(found.seen) >= 9
    assert stage.contents() != before
    assert stage.broken() == []
    stage.hand.all()
    assert stage.broken() == []


def rounds(
    stage: Stage, ways: Sequence[str], first: Callable[[int], None]
) -> Iterator[tuple[int, list[str]]]:
    """The worker fails once at a statement, a later one each round, and goes on until it comes to rest."""
    number = 0
    while True:
        first(number)
        with faults(stage.deps.engine, ways[number % len(ways)], number) as found:
            try:
                stage.hand.all()
            except Unavailable:
                assert found.failed
        assert stage.broken() == [], (number, found.seen)
        for _ in range(8):
            stage.lapse()
            if not stage.hand.all():
                break
        assert stage.broken() == [], (number, found.seen)
        yield number, found.seen
        if not found.failed:
            return
        number += STEP


@pytest.mark.parametrize("ways", WAYS, ids=len)
def test_a_worker_whose_database_fails_at_any_statement_loses_and_doubles_nothing(
    stage: Stage, ways: Sequence[str]
) -> None:
    reviews: list[str] = []

    def decide_one(number: int) -> None:
        review = stage.pause(1000 + number)
        stage.decide(review)
        reviews.append(review.id)

    ends: dict[str, int] = {}
    for number, seen in rounds(stage, ways, decide_one):
        review = stage.review(reviews[-1])
        ran = [args for _, args in stage.source.happened if args == f'{{"amount": {1000 + number}}}']
        ends[review.status] = ends.get(review.status, 0) + 1
        assert (review.status, len(ran)) in {("settled", 1), ("stuck", 0), ("stuck", 1)}, (number, seen)
        assert review.status == "settled" or "INSERT INTO tool_run" in "".join(seen), (number, seen)
    assert ends["settled"] > ends.get("stuck", 0) > 0


@pytest.mark.parametrize("ways", WAYS, ids=len)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_died_is_followed_by_one_whose_database_fails(
    stage: Stage, moment: str, ways: Sequence[str]
) -> None:
    """A crash at each moment of the run, then a failure at each statement of what takes over."""
    reviews: list[str] = []

    def decide_and_die(number: int) -> None:
        review = stage.pause(1000 + number)
        stage.decide(review)
        stage.die_at(moment)
        reviews.append(review.id)

    for number, seen in rounds(stage, ways, decide_and_die):
        review = stage.review(reviews[-1])
        ran = [args for _, args in stage.source.happened if args == f'{{"amount": {1000 + number}}}']
        assert review.status in {"settled", "stuck"}, (number, seen)
        assert len(ran) <= 1, (number, seen)


def test_a_free_tool_that_may_have_run_does_not_run_again(stage: Stage) -> None:
    def say(number: int) -> None:
        chat.start(stage.deps, stage.cast["sam"], SOURCE, note(f"n{number}"))

    for number, _ in rounds(stage, tuple(CODES), say):
        assert len([args for _, args in stage.source.happened if f'"n{number}"' in args]) <= 1
