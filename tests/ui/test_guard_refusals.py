"""Whoever is refused, however often and whatever the database does, keeps nobody else waiting."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.domain.access import Permission
from console.domain.errors import Unauthenticated
from console.domain.ledger import Kind
from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live import refusals
from console.live.refusals import Refusals
from console.services import accounts, audit, deps
from console.services.throttle import Throttle
from tests.services.world import World
from tests.ui.pipeline import Pipeline


@pytest.fixture
def locked(desk: World) -> Iterator[sqlite3.Connection]:
    """Another process is writing, and does not come to an end."""
    with closing(sqlite3.connect(desk.folder / "console.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
        other.execute("ROLLBACK")


def denied(desk: World) -> list[dict[str, Any]]:
    return [row.body for row in audit.log(desk.deps, accounts.OPERATOR, kind=Kind.DENIED, limit=200).items]


async def test_a_page_opens_while_others_are_refused_over_a_locked_database(
    pipeline: Pipeline, locked: sqlite3.Connection
) -> None:
    pipeline.stumbles_expected = True
    tabs = [pipeline.connect(f"quinn-{number}", "quinn") for number in range(8)]
    flood = [asyncio.create_task(pipeline.send(tab, Review.submit, key="x")) for tab in tabs]
    await asyncio.sleep(0.3)
    sam = pipeline.connect("sam", "sam")
    began = time.monotonic()
    await pipeline.send(sam, Thread.load)
    took = time.monotonic() - began
    assert (await pipeline.state(sam, Thread)).phase == "ready"
    assert took < 5, took
    await asyncio.gather(*flood)


async def test_a_refusal_that_could_not_be_recorded_stands(
    pipeline: Pipeline, desk: World, locked: sqlite3.Connection, template: Any
) -> None:
    pipeline.stumbles_expected = True
    tab = pipeline.connect("tab", "quinn")
    await pipeline.send(tab, Review.submit, key="x")
    assert "Not allowed" in pipeline.sent_to(tab)
    assert [review.status for review in desk.reviews(template.thread_id)] == ["open"]


def test_a_session_is_looked_up_while_the_database_is_locked(
    desk: World, template: Any, locked: sqlite3.Connection
) -> None:
    """Noting that it is in use is a write, and must not hold the reading."""
    locked.execute("UPDATE session SET seen_at = ?", (f"{datetime.now(UTC) - timedelta(minutes=6)}"[:26],))
    locked.execute("COMMIT")
    locked.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    actor = accounts.actor_of_session(desk.deps, template.sessions["sam"])
    assert actor is not None
    assert actor.name == "sam"
    assert time.monotonic() - began < 2


async def test_a_flood_is_counted_instead_of_kept(
    desk: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(refusals, "MOST_WAITING", 3)
    made, need = Refusals(), Permission.DECIDE.value
    quinn = desk.cast["quinn"]
    await asyncio.gather(*(made.record(quinn, need, f"called {number}", "") for number in range(10)))
    assert len(denied(desk)) == 3
    assert caplog.messages == ["1 refusals were not recorded: too many at once"]
    await made.record(quinn, need, "called later", "")
    assert len(denied(desk)) == 4


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1%eth0", "2001:db8::1%eth0"),
        ("6.6.6.6 forged " + "A" * 400_000, "6.6.6.6 forged " + "A" * 49),
        ("6.6.6.6\n\x1b[2J\u202eevil", "6.6.6.6??[2J?evil"),
    ],
)
def test_an_address_is_short_and_plain_in_the_ledger(
    desk: World, said: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_by_user", "_by_address"):
        monkeypatch.setattr(accounts, name, Throttle(burst=8, seconds=1))
    monkeypatch.setattr(accounts, "_last_failures", {})
    audit.refused(deps.current(), desk.cast["quinn"], "decide", "called submit", address=said)
    accounts.sign_in(desk.deps, "sam", accounts.DEMO_PASSWORD, said)
    with pytest.raises(Unauthenticated):
        accounts.sign_in(desk.deps, "sam", "wrong", said)
    found = audit.log(desk.deps, accounts.OPERATOR, limit=3).items
    assert [row.kind for row in found] == [Kind.LOGIN_FAILED, Kind.LOGIN, Kind.DENIED]
    assert {row.body["address"] for row in found} == {written}
