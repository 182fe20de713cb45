"""What a person has begun comes back after a reload, in another browser and after signing in again."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.browser.orders import ARGS
from tests.serving import Server


def begun(people: SignIn, orders: Server) -> Desk:
    """Two calls: the first is edited, the second rejected with a reason; all of it is kept by now."""
    sam = people("sam", orders)
    sam.open_thread(sam.start(json.dumps([["place_order", ARGS], ["anything", {"n": 1}]])))
    sam.choose(0, "edit")
    sam.field(0, "/lines").get_by_role("button", name="Remove lines 2", exact=True).click()
    expect(sam.field(0, "/lines/2")).to_have_count(0)
    sam.type_into(0, "/lines/1/count", "33")
    sam.choose(1, "reject")
    sam.explain(1, "Not today")
    expect(sam.submit_button).to_be_enabled()
    # Longer than the pause after which a draft is kept.
    sam.page.wait_for_timeout(1_500)
    return sam


def expect_begun(desk: Desk) -> None:
    expect(desk.card(0).get_by_test_id("decision-edit")).to_be_checked()
    expect(desk.field(0, "/lines/1/sku").locator("input")).to_have_value("jar")
    expect(desk.field(0, "/lines/1/count").locator("input")).to_have_value("33")
    expect(desk.card(1).get_by_test_id("decision-message")).to_have_value("Not today")
    expect(desk.submit_button).to_be_enabled()


def expect_put_back(desk: Desk) -> None:
    """Said as such, so that nobody takes it for what they chose now."""
    expect(desk.test_id("draft")).to_contain_text("Your draft from")
    expect(desk.test_id("draft")).to_contain_text("put back")
    expect_begun(desk)


def test_a_draft_comes_back_and_is_gone_once_it_is_submitted(orders: Server, people: SignIn) -> None:
    sam = begun(people, orders)
    sam.page.reload()
    expect_begun(sam)

    # In another browser of the same person, and in nobody else's.
    elsewhere = people("sam", orders).open_thread(sam.ref)
    expect_put_back(elsewhere)
    sue = people("sue", orders).open_thread(sam.ref)
    expect(sue.card(0).get_by_test_id("decision-edit")).not_to_be_checked()
    expect(sue.test_id("draft")).to_have_count(0)

    elsewhere.submit()
    elsewhere.expect_settled()
    (review,) = sam.reviews(sam.ref, "settled")
    first, second = review["actions"]
    assert first["decision"]["edited_action"]["args"]["lines"] == [
        ARGS["lines"][0],
        {"sku": "jar", "count": 33},
    ]
    assert second["decision"] == {"type": "reject", "message": "Not today"}
    expect(elsewhere.test_id("draft")).to_have_count(0)


def test_a_draft_outlives_the_session_it_was_begun_in(orders: Server, people: SignIn) -> None:
    sam = begun(people, orders)
    ref = sam.ref
    sam.page.context.clear_cookies()
    sam.page.reload()
    expect(sam.page).to_have_url(re.compile("/login"))
    sam.sign_in()
    sam.open_thread(ref)
    expect_put_back(sam)


def test_a_discarded_draft_is_gone(orders: Server, people: SignIn) -> None:
    sam = begun(people, orders)
    sam = people("sam", orders).open_thread(sam.ref)
    expect_put_back(sam)
    sam.test_id("discard-draft").click()
    expect(sam.test_id("draft")).to_have_count(0)
    expect(sam.card(0).get_by_test_id("decision-edit")).not_to_be_checked()
    sam.page.reload()
    expect(sam.card(0)).to_be_visible()
    expect(sam.test_id("draft")).to_have_count(0)
    expect(sam.card(0).get_by_test_id("decision-edit")).not_to_be_checked()
    sam.choose(0, "approve")
    sam.choose(1, "approve")
    sam.submit()
    sam.expect_settled()


def test_a_question_with_a_schema_is_answered_by_a_form(orders: Server, people: SignIn) -> None:
    sam = people("sam", orders)
    sam.open_thread(sam.start(json.dumps([["ask", {"question": "May C-7 have it back?"}]])))
    form = sam.panel.get_by_test_id("edit-form")
    expect(form.get_by_test_id("origin")).to_have_text("fields from the request")
    expect(sam.submit_button).to_be_disabled()
    field = '[data-testid="field"][data-pointer="/{}"]'.format
    form.locator(field("refund")).locator("select").select_option("true")
    form.locator(field("why")).locator("input").fill("It broke")
    expect(sam.submit_button).to_be_enabled()
    sam.page.wait_for_timeout(1_500)
    sam = people("sam", orders).open_thread(sam.ref)
    form = sam.panel.get_by_test_id("edit-form")
    expect(form.locator(field("why")).locator("input")).to_have_value("It broke")
    expect(sam.test_id("draft")).to_be_visible()
    sam.submit()
    sam.expect_settled("Settled")
    (said,) = (m for m in sam.read(f"/threads/{sam.ref}/messages")["items"] if m["role"] == "tool")
    assert said["text"] == 'answered {"refund": true, "why": "It broke"}'
