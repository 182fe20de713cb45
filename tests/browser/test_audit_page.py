"""The log on its page: newest first; asked, decided and executed side by side; live, and by role."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.serving import Server


def entry(desk: Desk, kind: str, review_id: str) -> Locator:
    return desk.page.locator(f'[data-testid="audit-row"][data-kind="{kind}"]').filter(has_text=review_id[:8])


def numbers(desk: Desk) -> list[int]:
    found = desk.test_id("audit-row").evaluate_all("rows => rows.map(row => row.dataset.seq)")
    return [int(text.replace(",", "")) for text in found]


def test_ada_reads_who_decided_what_and_what_came_of_it(server: Server, people: SignIn) -> None:
    ada, sam = people("ada").open("/audit"), people("sam")
    expect(ada.test_id("audit-row").first).to_be_visible()
    ref = sam.start("Refund A-2048 699 and refund A-2049 450 and text the customer")
    (review,) = sam.reviews(ref)
    edited = {
        "type": "edit",
        "edited_action": {"name": "refund_order", "args": {"order_id": "A-2048", "amount": 499}},
    }
    rejected = {"type": "reject", "message": "Ask for a photo first"}
    answer = sam.decide(review, edited, rejected, {"type": "approve"})
    assert answer.status == 202, answer.text()
    sam.wait_for(ref, "idle")

    # Without a reload: the page follows the log.
    decided, settled = entry(ada, "decided", review["id"]), entry(ada, "settled", review["id"])
    expect(settled).to_be_visible()
    order = ada.test_id("audit-row").evaluate_all("rows => rows.map(row => row.dataset.kind)")
    assert order.index("settled") < order.index("dispatched") < order.index("decided") < order.index("opened")
    assert numbers(ada) == sorted(numbers(ada), reverse=True)

    expect(decided).to_contain_text("sam")
    expect(decided.locator("time")).to_have_attribute(
        "datetime", re.compile(r"^\d{4}-\d\d-\d\dT.*(Z|\+00:00)$")
    )
    decided.click()
    sides = ada.test_id("audit-sides")
    expect(sides.locator("thead th")).to_have_text(["", "Proposed", "Decided", "Executed"])
    first, second, third = (sides.locator("tbody").nth(at) for at in range(3))
    expect(first.locator("tr", has_text="amount").locator("td")).to_have_text(["amount", "699", "499", "499"])
    expect(first).to_contain_text("Edited")
    expect(first).to_contain_text("ran")
    expect(second).to_contain_text("Rejected")
    expect(second).to_contain_text("Ask for a photo first")
    expect(second).to_contain_text("did not run")
    expect(second.locator("tr", has_text="amount").locator("td")).to_have_text(["amount", "450", "", ""])
    expect(third).to_contain_text("Approved")
    expect(third).to_contain_text("send_sms")


def test_a_filter_leaves_what_was_asked_for(people: SignIn) -> None:
    ada, sam = people("ada"), people("sam")
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    assert sam.decide(review, {"type": "reject"}).status == 202
    sam.wait_for(ref, "idle")
    ada.open("/audit")
    expect(entry(ada, "decided", review["id"])).to_be_visible()
    ada.page.get_by_role("search").get_by_label("Event").fill("decided")
    ada.test_id("audit-filter").click()
    expect(entry(ada, "opened", review["id"])).to_have_count(0)
    expect(entry(ada, "decided", review["id"])).to_be_visible()
    shown = ada.test_id("audit-row").evaluate_all("rows => rows.map(row => row.dataset.kind)")
    assert set(shown) == {"decided"}


def test_a_supervisor_reads_own_acts_only(people: SignIn) -> None:
    sam, sue = people("sam"), people("sue")
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    assert sam.decide(review, {"type": "reject"}).status == 202
    sam.wait_for(ref, "idle")
    for each in (sam, sue):
        each.open("/audit")
        expect(each.test_id("audit-row").first).to_be_visible()
    expect(entry(sam, "decided", review["id"])).to_be_visible()
    expect(sue.test_id("audit-row").filter(has_text=review["id"][:8])).to_have_count(0)
