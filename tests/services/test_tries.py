"""Every attempt is in the log: who tried what and why it did not count. What is none leaves nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from sqlalchemy import update

from console.domain.errors import BadRequest, ConsoleError, Forbidden, Invalid, NotFound, Problem
from console.services import decide
from console.services.reading import read_verdict
from console.services.views import ReviewView
from console.sources.port import Run
from console.store import reviews
from console.store.engine import RowMapping, read, write
from tests.api.conftest import Quiet
from tests.services.world import APPROVE, REJECT, World, edit

Attempt = Callable[[World, ReviewView], Any]


@pytest.fixture
def review(idle: World) -> ReviewView:
    with idle.worker():
        return idle.pause("Refund A-2048 699")


def elsewhere(world: World, run: Run) -> None:
    """A bare client on the same checkpoints."""
    source = world.deps.sources[world.source]

    async def go() -> None:
        await source.open()
        try:
            await source.run(run, Quiet(), Quiet())
        finally:
            await source.close()

    asyncio.run(go())


def poison(world: World, review: ReviewView) -> None:
    with pytest.raises(ValueError, match="decisions"):
        elsewhere(world, Run(review.thread_id, answers={review.interrupt_id: {"decisions": []}}))


def put(world: World, review: ReviewView, **values: Any) -> None:
    with write(world.deps.engine) as connection:
        connection.execute(update(reviews.REVIEW).where(reviews.REVIEW.c.id == review.id).values(values))


def after_sue(world: World, review: ReviewView) -> None:
    world.decide(review, REJECT, by="sue")
    world.decide(review, APPROVE)


def on_another_version(world: World, review: ReviewView) -> None:
    world.decide(review, APPROVE, version=review.version + 1)


def on_another_digest(world: World, review: ReviewView) -> None:
    world.decide(review, APPROVE, digest="0" * 64)


def after_it_was_closed(world: World, review: ReviewView) -> None:
    put(world, review, status="superseded", queue_rank=None)
    world.decide(review, APPROVE)


def on_a_poisoned_thread(world: World, review: ReviewView) -> None:
    poison(world, review)
    world.decide(review, APPROVE)


def after_the_thread_moved_on(world: World, review: ReviewView) -> None:
    elsewhere(world, Run(review.thread_id, message="Never mind"))
    world.decide(review, APPROVE)


def beside_a_first_of_two(world: World, review: ReviewView) -> None:
    """A verdict that only the second person may complete does not win by the way of the first."""
    put(world, review, status="awaiting_second")
    world.decide(review, APPROVE)


def with_a_used_key(world: World, review: ReviewView) -> None:
    world.decide(review, APPROVE, idempotency_key="k")
    world.decide(review, REJECT, idempotency_key="k")


def with_an_edit_of_the_name(world: World, review: ReviewView) -> None:
    world.decide(review, edit("send_sms", order_id="A-2048", amount=1))


CASES: list[tuple[Attempt, str, dict[str, Any]]] = [
    (after_sue, "lost", {"decided_by": "sue", "tried": "1 approve"}),
    (on_another_version, "invalid", {"conflict": "stale", "version": 2, "tried": "1 approve"}),
    (on_another_digest, "invalid", {"conflict": "stale", "seen_digest": "0" * 64}),
    (after_it_was_closed, "invalid", {"conflict": "closed"}),
    (on_a_poisoned_thread, "invalid", {"conflict": "poisoned"}),
    (after_the_thread_moved_on, "invalid", {"conflict": "stale"}),
    (beside_a_first_of_two, "invalid", {"conflict": "stale"}),
    (with_a_used_key, "invalid", {"conflict": "idempotency-key-reused", "tried": "1 reject"}),
    (with_an_edit_of_the_name, "invalid", {"tried": "1 edit"}),
]


@pytest.mark.parametrize(("attempt", "kind", "told"), CASES, ids=[each[0].__name__ for each in CASES])
def test_an_attempt_that_does_not_count_is_one_entry_that_says_why(
    idle: World, review: ReviewView, attempt: Attempt, kind: str, told: dict[str, Any]
) -> None:
    with pytest.raises(ConsoleError) as refused:
        attempt(idle, review)
    assert [row.kind for row in idle.ledger(review=review.id) if row.kind in ("lost", "invalid")] == [kind]
    (entry,) = idle.ledger(kind=kind)
    assert (entry.actor, entry.tool, entry.thread_id) == ("sam", "refund_order", review.thread_id)
    assert entry.body | told == entry.body
    if kind == "invalid":
        assert entry.body["reason"] == refused.value.detail[:500]
    assert not entry.verdict


def test_the_same_request_again_is_no_attempt(idle: World, review: ReviewView) -> None:
    for _ in range(5):
        idle.decide(review, APPROVE, idempotency_key="k")
    assert idle.kinds(review.id) == ["opened", "decided"]


def test_the_same_request_twice_at_once_has_one_answer(
    idle: World, review: ReviewView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one commits after this one has looked the key up and found the review open."""
    first = []

    def meanwhile(*args: Any) -> Any:
        if not first:
            first.append(True)
            first.append(idle.decide(review, APPROVE, idempotency_key="k"))
        return read_verdict(*args)

    monkeypatch.setattr(decide, "read_verdict", meanwhile)
    assert idle.decide(review, APPROVE, idempotency_key="k") == first[1]
    assert idle.kinds(review.id) == ["opened", "decided"]


