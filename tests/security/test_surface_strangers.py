"""Nobody's refusals are recorded, and are too few in the log to fill it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from console.domain.ledger import Kind
from console.live import strangers
from console.live.refusals import REFUSALS
from console.live.strangers import MOST_COUNTED, Strangers
from console.services import accounts, audit
from tests.security.firing import Range, names
from tests.services.world import World


def recorded(desk: World) -> list[tuple[str, str, int]]:
    """(what, address, left out) of each entry about nobody, oldest first."""
    rows = audit.log(desk.deps, accounts.OPERATOR, kind=Kind.DENIED, limit=200).items
    bodies = [row.body for row in reversed(rows) if row.actor == "nobody"]
    return [(body["what"], body.get("address", ""), body["left_out"]) for body in bodies]


async def test_one_entry_for_an_address_event_and_minute(desk: World) -> None:
    made = Strangers(REFUSALS)
    for _ in range(500):
        await made.refused("submit", "192.0.2.1")
    await made.refused("submit", "192.0.2.2")
    await made.refused("say", "192.0.2.1")
    first = [
        (f"called {name} in the page", f"192.0.2.{host}", 0)
        for name, host in (("submit", 1), ("submit", 2), ("say", 1))
    ]
    assert recorded(desk) == first
    await made.close()
    assert recorded(desk) == [*first, ("called submit in the page", "192.0.2.1", 499)]


async def test_the_end_of_a_minute_says_how_many_there_were_and_the_next_begins(
    desk: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, minutes = Strangers(REFUSALS), asyncio.Semaphore(0)
    monkeypatch.setattr(made, "_minute", minutes.acquire)
    for _ in range(3):
        await made.refused("submit", "192.0.2.1")
    minutes.release()
    minutes.release()
    async with asyncio.timeout(20):
        while made._left_out:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await made.refused("submit", "192.0.2.1")
    assert [left_out for _, _, left_out in recorded(desk)] == [0, 2, 0]
    await made.close()


async def test_many_addresses_are_counted_as_one(desk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "MOST_COUNTED", 5)
    made = Strangers(REFUSALS)
    for number in range(200):
        await made.refused("submit", f"2001:db8::{number:x}")
    await made.close()
    assert len(recorded(desk)) == 7
    assert recorded(desk)[-1] == ("called events in the page", "several", 194)
    assert MOST_COUNTED <= 100


async def test_what_nobody_sends_is_recorded_with_its_address(there: Range) -> None:
    await there.open("nobody")
    for _ in range(3):
        await there.fire("nobody", names()["review.submit"], {"key": "x"})
    assert recorded(there.desk) == [("called submit in the page", "192.0.2.1", 0)]


@pytest.mark.parametrize("opening", ["hydrate_and_load", "on_load_internal_state.on_load_internal"])
async def test_opening_a_page_without_a_session_is_how_everyone_arrives(there: Range, opening: str) -> None:
    await there.open("nobody")
    await there.fire("nobody", names()[opening], {})
    assert "_redirect" in there.told("nobody")
    assert recorded(there.desk) == []


async def test_what_the_broadcaster_asks_of_an_expired_tab_is_no_attempt(there: Range) -> None:
    from console.live.broadcast import BROADCASTER

    await there.open("sam")
    await there.load("sam")
    accounts.sign_out(there.desk.deps, there.pipeline.sessions["sam"])
    waiting: Any = await BROADCASTER._enqueue("tab-sam", names()["queue.refresh"])
    await waiting.wait_all()
    assert "_redirect" in there.told("sam")
    assert recorded(there.desk) == []
