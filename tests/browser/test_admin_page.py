"""ada adds a person, gives them a token and another role, and disables them; the others see none of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk
from tests.browser.test_accessibility import STILL, findings, in_colours


def opened(ada: Desk, name: str) -> None:
    ada.page.locator(f'[data-testid="user-row"][data-user="{name}"]').get_by_role("link").click()
    expect(ada.test_id("opened-name")).to_have_text(name)


def added(ada: Desk, name: str, role: str = "qa") -> None:
    ada.open("/admin")
    ada.test_id("add-name").fill(name)
    ada.test_id("add-role").select_option(role)
    ada.test_id("add-password").fill("demo")
    ada.test_id("add-submit").click()
    expect(ada.test_id("notice")).to_contain_text(f"{name} was added")
    expect(ada.test_id("add-name")).to_have_value("")
    opened(ada, name)


def test_a_role_is_changed_only_after_a_question_whose_focus_is_on_cancel(people: SignIn) -> None:
    ada = people("ada")
    added(ada, "rolf")
    rolf = people("rolf")
    assert rolf.call("GET", "/reviews").status == 200
    ada.page.reload()
    expect(ada.test_id("session-row")).to_have_count(1)
    expect(ada.test_id("role-change")).to_be_disabled()
    ada.test_id("role-choice").select_option("supervisor")
    ada.test_id("role-change").click()
    expect(ada.test_id("role-dialog")).to_contain_text("rolf becomes supervisor")
    expect(ada.test_id("role-cancel")).to_be_focused()
    ada.test_id("role-cancel").click()
    assert rolf.call("GET", "/reviews").status == 200
    ada.test_id("role-change").click()
    ada.test_id("role-confirm").click()
    expect(ada.test_id("opened-role")).to_have_text("supervisor")
    expect(ada.page.get_by_text("Signed in nowhere.")).to_be_visible()
    assert rolf.call("GET", "/reviews").status == 401


def test_a_person_who_is_disabled_while_connected_is_sent_away(people: SignIn) -> None:
    ada = people("ada")
    added(ada, "dora", "supervisor")
    dora = people("dora").open()
    expect(dora.test_id("queue-count")).to_be_visible()
    ada.test_id("disable").click()
    expect(ada.test_id("disable-cancel")).to_be_focused()
    ada.test_id("disable-confirm").click()
    expect(ada.test_id("enable")).to_be_visible()
    expect(dora.page).to_have_url("/login")
    ada.test_id("enable").click()
    expect(ada.test_id("disable")).to_be_visible()


def test_a_token_is_shown_once_and_revoked(people: SignIn) -> None:
    ada = people("ada")
    added(ada, "toni", "supervisor")
    ada.test_id("token-label").fill("report")
    ada.test_id("token-make").click()
    token = ada.test_id("token-made").inner_text()
    assert token.startswith("rc_")
    bearer = {"authorization": f"Bearer {token}"}
    assert ada.call("GET", "/reviews", **bearer).status == 200
    assert ada.call("POST", "/threads", {"source": "support", "message": "hello"}, **bearer).status == 403
    ada.page.reload()
    expect(ada.test_id("token-row")).to_contain_text("report")
    expect(ada.test_id("token-made")).to_have_count(0)
    assert token not in ada.page.content()
    ada.test_id("token-revoke").click()
    ada.test_id("token-revoke-confirm").click()
    expect(ada.test_id("token-row")).to_contain_text("Revoked")
    assert ada.call("GET", "/reviews", **bearer).status == 401


def test_the_last_admin_stays(people: SignIn) -> None:
    ada = people("ada").open("/admin")
    opened(ada, "ada")
    ada.test_id("disable").click()
    ada.test_id("disable-confirm").click()
    expect(ada.test_id("notice")).to_contain_text("last admin")
    expect(ada.test_id("disable")).to_be_visible()


@pytest.mark.parametrize("name", ["sam", "quinn"])
def test_the_others_are_told_that_it_is_not_for_them(people: SignIn, name: str) -> None:
    other = people(name).open("/admin")
    expect(other.test_id("no-permission")).to_contain_text("Administration is for admins.")
    expect(other.test_id("user-row")).to_have_count(0)
    expect(other.page.get_by_role("link", name="Admin")).to_have_count(0)


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_serious_or_critical_and_nothing_wider_than_the_window(people: SignIn, width: int) -> None:
    ada = people("ada", viewport={"width": width, "height": 900}).open("/admin")
    expect(ada.test_id("add-name")).to_be_visible()
    ada.page.add_style_tag(content=STILL)
    for scheme in ("light", "dark"):
        in_colours(ada, scheme)
        assert findings(ada) == []
    opened(ada, "sam")
    expect(ada.test_id("token-make")).to_be_visible()
    for scheme in ("dark", "light"):
        in_colours(ada, scheme)
        assert findings(ada) == []
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= width
