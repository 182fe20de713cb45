"""Drafts: kept for one person and one review, through everything but its end; never seen by another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from console.domain.errors import Forbidden, Invalid, NotFound
from console.services import drafts, resolve
from console.services.drafts import KEPT_FOR, MAX_DRAFT
from console.services.observe import observe
from console.services.sweep import Sweeper
from console.services.views import ReviewView
from console.sources.port import Run
from console.store.drafts import DRAFT as TABLE
from console.store.engine import write
from tests.services.test_refusals import run_elsewhere
from tests.services.world import APPROVE, World, demo_deps, wait_for

DRAFT: dict[str, Any] = {
    "v": 1,
    "choices": {"0": "edit"},
    "messages": {},
    "forms": {"0": {"v": 1, "edits": [{"op": "set", "pointer": "/amount", "text": "9007199254740993"}]}},
}


@pytest.fixture
def review(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def save(world: World, review: ReviewView, by: str = "sam", draft: Any = DRAFT) -> bool:
    return drafts.save(world.deps, world.cast[by], review.id, review.version, draft)


def load(world: World, review: ReviewView, by: str = "sam") -> dict[str, Any] | None:
    return drafts.load(world.deps, world.cast[by], review.id)


def test_a_draft_comes_back_as_it_was_with_its_version_and_time(idle: World, review: ReviewView) -> None:
    assert load(idle, review) is None
    before = datetime.now(UTC)
    assert save(idle, review)
    found = load(idle, review)
    assert found is not None
    assert before <= datetime.fromisoformat(found.pop("saved_at")) <= datetime.now(UTC)
    assert found.pop("version") == review.version
    assert found == DRAFT


def test_the_last_one_counts_and_can_be_forgotten(idle: World, review: ReviewView) -> None:
    assert save(idle, review)
    assert save(idle, review, draft={"v": 1, "choices": {"0": "reject"}})
    found = load(idle, review)
    assert found is not None
    assert (found["choices"], found.get("forms")) == ({"0": "reject"}, None)
    assert idle.table("SELECT COUNT(*) FROM draft") == [(1,)]
    drafts.drop(idle.deps, idle.cast["sam"], review.id)
    drafts.drop(idle.deps, idle.cast["sam"], review.id)
    assert load(idle, review) is None


def test_what_was_loaded_can_be_saved_again(idle: World, review: ReviewView) -> None:
    save(idle, review)
    found = load(idle, review)
    assert save(idle, review, draft=found)
    again = load(idle, review)
    assert again is not None
    assert {**again, "saved_at": ""} == {**DRAFT, "version": review.version, "saved_at": ""}


def test_nobody_reads_writes_or_drops_another_persons(idle: World, review: ReviewView) -> None:
    save(idle, review)
    assert load(idle, review, "sue") is None
    assert save(idle, review, "sue", {"v": 1, "choices": {"0": "approve"}})
    drafts.drop(idle.deps, idle.cast["sue"], review.id)
    mine = load(idle, review)
    assert mine is not None
    assert mine["choices"] == DRAFT["choices"]
    for by in ("quinn", "ada", "mallory"):
        with pytest.raises(Forbidden):
            load(idle, review, by)
        with pytest.raises(Forbidden):
            save(idle, review, by)
        with pytest.raises(Forbidden):
            drafts.drop(idle.deps, idle.cast[by], review.id)


def test_a_review_that_one_may_not_see_has_no_drafts(
    idle: World, review: ReviewView, worlds: Callable[..., World]
) -> None:
    closed = worlds(demo_deps(idle.folder, visible={"support": ("sue",)}), "support")
    for attempt in (load, save):
        with pytest.raises(NotFound):
            attempt(closed, review)
    assert save(closed, review, "sue")


def test_it_never_enters_the_log(idle: World, review: ReviewView) -> None:
    save(idle, review)
    load(idle, review)
    drafts.drop(idle.deps, idle.cast["sam"], review.id)
    assert idle.kinds(review.id) == ["opened"]
    assert idle.review(review.id).version == review.version


def test_everybodys_go_with_the_verdict(idle: World, review: ReviewView) -> None:
    assert save(idle, review)
    assert save(idle, review, "sue")
    idle.decide(review, APPROVE)
    assert idle.table("SELECT * FROM draft") == []
    assert not save(idle, review, "sue")
    assert idle.table("SELECT * FROM draft") == []


def test_they_go_when_the_review_is_cancelled(idle: World, review: ReviewView) -> None:
    save(idle, review)
    save(idle, review, "sue")
    resolve.cancel(idle.deps, idle.cast["sam"], review.id, reason="the customer called")
    assert idle.table("SELECT * FROM draft") == []
    assert load(idle, review) is None


def test_they_go_when_the_thread_moved_on_past_the_console(idle: World, review: ReviewView) -> None:
    save(idle, review)
    run_elsewhere(idle, Run(review.thread_id, message="Never mind"))
    observe(idle.deps, idle.source, review.thread_id)
    assert idle.review(review.id).status == "superseded"
    assert idle.table("SELECT * FROM draft") == []


def test_one_of_another_version_is_not_taken_but_an_earlier_one_is_shown(
    idle: World, review: ReviewView
) -> None:
    assert not drafts.save(idle.deps, idle.cast["sam"], review.id, review.version + 1, DRAFT)
    save(idle, review)
    with idle.deps.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE review SET version = version + 1")
    found = load(idle, review)
    assert found is not None
    assert found["version"] == review.version
    assert idle.review(review.id).version == review.version + 1


def test_what_is_too_long_or_no_json_is_refused(idle: World, review: ReviewView) -> None:
    assert save(idle, review, draft={"v": 1, "messages": {"0": "x" * (MAX_DRAFT - 100)}})
    with pytest.raises(Invalid, match="longer than"):
        save(idle, review, draft={"v": 1, "messages": {"0": "x" * MAX_DRAFT}})
    with pytest.raises(Invalid, match="cannot be kept"):
        save(idle, review, draft={"v": 1, "messages": {"0": "\ud800"}})


def test_old_ones_are_forgotten_at_the_start(idle: World, review: ReviewView) -> None:
    save(idle, review)
    save(idle, review, "sue")
    old = datetime.now(UTC) - KEPT_FOR - timedelta(minutes=1)
    with write(idle.deps.engine) as connection:
        sues = TABLE.c.actor_id == idle.cast["sue"].id
        connection.execute(update(TABLE).where(sues).values(saved_at=old))
    sweeper = Sweeper(idle.deps)
    sweeper.start()
    wait_for(lambda: idle.table("SELECT COUNT(*) FROM draft") == [(1,)])
    sweeper.stop()
    assert load(idle, review) is not None
    assert load(idle, review, "sue") is None
