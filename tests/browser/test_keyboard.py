"""By keyboard alone: moving and choosing are single keys, deciding is Ctrl+Enter and nothing less."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.serving import Server


def test_from_the_queue_to_the_verdict(server: Server, people: SignIn) -> None:
    sam = people("sam")
    refs = [sam.start("Refund A-2048 699"), sam.start("Refund A-2049 450 and text the customer")]
    sam.open()
    sam.expect_keys()
    press = sam.page.keyboard.press
    for ref in refs:
        expect(sam.row(ref)).to_have_count(1)
    last = sam.rows.count() - 1
    for _ in range(last + 2):
        press("j")
    expect(sam.row(refs[1])).to_be_focused()
    press("k")
    expect(sam.rows.nth(last - 1)).to_be_focused()
    press("j")
    press("Enter")
    expect(sam.page).to_have_url(re.compile(refs[1]))
    expect(sam.messages("human")).to_contain_text("Refund A-2049 450 and text the customer")
    expect(sam.argument(0, "/order_id")).to_contain_text("A-2049")
    expect(sam.test_id("action-card")).to_have_count(2)

    press("1")
    expect(sam.card(0)).to_be_focused()
    press("a")
    expect(sam.card(0).get_by_test_id("decision-approve")).to_be_checked()
    press("2")
    press("x")
    expect(sam.card(1).get_by_test_id("decision-reject")).to_be_checked()
    expect(sam.card(0).get_by_test_id("decision-approve")).to_be_checked()

    # Typing is typing: no letter of it chooses anything, and its Enter decides nothing.
    sam.card(1).get_by_test_id("decision-message").focus()
    sam.page.keyboard.type("jake axed it")
    expect(sam.card(1).get_by_test_id("decision-message")).to_have_value("jake axed it")
    expect(sam.card(1).get_by_test_id("decision-reject")).to_be_checked()
    expect(sam.submit_button).to_be_enabled()
    for place in (
        sam.card(1).get_by_test_id("decision-message"),
        sam.card(0).get_by_test_id("decision-approve"),
        sam.card(0),
    ):
        place.focus()
        press("Enter")
    expect(sam.submit_button).to_be_enabled()
    (review,) = sam.reviews(refs[1])
    assert (review["status"], review["version"]) == ("open", 1)

    press("Control+Enter")
    sam.expect_settled()
    assert shop.refunds(server, refs[1]) == [("A-2049", 450.0)]
    assert shop.texts(server, refs[1]) == []
    assert sam.decide(sam.reviews(refs[0])[0], {"type": "reject"}).status == 202


def test_edit_and_respond_have_their_keys(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699 and ask your supervisor whether that is enough")
    sam.open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    sam.expect_keys()
    press = sam.page.keyboard.press
    press("1")
    press("e")
    amount = sam.field(0, "/amount").locator("input")
    expect(amount).to_be_visible()
    amount.focus()
    press("Control+a")
    sam.page.keyboard.type("499")
    press("Enter")
    expect(sam.field(0, "/amount").get_by_test_id("diff")).to_contain_text("699")
    press("Control+Enter")
    assert sam.reviews(ref)[0]["status"] == "open", "the second action is undecided still"
    press("Tab")
    sam.card(1).focus()
    press("r")
    sam.card(1).get_by_test_id("decision-message").focus()
    sam.page.keyboard.type("Yes")
    expect(sam.submit_button).to_be_enabled()
    press("Enter")
    assert sam.reviews(ref)[0]["status"] == "open"
    press("Control+Enter")
    sam.expect_settled()
    assert shop.refunds(server, ref) == [("A-2048", 499.0)]


def test_enter_sends_a_message_and_the_panes_are_reached_by_tab(people: SignIn) -> None:
    sam = people("sam").open()
    expect(sam.test_id("new-thread")).to_be_visible()
    reached = []
    for _ in range(25):
        sam.page.keyboard.press("Tab")
        reached.append(sam.page.evaluate("() => document.activeElement?.dataset.testid ?? ''"))
        if reached[-1] == "new-thread":
            break
    assert reached[-1] == "new-thread", reached
    sam.page.keyboard.press("Enter")
    expect(sam.test_id("chat-input")).to_be_visible()
    sam.test_id("chat-input").focus()
    sam.page.keyboard.type("Where is order A-1001?")
    sam.page.keyboard.press("Enter")
    expect(sam.page).to_have_url(re.compile("/threads/"))
    expect(sam.messages("ai").last).to_contain_text("Order A-1001")
