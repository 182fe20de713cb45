"""What a person can do, through the services, in both interrupt modes."""

from __future__ import annotations

from typing import Any

import pytest

from console.services import chat
from tests.services.world import APPROVE, REJECT, World, call, demo_deps, edit, rows

THREE = "Refund A-2048 699 and refund A-2049 450 and text the customer"


def test_an_approved_refund_is_made_once_and_the_agent_closes(either: World) -> None:
    review = either.pause("Look up order A-2048 and refund 699")
    assert [(a.position, a.name, a.args_text) for a in review.actions] == [
        (0, "refund_order", '{"order_id": "A-2048", "amount": 699}')
    ]
    assert either.refunds() == []
    verdict = either.decide(review, APPROVE)
    settled = either.wait_settled(review.id)
    assert settled.outcome == "ran"
    assert either.refunds() == [("A-2048", 699.0, verdict.decision_id)]
    assert either.thread(review.thread_id).status == "idle"
    assert either.last_words(review.thread_id) == "699 CNY has been refunded for order A-2048."
    assert either.queue() == []


def test_a_look_up_runs_unasked(either: World) -> None:
    review = either.pause("查询订单 A-2048，并退款 699 元")
    looked_up, refund = (m.tool_calls[0] for m in either.messages(review.thread_id) if m.tool_calls)
    assert (looked_up.name, looked_up.state, looked_up.reviewed) == ("get_order", "ran", False)
    assert (refund.name, refund.state, refund.reviewed) == ("refund_order", "waiting", True)


def test_two_positions_take_two_decisions(either: World) -> None:
    thread_id = either.pause("Refund A-2048 699 and text the customer").thread_id
    either.decide_all(thread_id, APPROVE, REJECT)
    either.wait_status(thread_id, "idle")
    assert [a.outcome for a in either.actions(thread_id)] == ["ran", "did not run"]
    assert [amount for _, amount, _ in either.refunds()] == [699.0]
    assert rows(either.folder / "shop.db", "SELECT * FROM messages_sent") == []
    assert "too late" in either.last_words(thread_id)


def test_the_same_tool_twice_keeps_its_decisions_apart(either: World) -> None:
    thread_id = either.pause(THREE).thread_id
    assert [a.name for a in either.actions(thread_id)] == ["refund_order", "refund_order", "send_sms"]
    either.decide_all(thread_id, REJECT, edit("refund_order", order_id="A-2049", amount=400), APPROVE)
    either.wait_status(thread_id, "idle")
    assert [(a.decision_text, a.outcome) for a in either.actions(thread_id)] == [
        ("reject", "did not run"),
        ("edit", "ran"),
        ("approve", "ran"),
    ]
    assert [row[:2] for row in either.refunds()] == [("A-2049", 400.0)]


def test_an_edit_is_what_runs(either: World) -> None:
    review = either.pause("Refund A-2048 699")
    either.decide(review, edit("refund_order", order_id="A-2048", amount=499))
    settled = either.wait_settled(review.id)
    assert [row[:2] for row in either.refunds()] == [("A-2048", 499.0)]
    assert settled.actions[0].final_args_text == '{"order_id": "A-2048", "amount": 499}'
    assert "499" in either.last_words(review.thread_id)


def test_a_persons_answer_is_the_tools_result(either: World) -> None:
    review = either.pause("ask your supervisor whether 10% off is fine")
    assert review.actions[0].allowed_decisions == ("respond",)
    either.decide(review, {"type": "respond", "message": "yes, once"})
    assert either.wait_settled(review.id).outcome == "answered"
    results = [m.text for m in either.messages(review.thread_id) if m.role == "tool"]
    assert results == ["yes, once"]
    assert "yes, once" in either.last_words(review.thread_id)


@pytest.mark.parametrize(("mode", "state"), [("batched", "waiting"), ("per_call", "ran")])
def test_an_unasked_sibling_is_shown_as_what_it_is(folder: Any, worlds: Any, mode: str, state: str) -> None:
    """In batched mode nothing of the turn runs before the decision; in per_call mode it has run."""
    world: World = worlds(demo_deps(folder, mode), "support")
    with world.worker():
        review = world.pause("Refund A-2048 699 and look up A-2049")
        calls = {c.name: c for m in world.messages(review.thread_id) for c in m.tool_calls}
        assert (calls["get_order"].state, calls["get_order"].reviewed) == (state, False)
        assert calls["refund_order"].state == "waiting"
        world.decide_all(review.thread_id, APPROVE)
        world.wait_status(review.thread_id, "idle")
        calls = {c.name: c for m in world.messages(review.thread_id) for c in m.tool_calls}
        assert [calls[name].state for name in ("get_order", "refund_order")] == ["ran", "ran"]
        assert len([row for row in world.journal(review.thread_id) if row[0] == "get_order"]) == 1


