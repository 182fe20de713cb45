"""The composer speaks only when that does no harm, and says why when it does not."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import SignIn


def test_a_paused_thread_takes_no_message_and_says_why(people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    expect(sam.test_id("chat-input")).to_be_disabled()
    expect(sam.test_id("chat-send")).to_be_disabled()
    expect(
        sam.page.get_by_text("The thread is paused for review. A message now would discard")
    ).to_be_visible()

    said = sam.call("POST", f"/threads/{ref}/messages", {"text": "Never mind"})
    assert said.status == 409
    assert "paused" in said.json()["detail"]
    assert sam.read(f"/threads/{ref}/messages")["items"][-1]["role"] == "ai"
    assert len(sam.reviews(ref)) == 1

    sam.choose(0, "reject")
    sam.submit()
    sam.expect_settled()
    expect(sam.test_id("chat-input")).to_be_enabled()
    sam.say("Thank you")
    expect(sam.messages("human").last).to_contain_text("Thank you")
    expect(sam.messages("ai").last).to_contain_text("You are welcome.")


def test_it_is_locked_everywhere_while_one_person_has_written(people: SignIn) -> None:
    """sue looks on: her composer locks with the pause that sam's message brings."""
    sam, sue = people("sam"), people("sue")
    ref = sam.start("Hello", until="idle")
    sam.open_thread(ref)
    sue.open_thread(ref)
    expect(sue.test_id("chat-input")).to_be_enabled()
    sam.say("Refund A-2048 699")
    for each in (sam, sue):
        expect(each.messages("human").last).to_contain_text("Refund A-2048 699")
        expect(each.test_id("chat-input")).to_be_disabled()
        each.expect_status("paused")
    sue.choose(0, "reject")
    sue.submit()
    for each in (sam, sue):
        expect(each.test_id("chat-input")).to_be_enabled()


def test_blanks_start_no_conversation(people: SignIn) -> None:
    sam = people("sam").open()
    sam.test_id("new-thread").click()
    before = sam.page.url
    started = len(sam.read("/audit?kind=thread_started&limit=200")["items"])
    sam.say("   ")
    sam.page.keyboard.press("Enter")
    # Something that does happen, and comes after: so the blanks have been handled.
    sam.page.get_by_role("button", name="Cancel").click()
    expect(sam.test_id("chat-input").or_(sam.page.get_by_text("No thread is open"))).to_be_visible()
    expect(sam.page).to_have_url(before)
    assert len(sam.read("/audit?kind=thread_started&limit=200")["items"]) == started


def test_a_message_that_is_too_long_is_refused_and_not_cut(people: SignIn) -> None:
    sam = people("sam").open()
    sam.test_id("new-thread").click()
    before = sam.page.url
    sam.say("Where is order A-1001? " + "x" * 100_000)
    expect(sam.test_id("notice")).to_contain_text("too long", timeout=5_000)
    expect(sam.page).to_have_url(before)


def test_an_example_is_one_click(people: SignIn) -> None:
    sam = people("sam").open()
    sam.test_id("new-thread").click()
    sam.test_id("example").filter(has_text="查询订单 A-2048").click()
    expect(sam.page).to_have_url(re.compile("/threads/"))
    sam.expect_status("paused")
    expect(sam.messages("human")).to_contain_text("查询订单 A-2048，并退款 699 元")
    sam.choose(0, "reject")
    sam.submit()
    sam.expect_settled()
