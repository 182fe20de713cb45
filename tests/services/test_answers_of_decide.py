"""What deciding answers, field by field: to the winner, to the loser, and to whoever saw something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from console.domain.errors import Conflict, Invalid, Problem
from console.services import claims, decide
from console.services.deps import Deps
from console.services.views import ReviewView
from console.store import reviews
from console.store.engine import write
from tests.services.world import APPROVE, REJECT, World, demo_deps

STALE = "The request changed since you read it. Nothing was recorded; read it again."


@pytest.fixture
def review(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def put(world: World, review: ReviewView, **values: Any) -> None:
    with write(world.deps.engine) as connection:
        connection.execute(update(reviews.REVIEW).where(reviews.REVIEW.c.id == review.id).values(values))


def refused(world: World, review: ReviewView, *decisions: Any, **more: Any) -> Conflict:
    with pytest.raises(Conflict) as found:
        world.decide(review, *decisions, **more)
    return found.value


def test_the_winner_is_told_what_was_recorded(idle: World, review: ReviewView) -> None:
    won = idle.decide(review, REJECT, by="sue")
    ((decision_id, at),) = idle.table("SELECT id, at FROM decision")
    assert (won.review_id, won.decision_id) == (review.id, decision_id)
    assert (won.version, won.status, won.decided_by) == (review.version + 1, "decided", "sue")
    assert won.decided_at.strftime("%Y-%m-%d %H:%M:%S.%f") == at
    assert (list(won.decisions), won.waiting_for, won.answer_text) == ([REJECT], 0, None)


def test_the_loser_is_told_who_was_first_and_when(idle: World, review: ReviewView) -> None:
    won = idle.decide(review, REJECT, by="sue")
    lost = refused(idle, review, APPROVE)
    assert lost.detail == f"sue decided this at {won.decided_at:%H:%M:%S} UTC. Yours was not recorded."
    assert (lost.reason, lost.decided_by, lost.decided_at) == ("already-decided", "sue", won.decided_at)
    assert not lost.stale


@pytest.mark.parametrize("change", [{"version": 7}, {"digest": "0" * 64}])
def test_whoever_saw_something_else_is_told_to_read_again(
    idle: World, review: ReviewView, change: dict[str, Any]
) -> None:
    stale = refused(idle, review, APPROVE, **change)
    assert (stale.detail, stale.reason, stale.stale, stale.decided_by) == (STALE, "stale", True, None)
    assert idle.table("SELECT count(*) FROM decision") == [(0,)]


def test_a_closed_review_says_how_it_stands(idle: World, review: ReviewView) -> None:
    put(idle, review, status="superseded", queue_rank=None)
    closed = refused(idle, review, APPROVE)
    assert closed.detail == "This review is superseded. Nothing was recorded."
    assert (closed.reason, closed.stale) == ("closed", True)


def refuse(world: World, review: ReviewView, **sent: Any) -> None:
    body = {"version": review.version, "digest": review.digest, "decisions": [APPROVE], **sent}
    problems = [Problem("is no number", pointer="/version")]
    decide.refuse_form(world.deps, world.cast["sam"], review.id, problems=problems, **body)


@pytest.mark.parametrize(
    "sent",
    [{}, {"version": "1"}, {"version": None}, {"version": True}, {"digest": 5}, {"digest": None}],
)
def test_a_body_of_the_wrong_form_is_invalid_while_the_review_is_open(
    idle: World, review: ReviewView, sent: dict[str, Any]
) -> None:
    with pytest.raises(Invalid, match="is no number"):
        refuse(idle, review, **sent)


@pytest.mark.parametrize("sent", [{"version": 99}, {"digest": "0" * 64}])
def test_a_body_of_the_wrong_form_about_another_version_is_stale_first(
    idle: World, review: ReviewView, sent: dict[str, Any]
) -> None:
    with pytest.raises(Conflict, match="changed since"):
        refuse(idle, review, **sent)


def test_a_claim_ends_with_the_verdict(idle: World, review: ReviewView) -> None:
    claims.claim(idle.deps, idle.cast["sue"], review.id)
    assert idle.table("SELECT actor_name FROM claim") == [("sue",)]
    idle.decide(review, APPROVE)
    assert idle.table("SELECT actor_name FROM claim") == []


def test_a_verdict_on_part_of_a_pause_says_how_many_are_missing(
    folder: Path, worlds: Callable[[Deps, str], World]
) -> None:
    per_call = worlds(demo_deps(folder, "per_call"), "support")
    with per_call.worker():
        first = per_call.pause("Refund A-2048 699 and refund A-2049 450")
    group = per_call.reviews(first.thread_id)
    assert len(group) == 2
    assert per_call.decide(group[0], APPROVE).waiting_for == 1
    assert per_call.decide(group[1], APPROVE).waiting_for == 0
