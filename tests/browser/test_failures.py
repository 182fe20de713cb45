"""What fails is said as it is: in the chat, in the panel and in the log, and the rest goes on."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.serving import Server

FAILED = "tool failed: order closed"


def test_a_refund_the_shop_refuses_is_never_called_refunded(server: Server, people: SignIn) -> None:
    sam, ada = people("sam"), people("ada")
    ref = sam.start("Refund A-4040 300")
    (review,) = sam.reviews(ref)
    sam.open_thread(ref)
    said_before = sam.messages("ai").count()
    sam.choose(0, "approve")
    sam.submit()

    sam.expect_settled()
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text(FAILED)
    expect(sam.test_id("review-outcome")).to_have_text(FAILED)
    call = sam.tool_call("refund_order")
    expect(call).to_have_attribute("data-state", "Failed")
    expect(call.locator('[data-role="tool"]')).to_have_text("order closed")
    expect(sam.messages("ai")).to_have_count(said_before + 1)
    closing = sam.messages("ai").last
    expect(closing).to_contain_text("was not made: order closed")
    words = [text.lower() for text in sam.messages("ai").all_inner_texts()]
    words += [sam.panel.inner_text().lower(), call.inner_text().lower()]
    assert not [text for text in words if "refunded" in text or "已退款" in text]
    assert shop.refunds(server, ref) == []

    ada.open("/audit")
    for kind in ("decided", "settled"):
        entry = ada.page.locator(f'[data-testid="audit-row"][data-kind="{kind}"]')
        expect(entry.filter(has_text=review["id"][:8])).to_contain_text(FAILED)
    entry.filter(has_text=review["id"][:8]).click()
    expect(ada.test_id("audit-sides")).to_contain_text(FAILED)


def test_an_agent_that_raises_shows_its_error_and_the_next_message_works(people: SignIn) -> None:
    sam = people("sam").open()
    waiting = sam.start("Refund A-2048 699")
    sam.begin("Please raise an error")
    sam.expect_status("failed")
    foot = sam.page.get_by_role("status").filter(has_text="The run failed")
    expect(foot).to_contain_text("the model failed on purpose")
    expect(sam.test_id("retry")).to_be_visible()
    expect(sam.row(waiting)).to_have_count(1)

    failed_at = sam.read(f"/threads/{sam.ref}")["updated_at"]
    sam.test_id("retry").click()
    sam.wait_for(sam.ref, "failed", since=failed_at)
    sam.expect_status("failed")
    sam.say("Where is order A-1001?")
    expect(sam.messages("ai").last).to_contain_text("Order A-1001")
    sam.expect_status("idle")
    expect(foot).to_have_count(0)

    sam.row(waiting).click()
    expect(sam.page).to_have_url(re.compile(waiting))
    sam.choose(0, "reject")
    sam.submit()
    sam.expect_settled()
