"""The log on its page: newest first; one entry with its story and its three columns; live, and by role."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Complaints, SignIn
from tests.browser.desk import PASSWORD, Desk
from tests.serving import Server, environment

EDIT = {
    "type": "edit",
    "edited_action": {"name": "refund_order", "args": {"order_id": "A-2048", "amount": 499}},
}
REJECT = {"type": "reject", "message": "Ask for a photo first"}


def entry(desk: Desk, kind: str, review_id: str) -> Locator:
    return desk.page.locator(f'[data-testid="audit-row"][data-kind="{kind}"]').filter(has_text=review_id[:8])


def shown(desk: Desk, what: str) -> list[str]:
    return desk.test_id("audit-row").evaluate_all(f"rows => rows.map(row => row.dataset.{what})")  # type: ignore[no-any-return]


def decided(sam: Desk, text: str, *decisions: dict[str, object]) -> str:
    """The id of a review that sam has decided and that has come to its end."""
    ref = sam.start(text)
    (review,) = sam.reviews(ref)
    assert sam.decide(review, *decisions).status == 202
    sam.wait_for(ref, "idle")
    return str(review["id"])


def rejected(sam: Desk) -> str:
    return decided(sam, "Refund A-2048 699", {"type": "reject"})


def test_ada_reads_who_decided_what_and_what_came_of_it(people: SignIn) -> None:
    ada, sam = people("ada").open("/audit"), people("sam")
    expect(ada.test_id("audit-row").first).to_be_visible()
    request = "Refund A-2048 699 and refund A-2049 450 and text the customer"
    review = decided(sam, request, EDIT, REJECT, {"type": "approve"})

    # Without a reload: the page follows the log.
    expect(entry(ada, "settled", review)).to_be_visible()
    order = shown(ada, "kind")
    assert order.index("settled") < order.index("dispatched") < order.index("decided") < order.index("opened")
    numbers = [int(text.replace(",", "")) for text in shown(ada, "seq")]
    assert numbers == sorted(numbers, reverse=True)

    row = entry(ada, "decided", review)
    expect(row).to_contain_text("sam")
    expect(row.locator("time")).to_have_attribute("datetime", re.compile(r"^\d{4}-\d\d-\d\dT.*(Z|\+00:00)$"))
    row.click()
    expect(ada.page).to_have_url(re.compile(r"/audit\?entry=\d+$"))
    sides = ada.test_id("audit-sides")
    expect(sides.locator("thead th")).to_have_text(["Proposed", "Decided", "Executed"])
    first, second, third = (sides.locator("tbody").nth(at) for at in range(3))
    amounts = first.locator("tr", has_text="amount").locator("td")
    expect(amounts).to_have_text(["amount", "699", "Changed: 499", "As decided: 499"])
    expect(first).to_contain_text("Edited")
    expect(first).to_contain_text("ran")
    expect(second).to_contain_text("Rejected “Ask for a photo first”")
    expect(second).to_contain_text("did not run")
    expect(second.locator("tr", has_text="amount").locator("td")).to_have_text(["amount", "450", "", ""])
    expect(third).to_contain_text("send_sms")
    expect(ada.test_id("audit-proofs")).to_contain_text("Shown is what was stored")
    expect(ada.test_id("audit-proofs")).to_contain_text("Executed is what was decided")
    kinds = ada.test_id("audit-moment").evaluate_all("all => all.map(each => each.dataset.kind)")
    assert [kind for kind in kinds if kind not in ("viewed", "claimed")] == [
        "opened", "decided", "dispatched", "settled",
    ]  # fmt: skip


def test_every_filter_is_an_address_and_back_takes_it_away(people: SignIn) -> None:
    ada, sam = people("ada"), people("sam")
    review = rejected(sam)
    ada.open(f"/audit?review={review}")
    expect(entry(ada, "opened", review)).to_be_visible()
    assert set(shown(ada, "kind")) >= {"opened", "decided", "settled"}
    expect(ada.test_id("filter-pin")).to_contain_text(review)
    ada.test_id("filter-kind").select_option("decided")
    expect(ada.page).to_have_url(re.compile(rf"kind=decided&review={review}$"))
    expect(ada.test_id("audit-row")).to_have_count(1)
    expect(entry(ada, "decided", review)).to_be_visible()
    ada.page.go_back()
    expect(entry(ada, "opened", review)).to_be_visible()
    expect(ada.test_id("filter-kind")).to_have_value("")
    ada.test_id("audit-clear").click()
    expect(ada.page).to_have_url(re.compile("/audit$"))
    expect(ada.test_id("filter-pin")).to_have_count(0)

    ada.test_id("audit-search").fill(review)
    ada.page.keyboard.press("Enter")
    expect(ada.page).to_have_url(re.compile(f"q={review}"))
    expect(ada.test_id("audit-row").filter(has_not_text=review[:8])).to_have_count(0)
    ada.open("/audit?kind=no_such_kind")
    expect(ada.page.get_by_text("No entry matches")).to_be_visible()


def test_a_time_is_typed_in_ones_own_zone_and_stands_in_the_address_as_utc(people: SignIn) -> None:
    ada = people("ada", timezone_id="Asia/Tokyo").open("/audit")
    expect(ada.page.get_by_role("columnheader", name="Time, UTC+9")).to_be_visible()
    ada.test_id("filter-time").click()
    ada.page.get_by_label("From, in your time zone").fill("2026-07-14T00:30")
    ada.test_id("filter-time-show").click()
    expect(ada.page).to_have_url(re.compile(r"since=2026-07-13T15%3A30%3A00.000Z"))
    expect(ada.test_id("filter-time")).to_contain_text("14 Jul 2026, 00:30 to now")


def test_by_keyboard_alone(people: SignIn) -> None:
    ada, sam = people("ada"), people("sam")
    review = rejected(sam)
    ada.open(f"/audit?review={review}")
    expect(entry(ada, "opened", review)).to_be_visible()
    ada.expect_keys()
    press = ada.page.keyboard.press
    links = ada.test_id("audit-row").locator("a")
    press("j")
    press("j")
    press("k")
    expect(links.first).to_be_focused()
    press("Enter")
    expect(links.first).to_have_attribute("aria-expanded", "true")
    expect(ada.test_id("audit-detail")).to_be_visible()
    press("Escape")
    expect(ada.test_id("audit-detail")).to_have_count(0)
    press("/")
    ada.page.keyboard.type("jk")
    expect(ada.test_id("audit-search")).to_have_value("jk")


def test_new_entries_wait_while_the_pointer_is_in_the_list(people: SignIn) -> None:
    sam, ada = people("sam"), people("ada").open("/audit")
    first = ada.test_id("audit-row").first
    expect(first).to_be_visible()
    ada.expect_keys()
    first.hover()
    before = shown(ada, "seq")
    review = rejected(sam)
    expect(ada.test_id("audit-new")).to_contain_text(re.compile(r"^\d+ new$"))
    assert shown(ada, "seq") == before
    ada.page.mouse.move(2, 2)
    expect(entry(ada, "settled", review)).to_be_visible()
    expect(ada.test_id("audit-new")).to_have_count(0)


def test_older_entries_are_pages_with_addresses(people: SignIn) -> None:
    ada, sam = people("ada"), people("sam")
    for _ in range(9):
        rejected(sam)
    ada.open("/audit")
    expect(ada.test_id("audit-row")).to_have_count(50)
    newest = shown(ada, "seq")
    ada.test_id("audit-older").click()
    expect(ada.test_id("audit-newest")).to_be_visible()
    older = [int(text.replace(",", "")) for text in shown(ada, "seq")]
    assert older[0] == int(newest[-1].replace(",", "")) - 1
    ada.test_id("audit-newest").click()
    expect(ada.test_id("audit-newest")).to_have_count(0)


def test_ada_verifies_the_log_and_may_leave_meanwhile(people: SignIn) -> None:
    ada, quinn = people("ada").open("/audit"), people("quinn")
    expect(ada.test_id("audit-row").first).to_be_visible()
    ada.test_id("verify").click()
    ada.test_id("verify-deep").click()
    ada.open("/")
    ada.open("/audit")
    result = ada.test_id("verify-result")
    expect(result).to_have_attribute("data-state", re.compile("^(intact|unsigned)$"))
    expect(result).to_contain_text(re.compile(r"Verified to #[\d,]+: every entry re-hashed and compared"))
    expect(result).to_contain_text("Checked by ada")
    verified = ada.page.locator('[data-testid="audit-row"][data-kind="verified"]').first
    expect(verified).to_contain_text("ada")
    quinn.open("/audit")
    expect(quinn.test_id("verify-result")).to_contain_text("Checked by ada")


def test_the_signed_head_can_be_taken_away(people: SignIn) -> None:
    ada = people("ada").open("/audit")
    ada.test_id("copy-head").click()
    expect(ada.test_id("head-note")).to_have_value(
        re.compile(r"^review-console/\w+\n\d+\n[\w+/=]+\n\n— review-console ")
    )


def exported(ada: Desk, form: str) -> str:
    ada.test_id("export").click()
    with ada.page.expect_download() as waiting:
        ada.test_id(f"export-{form}").click()
    text = Path(waiting.value.path()).read_text()
    ada.page.keyboard.press("Escape")
    return text


def test_a_file_holds_what_the_filters_leave(people: SignIn) -> None:
    ada, sam = people("ada"), people("sam")
    review = rejected(sam)
    ada.open(f"/audit?kind=decided&review={review}")
    expect(ada.test_id("audit-row")).to_have_count(1)
    lines = [json.loads(line) for line in exported(ada, "jsonl").splitlines()]
    assert [review in json.dumps(line) and "decided" in json.dumps(line) for line in lines].count(True) >= 1
    rows = [row for row in csv.reader(io.StringIO(exported(ada, "csv"))) if review in row]
    assert len(rows) == 1
    assert "decided" in rows[0]
    expect(ada.page).to_have_url(re.compile("/audit"))


def test_quinn_reads_everything_and_can_neither_check_nor_export(
    people: SignIn, complaints: Complaints
) -> None:
    quinn, sam = people("quinn"), people("sam")
    review = rejected(sam)
    quinn.open(f"/audit?review={review}")
    entry(quinn, "decided", review).click()
    expect(quinn.test_id("audit-timeline")).to_be_visible()
    expect(quinn.test_id("prove-why-not")).to_contain_text("for admins")
    for handle in ("verify", "export", "copy-head"):
        expect(quinn.test_id(handle)).to_have_count(0)
    complaints.tolerate("403")
    assert quinn.call("GET", "/audit/export?format=csv").status == 403


def test_a_supervisor_reads_own_acts_only(people: SignIn) -> None:
    sam, sue, ada = people("sam"), people("sue"), people("ada")
    review = rejected(sam)
    for each in (sam, sue):
        each.open("/audit")
        expect(each.test_id("audit-row").first).to_be_visible()
        expect(each.test_id("verify-result")).to_have_count(0)
    expect(entry(sam, "decided", review)).to_be_visible()
    expect(sue.test_id("audit-row").filter(has_text=review[:8])).to_have_count(0)
    number = ada.read(f"/audit?kind=decided&review={review}")["items"][0]["seq"]
    sue.open(f"/audit?entry={number}")
    expect(sue.test_id("audit-lost")).to_contain_text("no such entry")
    expect(sue.test_id("audit-detail")).to_have_count(0)


def test_mallory_sees_that_there_is_nothing_to_see(server: Server, people: SignIn) -> None:
    add = ["users", "add", "mallory", "--role", "none", "--password-stdin", "--data", str(server.data)]
    command = [sys.executable, "-m", "console", *add]
    subprocess.run(command, input=PASSWORD, text=True, check=True, env=environment(), capture_output=True)
    mallory = people("mallory").open("/audit")
    expect(mallory.test_id("no-permission")).to_be_visible()
    expect(mallory.test_id("audit-row")).to_have_count(0)
    expect(mallory.test_id("audit-search")).to_have_count(0)
