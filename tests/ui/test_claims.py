"""Looking at a review and taking it, on the page: what is recorded, what is offered, and to whom."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from console.features.queue.rows import item
from console.features.queue.state import Queue
from console.features.thread.claim_state import Claim
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live.tab import Tab
from console.services import claims, inbox
from console.services.views import QueueRow
from console.store.claims import CLAIM
from console.store.engine import write
from tests.services.world import REJECT, World
from tests.ui.pipeline import Pipeline


async def opened(pipeline: Pipeline, who: str) -> str:
    tab = pipeline.connect(f"tab-{who}", who)
    await pipeline.send(tab, Thread.load)
    return tab


async def press(pipeline: Pipeline, tab: str, handler: Any) -> None:
    await pipeline.send(tab, handler, key=(await pipeline.state(tab, Review)).key)


async def offers(pipeline: Pipeline, *tabs: str) -> list[str]:
    found = []
    for tab in tabs:
        await pipeline.send(tab, Thread.refresh)
        found.append((await pipeline.state(tab, Claim)).offer)
    return found


def review_of(desk: World) -> str:
    return desk.queue()[0]


async def test_what_stands_on_the_desk_is_recorded_as_seen_once(pipeline: Pipeline, desk: World) -> None:
    tab = await opened(pipeline, "sam")
    await pipeline.send(tab, Thread.load)
    await pipeline.send(tab, Thread.refresh)
    await opened(pipeline, "quinn")
    rows = desk.ledger(kind="viewed")
    assert [(row.actor, row.via, row.body["version"]) for row in rows] == [
        ("sam", "web", 1),
        ("quinn", "web", 1),
    ]


async def test_watching_a_verdict_take_its_course_is_no_further_view(pipeline: Pipeline, desk: World) -> None:
    tab = await opened(pipeline, "sam")
    review = desk.review(review_of(desk))
    desk.decide(review, REJECT, REJECT, by="sue")
    await pipeline.send(tab, Thread.refresh)
    assert (await pipeline.state(tab, Review)).decided_by == "sue"
    assert desk.kinds(review.id) == ["opened", "viewed", "decided"]
    await pipeline.send(tab, Thread.load)
    assert (await pipeline.state(tab, Review)).id == ""
    await pipeline.send(tab, Review.pick, review_id=review.id)
    assert desk.kinds(review.id) == ["opened", "viewed", "decided"]


async def test_taking_is_seen_by_the_others_and_offered_to_those_who_decide(
    pipeline: Pipeline, desk: World
) -> None:
    sam, sue, quinn = [await opened(pipeline, name) for name in ("sam", "sue", "quinn")]
    assert await offers(pipeline, sam, sue, quinn) == ["take", "take", ""]
    await press(pipeline, sam, Claim.take)
    assert await offers(pipeline, sam, sue, quinn) == ["give back", "", ""]
    assert {(await pipeline.state(tab, Claim)).by for tab in (sam, sue, quinn)} == {"sam"}
    await pipeline.send(sue, Queue.refresh)
    (row,) = (await pipeline.state(sue, Queue)).items
    assert row.claimed_by == "sam"
    assert (await pipeline.state(sue, Review)).deciding
    await press(pipeline, sam, Claim.give_back)
    assert await offers(pipeline, sam, sue, quinn) == ["take", "take", ""]
    assert desk.kinds(review_of(desk))[-2:] == ["claimed", "released"]


async def test_a_stale_claim_is_offered_to_others(pipeline: Pipeline, desk: World) -> None:
    sam, sue = [await opened(pipeline, name) for name in ("sam", "sue")]
    await press(pipeline, sam, Claim.take)
    with write(desk.deps.engine) as connection:
        connection.execute(update(CLAIM).values(at=datetime.now(UTC) - timedelta(hours=1)))
    assert await offers(pipeline, sam, sue) == ["give back", "take"]


async def test_whoever_comes_second_is_told_who_has_it(pipeline: Pipeline, desk: World) -> None:
    sue = await opened(pipeline, "sue")
    claims.claim(desk.deps, desk.cast["sam"], review_of(desk))
    for handler in (Claim.take, Claim.give_back):
        await press(pipeline, sue, handler)
        notice = await pipeline.state(sue, Tab)
        assert "sam has had this review since" in notice.notice
        assert notice.notice_title == ("Not taken" if handler is Claim.take else "Not given back")
    assert (await pipeline.state(sue, Claim)).by == "sam"


async def test_a_claim_leaves_what_others_have_chosen(pipeline: Pipeline, desk: World) -> None:
    sue = await opened(pipeline, "sue")
    key = (await pipeline.state(sue, Review)).key
    await pipeline.send(sue, Review.choose, key=key, position=0, kind="reject")
    claims.claim(desk.deps, desk.cast["sam"], review_of(desk))
    await pipeline.send(sue, Thread.refresh)
    review = await pipeline.state(sue, Review)
    assert (review.key, review.choices) == (key, {"0": "reject"})


@pytest.mark.parametrize("key", ["", "another", 7, None])
async def test_what_was_not_drawn_is_not_taken(pipeline: Pipeline, desk: World, key: Any) -> None:
    tab = await opened(pipeline, "sam")
    await pipeline.send(tab, Claim.take, key=key)
    assert desk.table("SELECT * FROM claim") == []


@pytest.mark.parametrize("who", ["quinn", "ada", "mallory", "nobody"])
async def test_others_cannot_call_it(pipeline: Pipeline, desk: World, who: str) -> None:
    tab = await opened(pipeline, who)
    await press(pipeline, tab, Claim.take)
    assert desk.table("SELECT * FROM claim") == []


def row(desk: World, **changed: Any) -> QueueRow:
    (found,) = inbox.queue(desk.deps, desk.cast["sam"]).items
    return QueueRow(**{**vars(found), **changed})


@pytest.mark.parametrize(
    ("changed", "mark"),
    [
        ({}, ("", "gray")),
        ({"thread_status": "poisoned"}, ("needs repair", "amber")),
        ({"thread_status": "poisoned", "status": "mismatch"}, ("ran other than decided", "red")),
        ({"status": "stuck", "thread_status": "stuck"}, ("stuck", "red")),
    ],
)
def test_a_row_says_what_can_be_done(desk: World, changed: dict[str, str], mark: tuple[str, str]) -> None:
    drawn = item(row(desk, **changed), with_source=False)
    assert (drawn.mark, drawn.mark_tone) == mark
