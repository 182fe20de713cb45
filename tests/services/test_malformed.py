"""Malformed verdicts of every kind: refused at their place, and the thread as answerable as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from console.domain.errors import Invalid
from tests.faults import malformed
from tests.services.world import APPROVE, REJECT, World, edit

NAN, LONE = float("nan"), "\ud800"


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def refund(**args: Any) -> dict[str, Any]:
    return edit("refund_order", order_id="A-2048", **args)


# Each is one decision for position 0, or (as a tuple) all of them, and the pointer that is complained about.
MALFORMED: list[tuple[Any, str]] = [
    ((), "/decisions"),
    ((APPROVE,), "/decisions"),
    ((APPROVE, APPROVE, APPROVE), "/decisions"),
    ((REJECT,) * 200, "/decisions"),
    ("approve", "/decisions/0"),
    (None, "/decisions/0"),
    (True, "/decisions/0"),
    (7, "/decisions/0"),
    (NAN, "/decisions/0"),
    (([APPROVE], APPROVE), "/decisions/0"),
    ({}, "/decisions/0/type"),
    ({"type": None}, "/decisions/0/type"),
    ({"type": 1}, "/decisions/0/type"),
    ({"type": ["approve"]}, "/decisions/0/type"),
    ({"type": {"approve": True}}, "/decisions/0/type"),
    ({"type": "Approve"}, "/decisions/0/type"),
    ({"type": "approve "}, "/decisions/0/type"),
    ({"type": "accept"}, "/decisions/0/type"),
    ({"type": "ignore"}, "/decisions/0/type"),
    ({"type": ""}, "/decisions/0/type"),
    ({"type": LONE}, "/decisions/0/type"),
    ({"type": "respond", "message": "yes"}, "/decisions/0/type"),
    ({"type": "respond"}, "/decisions/0/type"),
    ({"type": "approve", "message": "ok"}, "/decisions/0/message"),
    ({"type": "approve", "args": {"amount": 1}}, "/decisions/0/args"),
    (
        {"type": "approve", "edited_action": {"name": "refund_order", "args": {}}},
        "/decisions/0/edited_action",
    ),
    ({"type": "approve", LONE: 1}, r"/decisions/0/\ud800"),
    ({"type": "approve", "a/b~c": 1}, "/decisions/0/a~1b~0c"),
    ({"type": "approve", 5: 1}, "/decisions/0/5"),
    ({"type": "reject", "reason": "no"}, "/decisions/0/reason"),
    ({"type": "reject", "message": 5}, "/decisions/0/message"),
    ({"type": "reject", "message": ["no"]}, "/decisions/0/message"),
    ({"type": "reject", "message": {"text": "no"}}, "/decisions/0/message"),
    ({"type": "reject", "message": LONE}, "/decisions/0/message"),
    ({"type": "reject", "message": "a\x00b"}, "/decisions/0/message"),
    ({"type": "reject", "message": "x" * 10_001}, "/decisions/0/message"),
    ({"type": "edit"}, "/decisions/0/edited_action"),
    ({"type": "edit", "edited_action": None}, "/decisions/0/edited_action"),
    ({"type": "edit", "edited_action": []}, "/decisions/0/edited_action"),
    ({"type": "edit", "args": {"amount": 1}}, "/decisions/0/args"),
    ({"type": "edit", "edited_action": {"args": {"amount": 1}}}, "/decisions/0/edited_action/name"),
    (edit("send_sms", order_id="A-2048", text="hi"), "/decisions/0/edited_action/name"),
    (edit("get_order", order_id="A-2048"), "/decisions/0/edited_action/name"),
    (edit("REFUND_ORDER", order_id="A-2048", amount=1), "/decisions/0/edited_action/name"),
    ({"type": "edit", "edited_action": {"name": "refund_order"}}, "/decisions/0/edited_action/args"),
    (
        {"type": "edit", "edited_action": {"name": "refund_order", "args": None}},
        "/decisions/0/edited_action/args",
    ),
    (
        {"type": "edit", "edited_action": {"name": "refund_order", "args": []}},
        "/decisions/0/edited_action/args",
    ),
    (
        {"type": "edit", "edited_action": {"name": "refund_order", "args": {}, "id": "x"}},
        "/decisions/0/edited_action/id",
    ),
    (refund(), "/decisions/0/edited_action/args/amount"),
    (refund(amount="699"), "/decisions/0/edited_action/args/amount"),
    (refund(amount=None), "/decisions/0/edited_action/args/amount"),
    (refund(amount=True), "/decisions/0/edited_action/args/amount"),
    (refund(amount=[699]), "/decisions/0/edited_action/args/amount"),
    (refund(amount=NAN), "/decisions/0/edited_action/args/amount"),
    (refund(amount=float("inf")), "/decisions/0/edited_action/args/amount"),
    (refund(amount=2**64), "/decisions/0/edited_action/args/amount"),
    (refund(amount=-(2**63) - 1), "/decisions/0/edited_action/args/amount"),
    (refund(amount=10**5000), "/decisions/0/edited_action/args/amount"),
    (refund(amount=1, reason=LONE), "/decisions/0/edited_action/args/reason"),
    (refund(amount=1, reason=5), "/decisions/0/edited_action/args/reason"),
    (refund(amount=1, approved=True), "/decisions/0/edited_action/args/approved"),
    (refund(amount=1, runtime={}), "/decisions/0/edited_action/args/runtime"),
    (refund(amount=1, **{LONE: 1}), r"/decisions/0/edited_action/args/\ud800"),
    (refund(amount=nested(90)), "/decisions/0/edited_action/args/amount"),
    (refund(amount=nested(150)), "/decisions"),
    (refund(amount=nested(2_000)), "/decisions"),
    (nested(5_000), "/decisions"),
    (edit("refund_order", order_id=2048, amount=1), "/decisions/0/edited_action/args/order_id"),
    (edit("refund_order", amount=1), "/decisions/0/edited_action/args/order_id"),
]


def test_no_malformed_verdict_is_saved_and_the_right_one_works_after_them_all(world: World) -> None:
    assert len(MALFORMED) >= 50
    review = world.pause("Refund A-2048 699 and text the customer")
    before = world.table("SELECT * FROM review"), world.table("SELECT count(*) FROM outbox")
    for wrong, pointer in MALFORMED:
        decisions = wrong if isinstance(wrong, tuple) else [wrong, APPROVE]
        with pytest.raises(Invalid) as refused:
            world.decide(review, *decisions)
        problem = refused.value.problems[0]
        assert problem.pointer == pointer, (wrong, refused.value.problems)
        assert problem.position == (0 if pointer.startswith("/decisions/") else None), wrong
        assert problem.message
    assert (world.table("SELECT * FROM review"), world.table("SELECT count(*) FROM outbox")) == before
    assert world.table("SELECT count(*) FROM decision") == [(0,)]
    assert world.kinds(review.id) == ["opened"] + ["invalid"] * len(MALFORMED)
    world.decide(review, refund(amount=499), REJECT)
    assert world.wait_settled(review.id).outcome == "1: ran; 2: did not run"
    assert [row[:2] for row in world.refunds()] == [("A-2048", 499.0)]


@pytest.mark.parametrize("kind", malformed.KINDS)
def test_whatever_is_malformed_is_refused_and_a_right_answer_settles(kind: str, folder: Path) -> None:
    """Of each kind of payload, 40 of the 200 of `make faults`."""
    assert malformed.trial(kind, folder, malformed.A_THREAD, seed=0) == []
