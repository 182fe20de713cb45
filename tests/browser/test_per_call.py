"""Per call: one pause, several reviews of one action each, and the run goes on after the last of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.serving import Server


@pytest.fixture(scope="module")
def per_call(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    env = {"CONSOLE_DEMO_INTERRUPT_MODE": "per_call"}
    with Server(tmp_path_factory.mktemp("percall") / "data", env=env) as started:
        yield started


def test_three_reviews_of_one_pause_are_decided_one_by_one(per_call: Server, people: SignIn) -> None:
    sue = people("sue", per_call).open()
    sam = people("sam", per_call)
    ref = sam.start("Refund A-2048 699 and refund A-2049 450 and text the customer")
    sam.open_thread(ref)
    for each in (sam, sue):
        expect(each.row(ref)).to_have_count(3)
        expect(each.test_id("queue-count")).to_have_text("3")
    members = sam.test_id("group-row")
    expect(members).to_have_count(3)
    expect(members.nth(0)).to_contain_text("refund_order")
    expect(members.nth(2)).to_contain_text("send_sms")
    expect(sam.test_id("action-card")).to_have_count(1)

    members.nth(0).click()
    expect(sam.argument(0, "/order_id")).to_contain_text("A-2048")
    sam.choose(0, "approve")
    sam.submit()
    expect(sam.test_id("notice")).to_contain_text("Waiting for 2 more of this pause")
    for each in (sam, sue):
        expect(each.row(ref)).to_have_count(2)
    expect(members.nth(0)).to_contain_text("sam decided")
    expect(sam.test_id("review-group")).to_contain_text("Waiting for 2 more of this pause")
    assert shop.refunds(per_call, ref) == [], "nothing runs before the whole pause is decided"

    # Another supervisor takes the second, from the same group.
    sue.open_thread(ref)
    sue.test_id("group-row").nth(1).click()
    expect(sue.argument(0, "/order_id")).to_contain_text("A-2049")
    sue.choose(0, "reject")
    sue.explain(0, "Already paid back by the bank")
    sue.submit()
    expect(sam.row(ref)).to_have_count(1)
    expect(members.nth(1)).to_contain_text("sue decided")
    expect(sam.test_id("review-group")).to_contain_text("Waiting for 1 more of this pause")
    assert shop.refunds(per_call, ref) == []

    members.nth(2).click()
    expect(sam.card(0)).to_contain_text("send_sms")
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    closing = sam.messages("ai").last
    expect(closing).to_contain_text("699 CNY has been refunded for order A-2048.")
    expect(closing).to_contain_text("Already paid back by the bank")
    for each in (sam, sue):
        expect(each.row(ref)).to_have_count(0)
    assert shop.refunds(per_call, ref) == [("A-2048", 699.0)]
    assert len(shop.texts(per_call, ref)) == 1


def test_approve_one_and_reject_the_other_with_a_reason(per_call: Server, people: SignIn) -> None:
    sam = people("sam", per_call)
    ref = sam.start("Refund A-2048 699 and text the customer")
    sam.open_thread(ref)
    members = sam.test_id("group-row")
    members.nth(1).click()
    expect(sam.card(0)).to_contain_text("send_sms")
    sam.choose(0, "reject")
    sam.explain(0, "They asked us not to text")
    sam.submit()
    expect(members.nth(1)).to_contain_text("sam decided")
    members.nth(0).click()
    expect(sam.card(0)).to_contain_text("refund_order")
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    expect(sam.messages("ai").last).to_contain_text("They asked us not to text")
    assert shop.refunds(per_call, ref) == [("A-2048", 699.0)]
    assert shop.texts(per_call, ref) == []


def test_a_look_up_beside_a_gated_call_does_not_wait(per_call: Server, people: SignIn) -> None:
    sam = people("sam", per_call)
    ref = sam.start("Refund A-2048 699 and look up A-2049")
    sam.open_thread(ref)
    expect(sam.tool_call("get_order")).to_have_attribute("data-state", "Ran, no review needed")
    expect(sam.test_id("waiting-calls")).not_to_contain_text("get_order")
    sam.choose(0, "reject")
    sam.submit()
    sam.expect_settled()
    assert shop.refunds(per_call, ref) == []


def test_a_decision_is_on_record_while_the_run_still_waits(per_call: Server, people: SignIn) -> None:
    sam, ada = people("sam", per_call), people("ada", per_call)
    ref = sam.start("Refund A-2048 699 and text the customer")
    first, second = sam.reviews(ref)
    assert sam.decide(first, {"type": "approve"}).status == 202
    ada.open("/audit")
    decided = ada.page.locator('[data-testid="audit-row"][data-kind="decided"]').filter(
        has_text=first["id"][:8]
    )
    decided.click()
    expect(ada.test_id("audit-sides")).to_contain_text("Approved")
    expect(ada.test_id("audit-sides")).to_contain_text("not known yet")
    assert shop.refunds(per_call, ref) == []
    assert sam.decide(second, {"type": "reject"}).status == 202
    expect(ada.test_id("audit-sides")).not_to_contain_text("not known yet")
    expect(ada.test_id("audit-sides")).to_contain_text("ran")
    assert shop.refunds(per_call, ref) == [("A-2048", 699.0)]
