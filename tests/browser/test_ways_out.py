"""What a person does on the page about a thread that cannot go on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.browser.test_accessibility import STILL, findings, in_colours
from tests.browser.trouble import poisoned, stuck, stuck_on_a_free_tool
from tests.serving import Server

THREE = "Refund A-2048 699 and refund A-2049 450 and text the customer"
CHOICES = ("not_run", "ran", "give_up")


def dialog(desk: Desk, name: str, verb: str) -> None:
    """Opens it; the title repeats the verb and the focus is where nothing happens."""
    desk.test_id(name).click()
    expect(desk.page.get_by_role("alertdialog", name=verb)).to_be_visible()


def choose(desk: Desk, choice: str) -> None:
    radio = desk.page.locator(f'[data-testid="stuck-choice"][data-choice="{choice}"]')
    desk.page.locator("label", has=radio).click()
    expect(radio).to_be_checked()


# Closing without running


def test_a_pause_is_closed_from_the_page_and_nothing_runs(server: Server, people: SignIn) -> None:
    sam, sue = people("sam"), people("sue")
    ref = sam.start(THREE)
    sue.open()
    sam.open_thread(ref)
    sam.choose(0, "approve")
    dialog(sam, "cancel-review", "Close without running")
    expect(sam.test_id("cancel-cancel")).to_be_focused()
    expect(sam.test_id("cancel-dialog")).to_contain_text(
        "All 3 actions of this pause get a result that says they did not run. The agent goes on."
    )
    sam.test_id("cancel-cancel").click()
    expect(sam.test_id("cancel-dialog")).to_have_count(0)
    expect(sue.row(ref)).to_have_count(1)

    sam.test_id("cancel-review").click()
    sam.test_id("cancel-reason").fill("the customer called back")
    sam.test_id("cancel-confirm").click()
    expect(sam.test_id("notice")).to_contain_text("Closed without running")
    sam.expect_status("idle")
    expect(sam.test_id("review-status")).to_contain_text("Closed without running")
    expect(sam.test_id("cancel-review")).to_have_count(0)
    for each in (sam, sue):
        expect(each.row(ref)).to_have_count(0)
    expect(sam.messages("tool")).to_have_count(3)
    expect(sam.messages("tool").first).to_contain_text("the customer called back")
    assert shop.refunds(server, ref) == []
    assert shop.texts(server, ref) == []

    sam.say("Refund A-2048 650")
    sam.expect_status("paused")
    expect(sam.argument(0, "/amount")).to_contain_text("650")
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    assert shop.refunds(server, ref) == [("A-2048", 650.0)]


def test_a_reason_typed_and_left_is_not_sent_the_next_time(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    sam.test_id("cancel-review").click()
    sam.test_id("cancel-reason").fill("a wrong reason")
    sam.page.keyboard.press("Escape")
    sam.test_id("cancel-review").click()
    expect(sam.test_id("cancel-reason")).to_have_value("")
    sam.test_id("cancel-confirm").click()
    sam.expect_status("idle")
    expect(sam.messages("tool")).to_contain_text("closed by a person without running")
    expect(sam.messages("tool")).not_to_contain_text("a wrong reason")


def test_no_key_reaches_behind_the_dialog(server: Server, people: SignIn) -> None:
    """Ctrl+Enter submits a complete verdict, but not while something else is being asked."""
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    sam.expect_keys()
    sam.choose(0, "approve")
    expect(sam.submit_button).to_be_enabled()
    sam.test_id("cancel-review").click()
    expect(sam.test_id("cancel-cancel")).to_be_focused()
    sam.page.keyboard.press("x")
    sam.test_id("cancel-reason").press("Control+Enter")
    sam.page.keyboard.press("Escape")
    expect(sam.test_id("cancel-dialog")).to_have_count(0)
    expect(sam.card(0).get_by_test_id("decision-approve")).to_be_checked()
    # An event that had been sent would have come before this one.
    sam.choose(0, "reject")
    expect(sam.test_id("verdict-summary")).to_contain_text("1 reject")
    assert [each["status"] for each in sam.reviews(ref)] == ["open"]


@pytest.mark.parametrize("name", ["quinn", "ada"])
def test_those_who_do_not_decide_are_not_offered_to_close(people: SignIn, name: str) -> None:
    sam, other = people("sam"), people(name)
    other.open_thread(sam.start("Refund A-2048 699"))
    expect(other.test_id("no-permission")).to_contain_text("Deciding is for supervisors")
    expect(other.test_id("cancel-review")).to_have_count(0)


# A poisoned thread


def test_a_poisoned_thread_is_repaired_by_ada_and_then_approved_by_sam(
    server: Server, people: SignIn
) -> None:
    sam, ada = people("sam"), people("ada")
    ref = poisoned(server, sam, "Refund A-2048 699")
    sam.expect_status("poisoned")
    expect(sam.test_id("repair-by-admin")).to_have_text("An admin can repair it.")
    expect(sam.test_id("repair")).to_have_count(0)
    expect(sam.submit_button).to_have_count(0)

    ada.open_thread(ref)
    dialog(ada, "repair", "Repair thread")
    expect(ada.test_id("repair-cancel")).to_be_focused()
    ada.test_id("repair-confirm").click()
    expect(ada.test_id("notice")).to_contain_text("Repair recorded")
    for each in (ada, sam):
        each.expect_status("paused")
        expect(each.test_id("poisoned-panel")).to_have_count(0)
    assert shop.refunds(server, ref) == []

    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    assert shop.refunds(server, ref) == [("A-2048", 699.0)]


def test_a_poisoned_thread_is_closed_by_sam_instead(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = poisoned(server, sam, "Refund A-2048 699 and text the customer")
    dialog(sam, "cancel-review", "Close without running")
    expect(sam.test_id("cancel-dialog")).to_contain_text("All 2 actions of this pause")
    sam.test_id("cancel-confirm").click()
    sam.expect_status("idle")
    assert shop.refunds(server, ref) == []
    expect(sam.row(ref)).to_have_count(0)


# A stuck thread


@pytest.fixture(scope="module")
def mortal(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server to be killed, always to be started again by who killed it."""
    env = {"CONSOLE_DEMO_TOKEN_DELAY": "0"}
    with Server(tmp_path_factory.mktemp("stuck") / "data", env=env) as started:
        yield started


