"""The log's page through the socket: what each role gets, what is refused, and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from console.domain.ledger import Kind
from console.features.audit import check_state
from console.features.audit.check import Checks
from console.features.audit.check_state import Check
from console.features.audit.state import Audit
from console.features.queue.state import Queue
from console.live.tab import Tab
from console.services import accounts, audit
from tests.services.world import World, wait_for
from tests.ui.pipeline import Pipeline


@pytest.fixture(autouse=True)
def checks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Checks]:
    """No check of another test; and none of this one runs on when its database is gone."""
    made = Checks()
    monkeypatch.setattr(check_state, "CHECKS", made)
    yield made
    wait_for(lambda: not made.now.running)


async def opened(pipeline: Pipeline, who: str, path: str = "/audit") -> Any:
    tab = pipeline.connect("tab", who)
    await pipeline.send(tab, Audit.load, path=path)
    return await pipeline.state(tab, Audit)


def refusals(desk: World) -> list[str]:
    rows = audit.log(desk.deps, accounts.OPERATOR, kind=Kind.DENIED, limit=50).items
    return [row.what for row in rows]


async def test_the_address_narrows_the_log(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "ada", "/audit?kind=login&actor=sam")
    assert {(each.kind, each.actor) for each in page.entries} == {("login", "sam")}
    assert page.narrow
    assert page.csv_href == "/api/v1/audit/export?actor=sam&kind=login&format=csv"


async def test_an_address_that_cannot_be_read_shows_no_entry(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "ada", "/audit?since=yesterday")
    assert (page.phase, page.entries) == ("error", [])


async def test_an_address_opens_an_entry_that_no_row_of_the_page_is(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "ada", "/audit?kind=login&entry=1")
    assert (page.open_seq, [each.seq for each in page.pinned]) == (1, [1])
    assert all(each.seq != 1 for each in page.entries)


async def test_an_entry_that_is_not_there_is_said_to_be_so(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "ada", "/audit?entry=999999")
    assert page.lost
    assert (page.open_seq, page.pinned) == (0, [])


async def test_opening_and_closing_leaves_the_rows_alone(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "ada")
    seq, before = page.entries[0].seq, page.entries
    page = await opened(pipeline, "ada", f"/audit?entry={seq}")
    assert page.open_seq == seq
    assert page.entries is before or page.entries == before
    page = await opened(pipeline, "ada")
    assert (page.open_seq, page.detail.seq) == (0, 0)


async def test_a_supervisor_gets_own_acts_and_no_proof(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "sue")
    assert {each.actor for each in page.entries} == {"sue"}
    assert (page.everything, page.proves) == (False, False)
    assert (await pipeline.state("tab", Check)).head.size == ""


async def test_a_supervisor_cannot_open_an_act_of_another_by_its_number(
    pipeline: Pipeline, desk: World
) -> None:
    others = desk.ledger(actor_name="ada")[0].seq
    page = await opened(pipeline, "sue", f"/audit?entry={others}")
    assert page.lost
    assert "ada" not in pipeline.sent_to("tab")


async def test_qa_reads_everything_and_hears_why_there_is_no_check(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "quinn")
    assert {"sam", "ada"} <= {each.actor for each in page.entries}
    assert (page.everything, page.proves) == (True, False)
    assert "for admins" in page.why_not


async def test_without_a_role_nothing_of_the_log_is_sent(pipeline: Pipeline) -> None:
    page = await opened(pipeline, "mallory")
    assert (page.phase, page.entries) == ("denied", [])
    assert "quinn" not in pipeline.sent_to("tab")


@pytest.mark.parametrize("who", ["quinn", "sam", "mallory"])
async def test_a_forged_check_does_not_start_and_stands_in_the_log(
    pipeline: Pipeline, desk: World, checks: Checks, who: str
) -> None:
    tab = pipeline.connect("tab", who)
    await pipeline.send(tab, Check.start, way="deep")
    await pipeline.send(tab, Check.follow)
    assert checks.now.turn == 0
    assert desk.ledger(kind=Kind.VERIFIED) == []
    assert refusals(desk) == ["Refused: called follow in the page", "Refused: called start in the page"]
    assert (await pipeline.state(tab, Tab)).notice_title == "Not allowed"


async def test_an_admins_check_runs_beside_the_page_and_is_recorded(
    pipeline: Pipeline, desk: World, checks: Checks
) -> None:
    await opened(pipeline, "ada")
    await pipeline.send("tab", Check.start, way="deep")
    wait_for(lambda: checks.now.report)
    await pipeline.send("tab", Check.follow)
    band = await pipeline.state("tab", Check)
    assert (band.running, band.result.state, band.result.by) == (False, "unsigned", "ada")
    (entry,) = desk.ledger(kind=Kind.VERIFIED)
    assert (entry.actor, entry.body["mode"]) == ("ada", "deep")


async def test_a_check_of_before_the_last_start_is_read_from_the_log(
    pipeline: Pipeline, checks: Checks, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(pipeline, "ada")
    await pipeline.send("tab", Check.start, way="fast")
    wait_for(lambda: checks.now.report)
    monkeypatch.setattr(check_state, "CHECKS", Checks())
    await opened(pipeline, "quinn")
    band = await pipeline.state("tab", Check)
    assert (band.result.state, band.result.by) == ("recorded", "ada")


async def test_a_choice_becomes_an_address(pipeline: Pipeline) -> None:
    await opened(pipeline, "ada")
    pipeline.events.clear()
    await pipeline.send("tab", Audit.pick, name="kind", value="login")
    assert [name for name in pipeline.asked_of("tab") if "redirect" in name] == ["_redirect"]


@pytest.mark.parametrize(
    ("handler", "payload"),
    [
        (Audit.pick, {"name": "cursor", "value": "x"}),
        (Audit.pick, {"name": "kind", "value": {"a": 1}}),
        (Audit.search, {"form": {"q": ["x"]}}),
        (Audit.between, {"form": {"since": "now"}}),
        (Audit.last, {"hours": 10**9}),
        (Check.start, {"way": "quick"}),
    ],
)
async def test_what_no_control_could_have_sent_changes_nothing(
    pipeline: Pipeline, checks: Checks, handler: Any, payload: dict[str, Any]
) -> None:
    page = await opened(pipeline, "ada")
    before, asked = page.entries, page.asked
    pipeline.events.clear()
    await pipeline.send("tab", handler, **payload)
    page = await pipeline.state("tab", Audit)
    assert (page.entries, page.asked, checks.now.turn) == (before, asked, 0)
    assert pipeline.asked_of("tab") == []


async def test_new_entries_wait_until_the_page_lets_them_in(pipeline: Pipeline, desk: World) -> None:
    page = await opened(pipeline, "ada")
    newest = page.entries[0].seq
    audit.refused(desk.deps, desk.cast["quinn"], "decide", "called submit")
    await pipeline.send("tab", Audit.refresh)
    page = await pipeline.state("tab", Audit)
    assert (page.waiting, page.entries[0].seq) == (1, newest)
    await pipeline.send("tab", Audit.show_new)
    page = await pipeline.state("tab", Audit)
    assert (page.waiting, page.entries[0].seq) == (0, newest + 1)


async def test_an_older_page_has_nothing_waiting(pipeline: Pipeline, desk: World) -> None:
    page = await opened(pipeline, "ada", "/audit")
    older = audit.log(desk.deps, desk.cast["ada"], limit=1).next_cursor
    page = await opened(pipeline, "ada", f"/audit?cursor={older}")
    rows = page.entries
    audit.refused(desk.deps, desk.cast["quinn"], "decide", "called submit")
    await pipeline.send("tab", Audit.refresh)
    page = await pipeline.state("tab", Audit)
    assert (page.waiting, page.entries, page.newest) == (0, rows, "/audit")


async def test_one_page_of_rows_is_kept_however_long_the_log_is(pipeline: Pipeline, desk: World) -> None:
    for number in range(60):
        audit.refused(desk.deps, desk.cast["quinn"], "decide", f"called {number}")
    page = await opened(pipeline, "ada")
    assert len(page.entries) == 50
    assert page.older.startswith("/audit?cursor=")
    page = await opened(pipeline, "ada", page.older)
    assert len(page.entries) < 50
    assert (await pipeline.state("tab", Queue)).phase == "ready"
