"""A power cut, a reload, a second browser: what waits is still there, and the decision still works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.conftest import Complaints, SignIn
from tests.browser.desk import Desk
from tests.serving import Server

GONE = r"WebSocket connection to .* failed|ERR_CONNECTION|net::ERR_"


@pytest.fixture(scope="module")
def mortal(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server to be killed, always to be started again by who killed it."""
    with Server(tmp_path_factory.mktemp("mortal") / "data") as started:
        yield started


def queue(desk: Desk) -> list[str | None]:
    return [row.get_attribute("data-review") for row in desk.rows.all()]


def test_after_a_kill_the_queue_is_the_same_and_the_decision_works(
    mortal: Server, people: SignIn, complaints: Complaints
) -> None:
    sam, sue = people("sam", mortal), people("sue", mortal)
    refs = [
        sam.start(text)
        for text in ("Refund A-2048 699", "Refund A-2049 450 and text the customer", "退款 A-2050 520 元")
    ]
    sam.open_thread(refs[1])
    sue.open()
    for each in (sam, sue):
        expect(each.rows).to_have_count(3)
    before = queue(sam)

    complaints.tolerate(GONE)
    mortal.kill9()
    lost = sam.page.get_by_text("Connection lost")
    expect(lost).to_be_visible()
    mortal.start()
    expect(lost).to_have_count(0)

    # sam has touched nothing; sue reloads.
    sue.page.reload()
    for each in (sam, sue):
        expect(each.rows).to_have_count(3)
        expect(each.test_id("queue-count")).to_have_text("3")
        assert queue(each) == before
    expect(sam.messages("human")).to_contain_text("Refund A-2049 450 and text the customer")
    expect(sam.test_id("action-card")).to_have_count(2)
    assert shop.refunds(mortal, refs[1]) == []
    sam.choose(0, "approve")
    sam.choose(1, "reject")
    sam.submit()
    sam.expect_settled()
    assert shop.refunds(mortal, refs[1]) == [("A-2049", 450.0)]
    for each in (sam, sue):
        expect(each.rows).to_have_count(2)

    # And what begins after the restart reaches everybody as before.
    ref = sue.start("Refund A-2048 300")
    expect(sam.row(ref)).to_have_count(1)


def test_after_a_kill_right_behind_the_decision_the_refund_happens_once(
    mortal: Server, people: SignIn
) -> None:
    sam = people("sam", mortal)
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    assert sam.decide(review, {"type": "approve"}).status == 202
    mortal.kill9()
    mortal.start()
    sam.open_thread(ref)
    sam.expect_settled()
    expect(sam.card(0).get_by_test_id("outcome")).to_have_text("ran")
    assert shop.refunds(mortal, ref) == [("A-2048", 699.0)]


def test_a_reload_and_a_second_browser_show_chat_and_pending_review(server: Server, people: SignIn) -> None:
    sam = people("sam").open()
    ref = sam.begin("Look up order A-2048 and refund 699")
    sam.expect_status("paused")
    sam.page.reload()
    again, sue = people("sam"), people("sue")
    again.open_thread(ref)
    sue.open()
    sue.row(ref).click()
    for each in (sam, again, sue):
        expect(each.messages("human")).to_contain_text("Look up order A-2048 and refund 699")
        expect(each.tool_call("get_order")).to_contain_text("wireless headphones")
        expect(each.messages("ai")).to_have_count(2)
        expect(each.argument(0, "/amount")).to_contain_text("699")
        expect(each.test_id("chat-input")).to_be_disabled()
    again.choose(0, "approve")
    again.submit()
    for each in (sam, again, sue):
        each.expect_settled()
        expect(each.messages("ai").last).to_contain_text("699 CNY has been refunded")
    assert shop.refunds(server, ref) == [("A-2048", 699.0)]


def test_an_unknown_thread_is_said_to_be_unknown(people: SignIn) -> None:
    sam = people("sam").open("/threads/no-such-thread")
    expect(sam.page.get_by_text("There is no such thread").first).to_be_visible()
    expect(sam.test_id("action-card")).to_have_count(0)
