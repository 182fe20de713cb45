"""On a phone: one pane at a time, three tabs, and all that a decision needs within reach of a thumb."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def tab(desk: Desk, name: str) -> Locator:
    return desk.page.get_by_role("group", name="Panes").get_by_role("button", name=name)


def expect_fits(desk: Desk) -> None:
    width = desk.page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 390, f"the page is {width} px wide"


def test_a_phone_walks_from_the_queue_to_the_settled_refund(server: Server, people: SignIn) -> None:
    sam = people("sam", **PHONE)
    ref = sam.start("Refund A-2048 699 and text the customer")
    sam.open()
    expect(tab(sam, "Queue")).to_have_attribute("aria-pressed", "true")
    expect(sam.row(ref)).to_be_visible()
    expect(sam.panel).not_to_be_visible()
    expect_fits(sam)

    sam.row(ref).tap()
    expect(tab(sam, "Review")).to_have_attribute("aria-pressed", "true")
    expect(sam.card(0)).to_be_visible()
    expect(sam.row(ref)).not_to_be_visible()
    expect_fits(sam)
    tab(sam, "Chat").tap()
    expect(sam.messages("human")).to_be_visible()
    expect(sam.page.get_by_text("The thread is paused for review")).to_be_visible()
    expect(sam.card(0)).not_to_be_visible()
    expect_fits(sam)

    tab(sam, "Review").tap()
    sam.choose(0, "edit")
    sam.type_into(0, "/amount", "499")
    expect(sam.field(0, "/amount").get_by_test_id("diff")).to_contain_text("699")
    expect_fits(sam)
    sam.choose(1, "reject")
    sam.explain(1, "No texts please")
    expect(sam.submit_button).to_be_in_viewport(ratio=1)
    box = sam.submit_button.bounding_box()
    assert box is not None
    assert box["height"] >= 32
    sam.submit_button.tap()
    sam.expect_settled()
    assert shop.refunds(server, ref) == [("A-2048", 499.0)]
    tab(sam, "Queue").tap()
    expect(sam.row(ref)).to_have_count(0)
    expect_fits(sam)


def test_a_conversation_begins_on_a_phone(people: SignIn) -> None:
    sam = people("sam", **PHONE).open()
    sam.test_id("new-thread").tap()
    expect(sam.test_id("chat-input")).to_be_visible()
    expect(sam.test_id("chat-send")).to_be_in_viewport(ratio=1)
    expect_fits(sam)
    sam.test_id("chat-input").fill("Where is order A-1001?")
    sam.test_id("chat-send").tap()
    expect(sam.messages("ai").last).to_contain_text("Order A-1001")
    expect(sam.messages("ai").last).to_be_visible()
    expect_fits(sam)


def test_login_and_log_fit_a_phone(people: SignIn) -> None:
    nobody, ada = people("nobody", **PHONE), people("ada", **PHONE)
    nobody.open("/login")
    expect(nobody.test_id("demo-login-sam")).to_be_visible()
    expect_fits(nobody)
    ada.open("/audit")
    row = ada.test_id("audit-row").first
    expect(row).to_be_visible()
    expect_fits(ada)
    row.tap()
    expect(ada.test_id("audit-detail")).to_be_visible()
    expect_fits(ada)


def test_between_phone_and_desk_the_queue_is_a_drawer(people: SignIn) -> None:
    sam = people("sam", viewport={"width": 1024, "height": 768})
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    expect(sam.card(0)).to_be_visible()
    expect(sam.messages("human")).to_be_visible()
    expect(sam.row(ref)).not_to_be_visible()
    opener = sam.page.get_by_role("button", name="Queue").first
    opener.click()
    expect(sam.row(ref)).to_be_visible()
    expect(opener).to_have_attribute("aria-expanded", "true")
    sam.page.get_by_label("Close the queue").click(position={"x": 900, "y": 400})
    expect(sam.row(ref)).not_to_be_visible()
    (review,) = sam.reviews(ref)
    assert sam.decide(review, {"type": "reject"}).status == 202
