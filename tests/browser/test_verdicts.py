"""Several actions, one verdict: every position has its own decision, and the agent understands them all."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.serving import Server


def test_approve_one_and_reject_the_other_with_a_reason(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699 and text the customer")
    sam.open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    expect(sam.card(0)).to_contain_text("refund_order")
    expect(sam.card(1)).to_contain_text("send_sms")

    sam.choose(0, "approve")
    expect(sam.submit_button).to_be_disabled()
    sam.choose(1, "reject")
    sam.explain(1, "They asked us not to text")
    expect(sam.test_id("verdict-summary")).to_contain_text("1 approve, 1 reject")
    sam.submit()

    sam.expect_settled()
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text("ran")
    expect(sam.card(1).get_by_test_id("outcome")).to_have_text("did not run")
    closing = sam.messages("ai").last
    expect(closing).to_contain_text("699 CNY has been refunded for order A-2048.")
    expect(closing).to_contain_text("declined to text the customer of order A-2048")
    expect(closing).to_contain_text("They asked us not to text")
    assert shop.refunds(server, ref) == [("A-2048", 699.0)]
    assert shop.texts(server, ref) == []


def test_one_tool_twice_is_decided_by_position(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699 and refund A-2049 450 and text the customer")
    sam.open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(3)
    numbers = sam.test_id("action-card").evaluate_all("cards => cards.map(card => card.dataset.position)")
    assert numbers == ["0", "1", "2"]
    for position, tool, order in (
        (0, "refund_order", "A-2048"),
        (1, "refund_order", "A-2049"),
        (2, "send_sms", "A-2049"),
    ):
        expect(sam.card(position)).to_contain_text(tool)
        expect(sam.card(position)).to_contain_text(f"Action {position + 1} of 3")
        expect(sam.argument(position, "/order_id")).to_contain_text(order)

    # Not in the order of the positions: what counts is where, not when.
    sam.choose(2, "approve")
    sam.choose(1, "approve")
    sam.choose(0, "reject")
    sam.explain(0, "Not this one")
    sam.submit()

    sam.expect_settled()
    outcomes = [sam.card(position).get_by_test_id("outcome") for position in range(3)]
    for outcome, text in zip(outcomes, ("did not run", "ran", "ran"), strict=True):
        expect(outcome).to_have_text(text)
    expect(sam.messages("ai").last).to_contain_text("declined to refund 699 CNY for order A-2048")
    expect(sam.messages("ai").last).to_contain_text("450 CNY has been refunded for order A-2049")
    assert shop.refunds(server, ref) == [("A-2049", 450.0)]
    assert len(shop.texts(server, ref)) == 1


def test_a_look_up_beside_a_gated_call_waits_with_it(server: Server, people: SignIn) -> None:
    """Batched: nothing of one message runs before the verdict, so the look-up is shown as waiting."""
    sam = people("sam")
    ref = sam.start("Refund A-2048 699 and look up A-2049")
    sam.open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(1)
    waiting = sam.test_id("waiting-calls")
    expect(waiting).to_contain_text("refund_order")
    expect(waiting).to_contain_text("get_order")
    expect(sam.test_id("tool-call")).to_have_count(0)

    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    expect(sam.tool_call("get_order")).to_have_attribute("data-state", "Ran, no review needed")
    expect(sam.tool_call("refund_order")).to_have_attribute("data-state", "Ran")
    assert shop.refunds(server, ref) == [("A-2048", 699.0)]


def test_chinese_is_understood_in_both_directions(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("给 A-2048 退款 699 元，然后发短信")
    sam.open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    sam.choose(0, "reject")
    sam.explain(0, "请先提供照片")
    sam.choose(1, "approve")
    sam.submit()
    sam.expect_settled()
    expect(sam.messages("ai").last).to_contain_text("请先提供照片")
    assert shop.refunds(server, ref) == []
    assert shop.texts(server, ref) == ["您的订单 A-2048 正在处理中，有进展我们会通知您。"]
