"""A mismatch stays on top of the queue until an admin closes the alarm with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from console.domain.errors import Conflict, Forbidden, Invalid, NotFound
from console.services import planning
from console.services.alarms import close_mismatch
from console.services.views import ReviewView
from tests.services.world import APPROVE, World, call, edit


@pytest.fixture
def alarm(obeying: World, monkeypatch: pytest.MonkeyPatch) -> ReviewView:
    """The run is handed another amount than was decided."""
    monkeypatch.setattr(planning, "shaped", lambda *_: {"decisions": [edit("charge", amount=666)]})
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
        obeying.decide(review, APPROVE)
        return obeying.wait_settled(review.id, "mismatch")


def close(world: World, review_id: str, by: str = "ada", reason: Any = "refunded by hand") -> ReviewView:
    return close_mismatch(world.deps, world.cast[by], review_id, reason)


def test_closing_takes_it_off_the_queue_and_keeps_what_it_is(obeying: World, alarm: ReviewView) -> None:
    assert obeying.queue() == [alarm.id]
    closed = close(obeying, alarm.id)
    assert (closed.status, closed.outcome, closed.closed_by) == ("mismatch", alarm.outcome, "ada")
    assert closed.closed_at is not None
    assert obeying.queue() == []
    (entry,) = obeying.ledger(kind="mismatch_closed")
    assert (entry.actor, entry.review_id, entry.body["reason"]) == ("ada", alarm.id, "refunded by hand")


def test_it_is_closed_once(obeying: World, alarm: ReviewView) -> None:
    close(obeying, alarm.id)
    with pytest.raises(Conflict):
        close(obeying, alarm.id, reason="again")
    assert len(obeying.ledger(kind="mismatch_closed")) == 1


@pytest.mark.parametrize("name", ["sam", "quinn", "mallory"])
def test_only_an_admin_closes_it(obeying: World, alarm: ReviewView, name: str) -> None:
    with pytest.raises(Forbidden):
        close(obeying, alarm.id, by=name)
    assert obeying.queue() == [alarm.id]


@pytest.mark.parametrize("reason", ["", "  ", None, 5, "x" * 2_001, "\ud800"])
def test_it_is_not_closed_without_a_reason(obeying: World, alarm: ReviewView, reason: Any) -> None:
    with pytest.raises(Invalid) as refused:
        close(obeying, alarm.id, reason=reason)
    assert refused.value.problems[0].pointer == "/reason"
    assert obeying.queue() == [alarm.id]


def test_what_is_no_mismatch_has_no_alarm(obeying: World) -> None:
    with obeying.worker():
        review = obeying.pause(call(("charge", {"amount": 5})))
    with pytest.raises(Conflict):
        close(obeying, review.id)
    with pytest.raises(NotFound):
        close(obeying, "0" * 32)
    assert obeying.queue() == [review.id]
