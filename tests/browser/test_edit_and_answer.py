"""Edit and respond: what a person typed is what ran, and rubbish never leaves the panel."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server

RUBBISH = ("many", "", "6,99", "NaN", "1e999", "0x10", "\u202e994")


def paused_refund(people: SignIn) -> tuple[Desk, str]:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    expect(sam.argument(0, "/amount")).to_contain_text("699")
    return sam, ref


def test_what_was_edited_is_what_the_shop_refunded(server: Server, people: SignIn) -> None:
    sam, ref = paused_refund(people)
    sam.choose(0, "edit")
    form = sam.card(0).get_by_test_id("edit-form")
    expect(form).to_be_visible()
    expect(form.get_by_test_id("field")).to_have_count(3)
    expect(sam.field(0, "/amount").locator("input")).to_have_value("699")
    expect(sam.submit_button).to_be_disabled()

    sam.type_into(0, "/amount", "499")
    expect(sam.card(0).get_by_test_id("diff")).to_have_count(1)
    expect(sam.field(0, "/amount").get_by_test_id("diff")).to_contain_text("699")
    expect(sam.test_id("verdict-summary")).to_contain_text("499")
    sam.submit()

    sam.expect_settled()
    expect(sam.card(0)).to_contain_text("Edited")
    expect(sam.messages("ai").last).to_contain_text("A colleague changed the refund from 699 to 499")
    assert shop.refunds(server, ref) == [("A-2048", 499.0)]


def test_a_cleared_choice_of_words_is_put_back(people: SignIn) -> None:
    sam, ref = paused_refund(people)
    sam.choose(0, "edit")
    sam.type_into(0, "/amount", "499")
    field = sam.field(0, "/amount")
    expect(field.get_by_test_id("diff")).to_be_visible()
    field.get_by_role("button").click()
    expect(field.locator("input")).to_have_value("699")
    expect(field.get_by_test_id("diff")).to_have_count(0)
    expect(sam.submit_button).to_be_disabled()
    assert sam.reviews(ref)


def test_rubbish_in_a_number_is_an_error_and_nothing_is_submitted(server: Server, people: SignIn) -> None:
    sam, ref = paused_refund(people)
    sam.choose(0, "edit")
    error = sam.field_error(0, "/amount")
    for rubbish in RUBBISH:
        sam.type_into(0, "/amount", "498")
        expect(error).to_have_count(0)
        sam.type_into(0, "/amount", rubbish)
        expect(error).to_be_visible()
        expect(error).not_to_have_text("")
        expect(sam.submit_button).to_be_disabled()
        sam.page.keyboard.press("Control+Enter")
    # Another field goes on working, and what it holds does not hide the error.
    sam.type_into(0, "/reason", "Crushed box")
    expect(sam.field(0, "/reason").get_by_test_id("diff")).to_be_visible()
    expect(error).to_be_visible()
    (review,) = sam.reviews(ref)
    assert (review["status"], review["version"]) == ("open", 1)

    sam.type_into(0, "/amount", "499.5")
    expect(error).to_have_count(0)
    sam.submit()
    sam.expect_settled()
    assert shop.refunds(server, ref) == [("A-2048", 499.5)]


def test_an_answer_becomes_the_tools_result(people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Ask your supervisor whether A-2050 may be returned after 40 days")
    sam.open_thread(ref)
    expect(sam.argument(0, "/question")).to_contain_text("whether A-2050 may be returned after 40 days")
    for kind in ("approve", "edit", "reject"):
        expect(sam.card(0).get_by_test_id(f"decision-{kind}")).to_have_count(0)
    sam.choose(0, "respond")
    expect(sam.submit_button).to_be_disabled()
    sam.explain(0, "   ")
    expect(sam.submit_button).to_be_disabled()
    sam.explain(0, "Yes, once, until the end of May")
    sam.submit()

    sam.expect_settled()
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text("answered")
    asked = sam.tool_call("ask_supervisor")
    expect(asked).to_have_attribute("data-state", "Answered by a person")
    expect(asked.locator('[data-role="tool"]')).to_have_text("Yes, once, until the end of May")
    expect(sam.messages("ai").last).to_contain_text("My supervisor answered: Yes, once, until the end of May")
