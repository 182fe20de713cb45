"""The login page, its demo buttons, and tabs whose session has ended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.serving import Server


@pytest.mark.parametrize(("name", "role"), [("sam", "supervisor"), ("quinn", "qa"), ("ada", "admin")])
def test_one_click_signs_a_demo_person_in(server: Server, people: SignIn, name: str, role: str) -> None:
    desk = people("nobody").open("/login")
    desk.test_id(f"demo-login-{name}").click()
    expect(desk.page).to_have_url(f"{server.base_url}/")
    desk.test_id("account").click()
    expect(desk.test_id("who")).to_have_text(re.compile(rf"{name}\s*{role}", re.IGNORECASE))
    (cookie,) = desk.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert desk.page.evaluate("() => document.cookie") == ""


def test_a_wrong_password_says_so_and_opens_nothing(server: Server, people: SignIn) -> None:
    desk = people("nobody").open("/login")
    desk.test_id("login-user").fill("sam")
    desk.test_id("login-password").fill("guess")
    desk.test_id("login-submit").click()
    expect(desk.test_id("login-message")).to_contain_text("Name or password is wrong")
    expect(desk.page).to_have_url(re.compile("/login"))
    assert desk.page.context.cookies() == []


def test_signing_out_ends_every_tab_of_the_browser(server: Server, people: SignIn) -> None:
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open()
    other = sam.page.context.new_page()
    other.goto(f"/threads/{ref}")
    expect(other.get_by_test_id("action-card")).to_have_count(1)

    sam.test_id("account").click()
    sam.test_id("sign-out").click()
    expect(sam.page).to_have_url(re.compile("/login"))
    expect(sam.page.get_by_text("A-2048")).to_have_count(0)

    # Without a step of its own.
    expect(other).to_have_url(re.compile("/login"))
    expect(other.get_by_text("A-2048")).to_have_count(0)
    other.go_back()
    expect(other.get_by_text("A-2048")).to_have_count(0)

    sue = people("sue")
    (review,) = sue.reviews(ref)
    assert sue.decide(review, {"type": "reject"}).status == 202


def test_a_tab_of_the_former_person_does_not_become_the_next_ones(server: Server, people: SignIn) -> None:
    """sam's tab stays open while quinn signs in beside it, in the same browser."""
    sam = people("sam")
    ref = sam.start("Refund A-2048 699")
    sam.open_thread(ref)
    beside = sam.page.context.new_page()
    beside.goto("/login")
    beside.get_by_test_id("demo-login-quinn").click()
    expect(beside).to_have_url(f"{server.base_url}/")
    expect(beside.get_by_test_id("queue-row").first).to_be_visible()

    expect(sam.test_id("submit-verdict")).to_have_count(0)
    expect(sam.page).to_have_url(re.compile("/login"))
    expect(sam.page.get_by_text("A-2048")).to_have_count(0)
    sue = people("sue")
    (review,) = sue.reviews(ref)
    assert sue.decide(review, {"type": "reject"}).status == 202