def test_a_refused_refund_is_called_a_failure_everywhere(either: World) -> None:
    review = either.pause("Refund A-4040 699")
    either.decide(review, APPROVE)
    settled = either.wait_settled(review.id)
    failed = "tool failed: order closed"
    assert (settled.outcome, settled.actions[0].outcome) == (failed, failed)
    by_kind = {row.kind: row for row in either.ledger(review=review.id)}
    assert by_kind["settled"].outcome == failed
    assert by_kind["decided"].outcome == failed
    assert by_kind["settled"].actions[0].outcome == failed
    (shown,) = [c for m in either.messages(review.thread_id) for c in m.tool_calls]
    assert (shown.state, shown.result) == ("failed", "order closed")
    assert either.refunds() == []
    said = [m.text.lower() for m in either.messages(review.thread_id)]
    assert not [text for text in said if "has been refunded" in text or "已退款" in text]
    assert not [row for row in either.ledger(review=review.id) if "refunded" in str(row.body) + row.what]


def test_every_refund_of_a_turn_has_its_own_row_and_a_free_one_no_decision(either: World) -> None:
    thread_id = either.pause("Refund A-2048 699 and refund A-2049 450").thread_id
    either.decide_all(thread_id, APPROVE, APPROVE)
    either.wait_status(thread_id, "idle")
    chat.say(either.deps, either.cast["sam"], either.source, thread_id, "Refund A-2048 20")
    either.wait_status(thread_id, "idle")
    first, second, free = either.refunds()
    decided = {row[0] for row in either.table("SELECT id FROM decision")}
    assert {first[:2], second[:2]} == {("A-2048", 699.0), ("A-2049", 450.0)}
    assert {first[2], second[2]} == decided
    assert free == ("A-2048", 20.0, None)


def test_a_pause_of_several_reviews_waits_for_the_last(folder: Any, worlds: Any) -> None:
    world: World = worlds(demo_deps(folder, "per_call"), "support")
    with world.worker():
        thread_id = world.pause(THREE).thread_id
        first, second, third = world.reviews(thread_id)
        assert [r.actions[0].args.get("order_id") for r in (first, second, third)] == [
            "A-2048",
            "A-2049",
            "A-2049",
        ]
        assert world.decide(third, REJECT, by="sue").waiting_for == 2
        assert world.decide(first, APPROVE).waiting_for == 1
        assert world.review(third.id).waiting_for == 1
        assert world.refunds() == []
        assert world.thread(thread_id).status == "paused"
        assert world.decide(second, APPROVE).waiting_for == 0
        world.wait_status(thread_id, "idle")
        assert [r.decided_by for r in world.reviews(thread_id)] == ["sam", "sam", "sue"]
        assert len(world.refunds()) == 2


def test_a_thread_can_pause_again_after_a_verdict(either: World) -> None:
    first = either.pause("Refund A-2048 699")
    either.decide(first, REJECT)
    either.wait_settled(first.id)
    chat.say(either.deps, either.cast["sue"], either.source, first.thread_id, "Refund A-2049 450")
    either.wait_status(first.thread_id, "paused")
    (second,) = either.reviews(first.thread_id)
    assert second.id != first.id
    either.decide(second, APPROVE, by="sue")
    either.wait_settled(second.id)
    assert [row[:2] for row in either.refunds()] == [("A-2049", 450.0)]


def test_the_ledger_tells_the_whole_story_in_order(either: World) -> None:
    review = either.pause("Refund A-2048 699")
    either.decide(review, edit("refund_order", order_id="A-2048", amount=499))
    either.wait_settled(review.id)
    told = either.ledger(review=review.id)
    assert [row.kind for row in told] == ["opened", "decided", "dispatched", "settled"]
    decided = told[1]
    assert (decided.actor, decided.verdict, decided.outcome) == ("sam", "1 edit", "ran")
    (action,) = decided.actions
    assert (action.proposed_args, action.decision, action.final_args, action.outcome) == (
        '{"order_id": "A-2048", "amount": 699}',
        "edit",
        '{"order_id": "A-2048", "amount": 499}',
        "ran",
    )
    assert decided.body["seen_digest"] == review.digest == told[0].body["request_digest"]


def test_the_decision_is_committed_before_any_tool_begins(folder: Any, worlds: Any) -> None:
    """The tool itself looks into the ledger from inside its body."""
    from console.sources.local import LocalSource
    from tests.services.agents import obedient
    from tests.services.world import OBEDIENT, deps_over

    seen: list[list[str]] = []
    sql = "SELECT kind FROM ledger_facet WHERE review_id IS NOT NULL ORDER BY seq"
    graph = obedient(folder, look=lambda: seen.append([r[0] for r in rows(folder / "console.db", sql)]))
    source = LocalSource(OBEDIENT, graph, folder / "checkpoints.db")
    world: World = worlds(deps_over(folder, {OBEDIENT: source}), OBEDIENT)
    with world.worker():
        review = world.pause(call(("charge", {"amount": 5})))
        world.decide(review, APPROVE)
        world.wait_settled(review.id)
    assert seen == [["opened", "decided", "dispatched"]]
    (started,) = world.table("SELECT started_at FROM tool_run")[0]
    decided_at = {row.kind: row.at for row in world.ledger(review=review.id)}["decided"]
    assert str(started) > decided_at.strftime("%Y-%m-%d %H:%M:%S.%f")
