"""`python -m tests.shots`: pictures of every page and state, from a demo of their own, into docs/shots/."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.browser.desk import Desk
from tests.chromium import find_or_install
from tests.conftest import CHROMIUM_FLAGS
from tests.png import with_palette
from tests.serving import ROOT, Server

SHOTS = ROOT / "docs" / "shots"
SCHEMES = ("light", "dark")
WIDE: ViewportSize = {"width": 1440, "height": 900}
MIDDLE: ViewportSize = {"width": 1024, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
TWO_ACTIONS = "Refund A-2048 699 and text the customer"
STILL = (
    "*, *::before, *::after "
    "{ transition: none !important; animation: none !important; caret-color: transparent !important; }"
)


class Camera:
    def __init__(self, browser: Browser, server: Server) -> None:
        self._browser = browser
        self._server = server
        self.taken: list[Path] = []

    def person(self, name: str, size: ViewportSize = WIDE, **options: Any) -> Desk:
        """In UTC, so that a picture does not depend on where it is taken."""
        made = self._browser.new_context(
            base_url=self._server.base_url, viewport=size, timezone_id="UTC", locale="en-GB", **options
        )
        desk = Desk(name, made.new_page())
        if name != "nobody":
            desk.sign_in()
        return desk

    def take(self, page: Page, name: str, schemes: tuple[str, ...] = SCHEMES) -> None:
        page.wait_for_load_state("networkidle")
        page.add_style_tag(content=STILL)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(page.locator("html")).to_have_class(scheme)
            file = SHOTS / f"{name}-{scheme}.png"
            file.write_bytes(with_palette(page.screenshot()))
            self.taken.append(file)


def login_and_empty(camera: Camera) -> None:
    nobody = camera.person("nobody").open("/login")
    expect(nobody.test_id("demo-login-sam")).to_be_visible()
    camera.take(nobody.page, "login")
    sam = camera.person("sam").open()
    expect(sam.page.get_by_text("Nothing is waiting")).to_be_visible()
    camera.take(sam.page, "queue-empty")


def fill_the_queue(sam: Desk) -> str:
    """Four that wait; the two-action one is what the pictures are of."""
    sam.start("Ask your supervisor whether A-2050 may be returned after 40 days")
    ref = sam.start(f"Look up order A-2048 and {TWO_ACTIONS[0].lower()}{TWO_ACTIONS[1:]}")
    sam.start("把 A-2049 的收货地址改为 上海市静安区南京西路 100 号")
    sam.start("Refund A-2049 450")
    return ref


def desk(camera: Camera, ref: str) -> None:
    sam = camera.person("sam").open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    camera.take(sam.page, "desk")
    sam.choose(0, "edit")
    sam.type_into(0, "/amount", "499")
    expect(sam.field(0, "/amount").get_by_test_id("diff")).to_be_visible()
    sam.choose(1, "reject")
    sam.explain(1, "They asked us not to text")
    camera.take(sam.page, "edit")


def smaller(camera: Camera, ref: str) -> None:
    sam = camera.person("sam", MIDDLE).open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    camera.take(sam.page, "desk-1024", ("light",))
    sam = camera.person("sam", PHONE, is_mobile=True, has_touch=True).open_thread(ref)
    expect(sam.test_id("action-card")).to_have_count(2)
    for name in ("Queue", "Chat", "Review"):
        tab = sam.page.get_by_role("group", name="Panes").get_by_role("button", name=name)
        tab.tap()
        expect(tab).to_have_attribute("aria-pressed", "true")
        camera.take(sam.page, f"desk-390-{name.lower()}", ("light",))


def settled_and_log(camera: Camera, ref: str) -> None:
    sam = camera.person("sam").open_thread(ref)
    sam.choose(0, "edit")
    sam.type_into(0, "/amount", "499")
    sam.choose(1, "reject")
    sam.explain(1, "They asked us not to text")
    sam.submit()
    sam.expect_settled()
    sam.expect_status("idle")
    camera.take(sam.page, "settled")
    ada = camera.person("ada").open("/audit")
    entry = ada.page.locator('[data-testid="audit-row"][data-kind="decided"]').first
    entry.click()
    expect(ada.test_id("audit-sides")).to_be_visible()
    camera.take(ada.page, "audit")


def main() -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "data", env={"CONSOLE_DEMO_TOKEN_DELAY": "0"}) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_or_install(), args=list(CHROMIUM_FLAGS))
        camera = Camera(browser, server)
        login_and_empty(camera)
        ref = fill_the_queue(camera.person("sam"))
        desk(camera, ref)
        smaller(camera, ref)
        settled_and_log(camera, ref)
        browser.close()
    for file in camera.taken:
        sys.stdout.write(f"{file.relative_to(ROOT)} {file.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
