"""Views: once per person and version in the log, and never in the way of what is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from console.domain.errors import Unavailable
from console.services import accounts, seen
from console.services.views import ReviewView
from console.store.engine import write
from console.store.seen import VIEWED
from tests.services.world import APPROVE, World


@pytest.fixture
def review(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def look(world: World, review: ReviewView, by: str = "sam") -> None:
    seen.record(world.deps, world.cast[by], review)


def test_a_view_is_recorded_once_per_person_and_version(idle: World, review: ReviewView) -> None:
    for by in ("sam", "sue", "sam", "quinn", "sue", "sam"):
        look(idle, review, by)
    assert [row.actor for row in idle.ledger(kind="viewed")] == ["sam", "sue", "quinn"]
    idle.decide(review, APPROVE)
    for _ in range(2):
        look(idle, idle.review(review.id))
    entries = [row.body for row in idle.ledger(kind="viewed") if row.actor == "sam"]
    assert [body["version"] for body in entries] == [review.version, review.version + 1]
    assert {body["seen_digest"] for body in entries} == {review.digest}
    assert idle.kinds(review.id) == ["opened", "viewed", "viewed", "viewed", "decided", "viewed"]


def test_the_second_view_takes_no_write_lock(idle: World, review: ReviewView) -> None:
    look(idle, review)
    with write(idle.deps.engine):
        look(idle, review)
    assert len(idle.ledger(kind="viewed")) == 1


def test_two_tabs_at_once_leave_one_entry(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(idle, review)
    monkeypatch.setattr(seen.seen, "first_at", lambda *args: None)
    look(idle, review)
    assert len(idle.ledger(kind="viewed")) == 1


def test_a_view_that_cannot_be_recorded_is_no_error(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*args: Any) -> Any:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(seen, "write", full)
    look(idle, review)
    assert "the disk is full" in caplog.text
    assert idle.kinds(review.id) == ["opened"]


def test_commands_on_the_data_folder_are_not_recorded(idle: World, review: ReviewView) -> None:
    seen.record(idle.deps, accounts.OPERATOR, review)
    assert idle.kinds(review.id) == ["opened"]


def opened_before(world: World, passed: timedelta) -> None:
    with write(world.deps.engine) as connection:
        connection.execute(update(VIEWED).values(at=datetime.now(UTC) - passed))


def ms_open(world: World) -> Any:
    (decided,) = world.ledger(kind="decided")
    return decided.body.get("ms_open")


def test_a_decision_says_how_long_its_author_had_the_version_open(idle: World, review: ReviewView) -> None:
    look(idle, review, "sue")
    opened_before(idle, timedelta(hours=1))
    look(idle, review)
    idle.decide(review, APPROVE, by="sue")
    assert 3_600_000 <= ms_open(idle) < 3_700_000


def test_a_decision_by_somebody_who_was_never_shown_the_review_says_nothing(
    idle: World, review: ReviewView
) -> None:
    look(idle, review, "sue")
    idle.decide(review, APPROVE)
    assert ms_open(idle) is None


def test_a_clock_that_went_back_is_not_passed_on(idle: World, review: ReviewView) -> None:
    look(idle, review)
    opened_before(idle, timedelta(hours=-1))
    idle.decide(review, APPROVE)
    assert ms_open(idle) is None
