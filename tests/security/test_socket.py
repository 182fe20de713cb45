"""Whose tab is it? Stolen tokens, replayed cookies, and people whose session ends while they are at it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from console.features.thread.review_state import Review
from console.features.thread.state import Thread
from console.live.tab import Tab
from console.services import accounts, drafts, people, sessions
from tests.security.firing import Range, names

HYDRATE, LOAD = "hydrate_and_load", "thread.load"


async def at_work(there: Range) -> str:
    """sam has the review open and has typed something; the key of what is drawn."""
    await there.open("sam")
    await there.load("sam")
    key = str((await there.drawn("sam"))["key"])
    for at in (0, 1):
        await there.fire("sam", names()["review.choose"], {"key": key, "position": at, "kind": "reject"})
        text = {"key": key, "position": at, "text": "a word of sam's"}
        await there.fire("sam", names()["review.word_for_agent"], text)
    return key


async def leave(there: Range, who: str) -> None:
    """A disconnect is cleaned up after by a task of its own."""
    await there.sockets[who].close()
    held = there.pipeline.app.event_namespace._token_manager.token_to_socket  # type: ignore[union-attr]
    async with asyncio.timeout(20):
        while f"tab-{who}" in held:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def submit(there: Range, key: str) -> str:
    """What sam's socket is told when the verdict is submitted."""
    frames = len(there.sockets["sam"].sent)
    await there.fire("sam", names()["review.submit"], {"key": key})
    return there.told("sam", frames)


def undecided(there: Range) -> bool:
    return there.desk.table("SELECT status FROM review") == [("open",)] and not there.desk.table(
        "SELECT id FROM decision"
    )


THIEVES = ["nobody", "mallory", "quinn", "sue"]


@pytest.mark.parametrize("thief", THIEVES)
async def test_a_stolen_tab_gives_nothing_while_its_owner_is_there(there: Range, thief: str) -> None:
    key = await at_work(there)
    frames = len(there.sockets["sam"].sent)
    there.sockets[thief] = await there.opened(thief, query="token=tab-sam")
    await there.fire(thief, names()[HYDRATE], {})
    await there.fire(thief, names()["review.submit"], {"key": key})
    assert "a word of sam's" not in there.told(thief)
    assert "'sam'" not in there.told(thief).replace('"', "'")
    assert there.told("sam", frames) == ""
    shown = await there.pipeline.state("tab-sam", Tab)
    assert (shown.name, (await there.pipeline.state("tab-sam", Review)).choices) == (
        "sam",
        {"0": "reject", "1": "reject"},
    )
    assert undecided(there)


@pytest.mark.parametrize("thief", THIEVES)
async def test_a_stolen_tab_gives_nothing_when_its_owner_has_gone(there: Range, thief: str) -> None:
    key = await at_work(there)
    await leave(there, "sam")
    there.sockets[thief] = await there.opened(thief, query="token=tab-sam")
    for name, payload in ((HYDRATE, {}), ("review.submit", {"key": key}), (HYDRATE, {})):
        await there.fire(thief, names()[name], payload)
    assert "a word of sam's" not in there.told(thief)
    assert '"sam"' not in there.told(thief)
    assert (await there.pipeline.state("tab-sam", Review)).choices == {}
    assert undecided(there)


def sign_out(there: Range) -> None:
    accounts.sign_out(there.desk.deps, there.pipeline.sessions["sam"])


def disable(there: Range) -> None:
    people.disable_user(there.desk.deps, there.desk.cast["ada"], "sam")


def change_role(there: Range) -> None:
    people.change_role(there.desk.deps, there.desk.cast["ada"], "sam", "qa")


def revoke(there: Range) -> None:
    sessions.revoke_all(there.desk.deps, there.desk.cast["ada"], "sam")


def expire(there: Range) -> None:
    _set(there, "expires_at", datetime.now(UTC) - timedelta(seconds=1))


def leave_idle(there: Range) -> None:
    _set(there, "seen_at", datetime.now(UTC) - there.desk.deps.settings.sessions.idle - timedelta(seconds=1))


def _set(there: Range, column: str, at: datetime) -> None:
    with closing(sqlite3.connect(there.database)) as db:
        db.execute(f"UPDATE session SET {column} = ?", (f"{at:%Y-%m-%d %H:%M:%S.%f}",))
        db.commit()


ENDS = [sign_out, disable, change_role, revoke, expire, leave_idle]


@pytest.mark.parametrize("end", ENDS)
async def test_whose_session_ends_while_connected_decides_nothing_more(
    there: Range, end: Callable[[Range], None]
) -> None:
    """The very next click: the socket is the same, its cookie is the same, and the tab is emptied."""
    key = await at_work(there)
    end(there)
    told = await submit(there, key)
    assert "_redirect" in told
    assert "refund_order" not in told
    assert undecided(there)
    assert (await there.pipeline.state("tab-sam", Tab)).name == ""
    assert (await there.pipeline.state("tab-sam", Thread)).messages == []
    assert (await there.pipeline.state("tab-sam", Review)).choices == {}


@pytest.mark.parametrize("end", ENDS)
async def test_a_cookie_is_worth_nothing_when_its_session_is_over(
    there: Range, end: Callable[[Range], None]
) -> None:
    end(there)
    await there.open("sam")
    await there.fire("sam", names()[HYDRATE], {})
    assert "_redirect" in there.told("sam")
    assert "refund_order" not in there.told("sam")
    assert '"sam"' not in there.told("sam")


async def test_a_draft_outlives_the_session_in_which_it_was_typed(there: Range) -> None:
    """The edit is not applied under a session that is over; signed in anew, the person has it again."""
    key = await at_work(there)
    deps, sam = there.desk.deps, there.desk.cast["sam"]
    review = there.desk.reviews(there.thread_id)[0]
    assert drafts.save(deps, sam, review.id, review.version, {"typed": "an edit"})
    expire(there)
    assert "_redirect" in await submit(there, key)
    assert undecided(there)
    token = accounts.sign_in(deps, "sam", accounts.DEMO_PASSWORD, "192.0.2.1").token
    again = accounts.actor_of_session(deps, token)
    assert again is not None
    kept = drafts.load(deps, again, review.id)
    assert kept is not None
    assert kept["typed"] == "an edit"
    assert drafts.load(deps, there.desk.cast["sue"], review.id) is None


async def test_nobody_takes_over_by_the_name_of_a_socket(there: Range) -> None:
    """The library's own ids, in every field where a client could put one."""
    await at_work(there)
    sid = there.sockets["sam"].sid
    await there.open("mallory")
    payload = {"name": names()[LOAD], "payload": {}, "token": "tab-sam", "sid": sid, "substate": "x"}
    for place in ({"token": "tab-sam"}, {"sid": sid}, {"headers": {"cookie": "x"}}, {"ip": "127.0.0.1"}):
        await there.sockets["mallory"].emit("event", {**payload, "router_data": place})
    await there.fire("mallory", names()[HYDRATE], {})
    assert "refund_order" not in there.told("mallory")
    assert (await there.pipeline.state("tab-mallory", Tab)).name == "mallory"
