"""What has to look alarming: a verdict that was not kept, and a log that is not what was signed."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import flipping
from tests.browser.conftest import Complaints, SignIn
from tests.serving import Server

# The pages are closed after the server that a test began itself.
GONE = r"WebSocket connection to .* failed|ERR_CONNECTION|net::ERR_"
TRIGGERS = ("ledger_next", "ledger_no_update", "ledger_no_delete")


@pytest.fixture
def flipped(built_frontend: Path, tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A server, and the file that opens its agent's gate."""
    (tmp_path / "console.toml").write_text(flipping.SETTINGS)
    file = tmp_path / "flipped"
    with Server(tmp_path / "data", cwd=tmp_path, env={flipping.FILE: str(file)}) as started:
        yield started, file


def test_ada_closes_the_alarm_of_what_ran_although_it_was_rejected(
    flipped: tuple[Server, Path], people: SignIn
) -> None:
    server, file = flipped
    sam, ada = people("sam", server), people("ada", server)
    ref = sam.start('[["charge", {"amount": 5}]]')
    sam.open_thread(ref)
    ada.open_thread(ref)
    file.touch()
    sam.choose(0, "reject")
    sam.explain(0, "Not this one")
    sam.submit()
    for each in (sam, ada):
        expect(each.test_id("alarm-panel")).to_contain_text("What ran is not what was decided")
    expect(sam.test_id("alarm-by-admin")).to_be_visible()
    expect(sam.test_id("close-alarm")).to_have_count(0)
    expect(sam.row(ref)).to_be_visible()

    ada.test_id("close-alarm").click()
    expect(ada.test_id("close-alarm-confirm")).to_be_visible()
    ada.test_id("alarm-reason").fill("Paid back by hand")
    ada.test_id("close-alarm-confirm").click()
    for each in (ada, sam):
        expect(each.test_id("alarm-closed")).to_contain_text("ada")
        expect(each.row(ref)).to_have_count(0)

    (entry,) = ada.read("/audit?kind=mismatch_closed")["items"]
    assert (entry["actor"], "Paid back by hand" in entry["what"]) == ("ada", True)
    review = ada.read(f"/reviews/{entry['review_id']}")
    assert (review["status"], review["closed_by"]) == ("mismatch", "ada")


@pytest.fixture(scope="module")
def signed(built_frontend: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The data of a demo that was stopped, and how many entries its last head covers."""
    with Server(tmp_path_factory.mktemp("signed") / "data") as started:
        pass
    with closing(sqlite3.connect(started.data / "console.db")) as database:
        (size,) = database.execute("SELECT max(seq) FROM ledger").fetchone()
    return started.data, size


def tampered(signed: tuple[Path, int], folder: Path, *statements: str) -> Server:
    """A server over a copy, which somebody changed while it was not looking."""
    shutil.copytree(signed[0], folder / "data")
    with closing(sqlite3.connect(folder / "data" / "console.db")) as database, database:
        for name in TRIGGERS:
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)
    return Server(folder / "data")


def test_an_entry_that_was_changed_is_named_as_the_first_bad_one(
    signed: tuple[Path, int], tmp_path: Path, people: SignIn, complaints: Complaints
) -> None:
    complaints.tolerate(GONE)
    changed = "UPDATE ledger SET body = replace(body, '\"v\":1', '\"v\":2') WHERE seq = 3"
    with tampered(signed, tmp_path, changed) as server:
        ada = people("ada", server).open("/audit")
        ada.test_id("verify").click()
        ada.test_id("verify-deep").click()
        result = ada.test_id("verify-result")
        expect(result).to_have_attribute("data-state", "broken")
        expect(result).to_contain_text("Broken at entry 3")
        expect(result).to_contain_text("Its bytes do not hash to what is chained.")
        row = ada.page.locator('[data-testid="audit-row"][data-kind="verified"]').first
        expect(row).to_contain_text("broken")


def test_a_log_that_was_cut_is_no_longer_signed_and_says_so(
    signed: tuple[Path, int], tmp_path: Path, people: SignIn, complaints: Complaints
) -> None:
    complaints.tolerate(GONE)
    size = signed[1]
    cut = [f"DELETE FROM {table} WHERE seq > {size - 20}" for table in ("ledger", "ledger_facet")]
    with tampered(signed, tmp_path, *cut) as server:
        ada = people("ada", server).open("/audit")
        expect(ada.page.get_by_text("no head is signed any more").first).to_be_visible()
        ada.test_id("verify").click()
        ada.test_id("verify-fast").click()
        result = ada.test_id("verify-result")
        expect(result).to_have_attribute("data-state", "cut")
        expect(result).to_contain_text("Cut or rolled back")
        expect(result).to_contain_text(
            re.compile(rf"A head of {size} entries was signed, and the log has \d+\.")
        )
