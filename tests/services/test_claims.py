"""Taking a review: one person has it, everyone sees who, and it binds nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.domain.errors import Conflict, Forbidden, NotFound
from console.services import claims, inbox
from console.services.changes import Change
from console.services.views import ClaimView, QueueRow, ReviewView
from tests.services.world import APPROVE, REJECT, World, demo_deps


@pytest.fixture
def review(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def take(world: World, review: ReviewView, by: str = "sam") -> ClaimView:
    return claims.claim(world.deps, world.cast[by], review.id)


def give_back(world: World, review: ReviewView, by: str = "sam") -> ClaimView:
    return claims.release(world.deps, world.cast[by], review.id)


def row_of(world: World, review: ReviewView, by: str = "sue") -> QueueRow:
    (row,) = (each for each in inbox.queue(world.deps, world.cast[by]).items if each.id == review.id)
    return row


def age(world: World, review: ReviewView, by: timedelta) -> None:
    """Make the claim as old as that."""
    from sqlalchemy import update

    from console.store.claims import CLAIM
    from console.store.engine import write

    with write(world.deps.engine) as connection:
        connection.execute(update(CLAIM).values(at=datetime.now(UTC) - by))


def test_everybody_sees_who_has_it_and_since_when(idle: World, review: ReviewView) -> None:
    mine = take(idle, review)
    assert (mine.review_id, mine.claimed_by) == (review.id, "sam")
    for by in ("sam", "sue", "quinn", "ada"):
        seen = idle.review(review.id, by)
        row = row_of(idle, review, by)
        assert (seen.claimed_by, seen.claimed_at, seen.claim_stale) == ("sam", mine.claimed_at, False)
        assert (row.claimed_by, row.claimed_at) == ("sam", mine.claimed_at)


def test_it_moves_neither_version_nor_digest(idle: World, review: ReviewView) -> None:
    take(idle, review, "sue")
    give_back(idle, review, "sue")
    now = idle.review(review.id)
    assert (now.version, now.digest) == (review.version, review.digest)
    idle.decide(review, APPROVE)


def test_taking_and_giving_back_stand_in_the_log_once(idle: World, review: ReviewView) -> None:
    for _ in range(3):
        take(idle, review)
    for _ in range(3):
        assert give_back(idle, review).claimed_by is None
    assert idle.kinds(review.id) == ["opened", "claimed", "released"]
    taken = idle.ledger(kind="claimed")[0]
    assert (taken.actor, taken.thread_id, taken.tool) == ("sam", review.thread_id, "refund_order")
    assert taken.body["version"] == review.version
    assert row_of(idle, review).claimed_by is None


def test_what_another_person_has_is_refused_with_name_and_time(idle: World, review: ReviewView) -> None:
    mine = take(idle, review)
    assert mine.claimed_at is not None
    for attempt in (take, give_back):
        with pytest.raises(Conflict) as refused:
            attempt(idle, review, "sue")
        assert refused.value.reason == "claimed"
        assert f"sam has had this review since {mine.claimed_at:%H:%M:%S} UTC" in refused.value.detail
    assert idle.review(review.id).claimed_by == "sam"
    assert idle.kinds(review.id) == ["opened", "claimed", "denied", "denied"]
    tried = [(row.actor, row.body["what"]) for row in idle.ledger(kind="denied")]
    assert [who for who, _ in tried] == ["sue", "sue"]
    assert "to take a review. sam has had" in tried[0][1]
    assert "to give back a review. sam has had" in tried[1][1]


def test_others_may_decide_what_somebody_has(idle: World, review: ReviewView) -> None:
    take(idle, review)
    assert idle.review(review.id, "sue").may_decide
    idle.decide(review, REJECT, by="sue")
    after = idle.review(review.id)
    assert (after.decided_by, after.claimed_by) == ("sue", None)
    assert idle.table("SELECT * FROM claim") == []


@pytest.mark.parametrize(("attempt", "kind"), [(take, "claimed"), (give_back, "released")])
def test_a_stale_claim_can_be_taken_over_or_given_back_by_others(
    idle: World, review: ReviewView, attempt: Any, kind: str
) -> None:
    take(idle, review)
    age(idle, review, claims.STALE_AFTER - timedelta(seconds=5))
    assert not idle.review(review.id).claim_stale
    with pytest.raises(Conflict):
        attempt(idle, review, "sue")
    age(idle, review, claims.STALE_AFTER)
    assert idle.review(review.id).claim_stale
    now = attempt(idle, review, "sue")
    assert now.claimed_by == {"claimed": "sue", "released": None}[kind]
    assert row_of(idle, review).claimed_by == now.claimed_by
    entry = idle.ledger(kind=kind)[-1]
    assert (entry.actor, entry.body["claim_of"]) == ("sue", "sam")


def test_ones_own_stale_claim_is_renewed(idle: World, review: ReviewView) -> None:
    first = take(idle, review)
    age(idle, review, claims.STALE_AFTER)
    again = take(idle, review)
    assert first.claimed_at is not None
    assert again.claimed_at is not None
    assert again.claimed_at > first.claimed_at
    assert not idle.review(review.id).claim_stale
    assert "claim_of" not in idle.ledger(kind="claimed")[-1].body


@pytest.mark.parametrize("by", ["quinn", "ada", "mallory"])
def test_whoever_does_not_decide_takes_nothing(idle: World, review: ReviewView, by: str) -> None:
    for attempt in (take, give_back):
        with pytest.raises(Forbidden):
            attempt(idle, review, by)
    assert idle.table("SELECT * FROM claim") == []


def test_what_is_not_visible_does_not_exist(idle: World, review: ReviewView) -> None:
    hidden = World(demo_deps(idle.folder, visible={"support": ("sue",)}), idle.folder, idle.cast, idle.source)
    for attempt in (take, give_back):
        with pytest.raises(NotFound):
            attempt(hidden, review)
    hidden.deps.engine.dispose()


def test_a_decided_review_is_nobodys_any_more(idle: World, review: ReviewView) -> None:
    idle.decide(review, REJECT)
    with pytest.raises(Conflict) as refused:
        take(idle, review)
    assert (refused.value.reason, "decided" in refused.value.detail) == ("closed", True)
    assert give_back(idle, review).claimed_by is None
    assert idle.kinds(review.id) == ["opened", "decided", "denied"]


def test_the_second_of_two_at_once_is_refused(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sue takes it after sam has looked and before sam writes."""
    really, calls = claims.claims.take, []

    def late(*args: Any) -> bool:
        if not calls:
            calls.append(1)
            other = idle.cast["sue"]
            really(args[0], review.id, other.id, other.name, datetime.now(UTC), None)
        return really(*args)

    monkeypatch.setattr(claims.claims, "take", late)
    with pytest.raises(Conflict) as refused:
        take(idle, review)
    assert refused.value.detail.startswith("sue has had this review since")
    assert idle.review(review.id).claimed_by == "sue"


def test_a_verdict_that_comes_between_look_and_claim_leaves_no_claim(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = claims._look

    def look_then_decide(*args: Any) -> Any:
        found = look(*args)
        if idle.review(review.id).status == "open":
            idle.decide(review, REJECT, by="sue")
        return found

    monkeypatch.setattr(claims, "_look", look_then_decide)
    with pytest.raises(Conflict) as refused:
        take(idle, review)
    assert refused.value.reason == "closed"
    assert idle.table("SELECT * FROM claim") == []


def test_a_claim_that_is_gone_when_it_is_given_back_is_no_accident(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(idle, review)
    monkeypatch.setattr(claims.claims, "give_back", lambda connection, held: False)
    assert give_back(idle, review).claimed_by == "sam"
    assert idle.kinds(review.id) == ["opened", "claimed"]


def test_open_pages_hear_of_it(idle: World, review: ReviewView) -> None:
    heard: list[Change] = []
    idle.deps.changes.subscribe(heard.append)
    take(idle, review)
    give_back(idle, review)
    where = {"source": review.source, "thread_id": review.thread_id}
    assert heard.count(Change("queue")) == heard.count(Change("review", **where)) == 2
