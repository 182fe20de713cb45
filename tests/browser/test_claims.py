"""Two people and one review: who has it is seen at once and binds nobody; and what a row says needs doing."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.browser.trouble import poisoned
from tests.serving import Server


def story(ada: Desk, review_id: str) -> list[tuple[str, str]]:
    """(kind, who) of people's acts on the review, oldest first."""
    found = ada.read(f"/audit?review={review_id}&limit=200")["items"]
    return [(each["kind"], each["actor"]) for each in reversed(found) if each["actor"] != "worker"]


def test_a_review_is_taken_seen_by_the_other_and_given_back(people: SignIn) -> None:
    sam, sue, ada = people("sam"), people("sue"), people("ada")
    ref = sam.start("Refund A-2048 699")
    for each in (sam, sue):
        each.open_thread(ref)
        expect(each.test_id("take-review")).to_be_visible()
    sue.choose(0, "reject")
    place = sue.card(0).bounding_box()

    sam.test_id("take-review").click()
    expect(sam.test_id("give-back-review")).to_be_visible()
    for each in (sam, sue):
        expect(each.test_id("claimed-by")).to_contain_text("sam has it since")
        expect(each.row(ref).get_by_test_id("claim")).to_contain_text("sam has it")
    expect(sue.test_id("take-review")).to_have_count(0)
    expect(sue.test_id("give-back-review")).to_have_count(0)
    expect(sue.card(0).get_by_test_id("decision-reject")).to_be_checked()
    assert sue.card(0).bounding_box() == place  # nothing moved under sue's pointer

    sam.test_id("give-back-review").click()
    expect(sue.test_id("take-review")).to_be_visible()
    expect(sue.row(ref).get_by_test_id("claim")).to_have_count(0)

    sam.test_id("take-review").click()
    expect(sue.test_id("claimed-by")).to_be_visible()
    sue.submit()
    sue.expect_settled()
    for each in (sam, sue):
        expect(each.test_id("claimed-by")).to_have_count(0)
    (review,) = sam.reviews(ref, "settled")
    told = story(ada, review["id"])
    assert sorted(told[:2]) == [("viewed", "sam"), ("viewed", "sue")]
    assert [each for each in told if each[0] != "viewed"] == [
        ("claimed", "sam"),
        ("released", "sam"),
        ("claimed", "sam"),
        ("decided", "sue"),
    ]
    (decided,) = ada.read(f"/audit?review={review['id']}&kind=decided")["items"]
    assert decided["body"]["ms_open"] > 0


def test_those_who_do_not_decide_see_who_has_it_and_are_offered_nothing(people: SignIn) -> None:
    sam, quinn = people("sam"), people("quinn")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    quinn.open_thread(ref)
    expect(quinn.test_id("take-review")).to_have_count(0)
    sam.test_id("take-review").click()
    expect(quinn.test_id("claimed-by")).to_contain_text("sam has it since")
    expect(quinn.test_id("give-back-review")).to_have_count(0)


def test_the_row_of_a_poisoned_thread_asks_for_repair_until_it_is_repaired(
    server: Server, people: SignIn
) -> None:
    sam, ada = people("sam"), people("ada")
    ref = poisoned(server, sam, "Refund A-2048 699")
    expect(sam.row(ref)).to_contain_text("needs repair")
    expect(sam.row(ref)).not_to_contain_text("waiting")
    ada.open_thread(ref)
    ada.test_id("repair").click()
    ada.test_id("repair-confirm").click()
    expect(sam.row(ref)).to_contain_text(re.compile("waiting"))
    expect(sam.row(ref)).not_to_contain_text("needs repair")
