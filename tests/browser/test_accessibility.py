"""axe finds nothing serious or critical on the pages, in light and in dark colours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.browser.desk import Desk

GRAVE = ("serious", "critical")


def findings(desk: Desk) -> list[str]:
    found = Axe().run(desk.page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['impact']} {each['id']}: {node['target']} {node['html'][:160]}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"


def in_colours(desk: Desk, scheme: str) -> None:
    """The page follows the system's colours until somebody chooses."""
    desk.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(desk.page.locator("html")).to_have_class(scheme)


def login(people: SignIn) -> Desk:
    nobody = people("nobody").open("/login?failed=1")
    expect(nobody.test_id("login-message")).to_contain_text("wrong")
    return nobody


def paused(people: SignIn) -> Desk:
    sam = people("sam")
    sam.open_thread(sam.start("Look up A-2048 and refund 699 and text the customer"))
    expect(sam.test_id("action-card")).to_have_count(2)
    sam.choose(0, "edit")
    sam.type_into(0, "/amount", "many")
    expect(sam.field_error(0, "/amount")).to_be_visible()
    sam.choose(1, "reject")
    sam.card(0).get_by_test_id("agent-words").locator("summary").click()
    return sam


def settled(people: SignIn) -> Desk:
    sam = people("sam")
    ref = sam.start("Refund A-4040 300")
    sam.open_thread(ref)
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    expect(sam.test_id("notice")).to_contain_text("Verdict recorded")
    return sam


def watching(people: SignIn) -> Desk:
    sam, quinn = people("sam"), people("quinn")
    quinn.open_thread(sam.start("Refund A-2048 699"))
    expect(quinn.panel.get_by_test_id("no-permission")).to_be_visible()
    return quinn


def log(people: SignIn) -> Desk:
    ada = people("ada").open("/audit")
    ada.page.locator('[data-testid="audit-row"][data-kind="settled"]').first.click()
    expect(ada.test_id("audit-sides")).to_be_visible()
    return ada


@pytest.mark.parametrize(
    "screen", [login, paused, settled, watching, log], ids=lambda screen: screen.__name__
)
def test_nothing_serious_or_critical(people: SignIn, screen: Callable[[SignIn], Desk]) -> None:
    desk = screen(people)
    # Colours that fade are measured half-way otherwise.
    desk.page.add_style_tag(content=STILL)
    found = {}
    for scheme in ("light", "dark"):
        in_colours(desk, scheme)
        found[scheme] = findings(desk)
    assert found == {"light": [], "dark": []}
