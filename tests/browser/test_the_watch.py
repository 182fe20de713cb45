"""Every walk relies on this: whatever a page complains about, or fetches elsewhere, makes its test fail."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Complaints
from tests.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = {
    "an eval": (
        "() => setTimeout(() => { try { Function('1')() } catch {} })",
        "policy violation: script-src",
    ),
    "an image from elsewhere": (
        "() => { document.body.append(Object.assign(new Image(), {src: 'http://evil.example/x.png'})) }",
        "foreign request: http://evil.example/x.png",
    ),
    "a request to elsewhere": (
        "() => { location.assign('http://127.0.0.1:9/elsewhere') }",
        "foreign request: http://127.0.0.1:9/elsewhere",
    ),
    "a console error": ("() => console.error('something broke')", "console error: something broke"),
    "an exception": ("() => setTimeout(() => { throw new Error('fell over') })", "page error: fell over"),
}


@pytest.mark.parametrize(("script", "complaint"), EVIL.values(), ids=list(EVIL))
def test_it_is_noticed(browser: Browser, server: Server, script: str, complaint: str) -> None:
    complaints = Complaints()
    context = browser.new_context(base_url=server.base_url)
    complaints.watch("sam", context, urlsplit(server.base_url).netloc)
    page = context.new_page()
    page.goto("/login")
    expect(page.get_by_test_id("login-user")).to_be_visible()
    assert complaints.left() == []
    page.evaluate(script)
    for _ in range(100):
        if complaints.left():
            break
        page.wait_for_timeout(50)
    assert any(complaint in text for text in complaints.left()), complaints.left()
    context.close()