@pytest.mark.parametrize(
    ("attempt", "error"),
    [
        (lambda world, review: world.decide(review, APPROVE, idempotency_key="a b"), BadRequest),
        (lambda world, review: world.decide(review, APPROVE, by="quinn"), Forbidden),
        (
            lambda world, review: decide.decide(
                world.deps, world.cast["sam"], "0" * 32, version=1, digest=""
            ),
            NotFound,
        ),
    ],
)
def test_what_is_refused_before_the_review_is_known_is_not_the_reviews_story(
    idle: World, review: ReviewView, attempt: Attempt, error: type[Exception]
) -> None:
    with pytest.raises(error):
        attempt(idle, review)
    assert idle.kinds(review.id) == ["opened"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (
            {"version": 2**60, "digest": "\ud800", "decisions": [{"type": "approve"}, 1]},
            {"tried": "1 approve"},
        ),
        ({"version": -1, "digest": "x" * 200, "decisions": "approve"}, {}),
        ({"version": True, "digest": None, "decisions": [{"type": ["approve"]}, {}]}, {}),
    ],
)
def test_only_what_an_entry_can_hold_is_kept_of_what_was_sent(
    idle: World, review: ReviewView, sent: dict[str, Any], kept: dict[str, Any]
) -> None:
    problems = [Problem("no form")]
    with pytest.raises(ConsoleError):
        decide.refuse_form(idle.deps, idle.cast["sam"], review.id, problems=problems, **sent)
    (entry,) = idle.ledger(kind="invalid")
    assert {
        name: entry.body[name] for name in ("tried", "version", "seen_digest") if name in entry.body
    } == kept


def test_a_malformed_body_is_recorded_after_404_and_409(idle: World, review: ReviewView) -> None:
    def malformed() -> None:
        sent = {"version": None, "digest": review.digest, "decisions": None}
        decide.refuse_form(idle.deps, idle.cast["sam"], review.id, problems=[Problem("no form")], **sent)

    with pytest.raises(Invalid):
        malformed()
    idle.decide(review, REJECT, by="sue")
    with pytest.raises(ConsoleError, match="sue decided this"):
        malformed()
    assert idle.kinds(review.id) == ["opened", "invalid", "decided", "lost"]


def test_a_schema_that_cannot_be_read_lets_no_edit_pass(idle: World, review: ReviewView) -> None:
    with read(idle.deps.engine) as connection:
        row = dict(reviews.get(connection, review.id) or {})
    (item,) = json.loads(row["items_text"])
    row["items_text"] = json.dumps([{**item, "args_schema_text": "{"}])
    said = [edit("refund_order", order_id="A-2048", amount=1)]
    with pytest.raises(Invalid, match="the tool's schema is broken"):
        read_verdict(idle.deps, cast(RowMapping, row), said, decide.MISSING)