def test_a_doubt_is_settled_with_what_the_call_answered(mortal: Server, people: SignIn) -> None:
    sam, quinn = people("sam", mortal), people("quinn", mortal)
    ref = stuck(mortal, sam)
    sam.open_thread(ref)
    quinn.open_thread(ref)
    expect(sam.test_id("stuck-panel")).to_contain_text("It is uncertain whether refund_order ran")
    expect(quinn.test_id("stuck-no-permission")).to_have_text("Settling a doubt is for supervisors.")
    expect(quinn.test_id("stuck-submit")).to_have_count(0)

    radios, record, hint = sam.test_id("stuck-choice"), sam.test_id("stuck-submit"), sam.test_id("stuck-hint")
    assert [each.get_attribute("data-choice") for each in radios.all()] == list(CHOICES)
    assert not any(each.is_checked() for each in radios.all())
    expect(record).to_be_disabled()
    expect(hint).to_have_text("Choose, and say how you know")
    choose(sam, "ran")
    expect(hint).to_have_text("Say what the call answered")
    sam.test_id("stuck-result").fill("refunded 699.00 CNY for A-2048")
    expect(hint).to_have_text("Say how you know")
    expect(record).to_be_disabled()
    sam.test_id("stuck-reason").fill("asked the bank")
    expect(record).to_be_enabled()
    record.click()

    expect(sam.test_id("notice")).to_contain_text("Choice recorded")
    for each in (sam, quinn):
        each.expect_status("idle")
        expect(each.test_id("stuck-panel")).to_have_count(0)
        each.expect_settled("Settled as decided")
    expect(sam.row(ref)).to_have_count(0)
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text("ran, as sam found out")
    expect(sam.tool_call("refund_order")).to_contain_text("refunded 699.00 CNY for A-2048")
    assert shop.refunds(mortal, ref) == []


def test_a_free_tool_in_doubt_is_run_again_by_a_persons_word(mortal: Server, people: SignIn) -> None:
    sam = people("sam", mortal)
    ref = stuck_on_a_free_tool(mortal, sam)
    sam.open_thread(ref)
    panel = sam.test_id("stuck-panel")
    expect(panel).to_contain_text("It is uncertain whether refund_order ran")
    # The call stands in a card of its own, with nothing to decide about it.
    expect(sam.card(0)).to_contain_text("A-2049")
    expect(sam.card(0).locator("input[type=radio]")).to_have_count(0)
    expect(sam.row(ref)).to_have_count(1)
    choose(sam, "not_run")
    expect(sam.test_id("stuck-result")).to_have_count(0)
    sam.test_id("stuck-reason").fill("the shop has no such refund")
    sam.test_id("stuck-submit").click()
    sam.expect_status("idle")
    expect(sam.row(ref)).to_have_count(0)
    assert shop.refunds(mortal, ref) == [("A-2049", 100.0)]


def test_what_was_typed_is_still_there_after_a_look_elsewhere(mortal: Server, people: SignIn) -> None:
    sam = people("sam", mortal)
    ref = stuck(mortal, sam)
    sam.open_thread(ref)
    choose(sam, "ran")
    sam.test_id("stuck-result").fill("refunded")
    sam.test_id("stuck-reason").fill("asked the bank")
    sam.page.get_by_role("link", name="Audit").click()
    expect(sam.test_id("audit-row").first).to_be_visible()
    sam.page.go_back()
    expect(sam.test_id("stuck-result")).to_have_value("refunded")
    expect(sam.test_id("stuck-reason")).to_have_value("asked the bank")
    expect(sam.test_id("stuck-submit")).to_be_enabled()


def test_axe_finds_nothing_grave_on_the_stuck_panel(mortal: Server, people: SignIn) -> None:
    sam = people("sam", mortal)
    sam.open_thread(stuck(mortal, sam))
    choose(sam, "ran")
    expect(sam.test_id("stuck-result")).to_be_visible()
    sam.page.add_style_tag(content=STILL)
    found = {}
    for scheme in ("light", "dark"):
        in_colours(sam, scheme)
        found[scheme] = findings(sam)
    assert found == {"light": [], "dark": []}
