"""While nothing can be recorded every page says so and nobody can decide; then it goes on by itself."""

from __future__ import annotations

import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Complaints, SignIn
from tests.serving import Server


@pytest.fixture
def own(built_frontend: Path, tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data", env={"CONSOLE_DEMO_TOKEN_DELAY": "0"}) as started:
        yield started


@contextmanager
def lock(server: Server) -> Iterator[None]:
    """Another process, which this one is, holds the write lock."""
    with closing(sqlite3.connect(server.data / "console.db", isolation_level=None, timeout=30)) as database:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def kinds(server: Server, review_id: str) -> list[str]:
    with closing(sqlite3.connect(server.data / "console.db", timeout=30)) as database:
        found = database.execute(
            "SELECT kind FROM ledger_facet WHERE review_id = ? AND kind <> 'viewed' ORDER BY seq",
            (review_id,),
        )
        return [kind for (kind,) in found]


def test_a_lock_held_for_long_is_said_everywhere_and_the_verdict_then_goes_through(
    own: Server, people: SignIn, complaints: Complaints
) -> None:
    complaints.tolerate(r"503")
    sam, ada = people("sam", own), people("ada", own)
    ref = sam.start("Refund A-2048 699")
    (review,) = sam.reviews(ref)
    sam.open_thread(ref)
    ada.open("/audit")
    sam.choose(0, "approve")
    expect(sam.submit_button).to_be_enabled()
    with lock(own):
        for each in (sam, ada):
            banner = each.test_id("banner")
            expect(banner).to_have_attribute("role", "alert")
            expect(banner).to_contain_text("Database locked: the console is read-only.")
            expect(banner).to_contain_text("nothing is lost")
        expect(sam.submit_button).to_be_disabled()
        expect(sam.test_id("verdict-hint")).to_have_text("Read-only: no decision is accepted now.")
        answer = sam.decide(review, {"type": "approve"})
        assert answer.status == 503, answer.text()
        assert int(answer.headers["retry-after"]) > 0
        assert "No decision is accepted" in answer.json()["detail"]
        with urllib.request.urlopen(own.url("/ping"), timeout=5) as ping:
            assert ping.status == 200
        # Who comes now is told, too.
        sam.page.reload()
        expect(sam.test_id("banner")).to_be_visible()
        assert kinds(own, review["id"]) == ["opened"]
    for each in (sam, ada):
        expect(each.test_id("banner")).to_have_count(0)
    sam.choose(0, "approve")
    sam.submit()
    sam.expect_settled()
    assert kinds(own, review["id"]) == ["opened", "decided", "dispatched", "settled"]
