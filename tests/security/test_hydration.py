"""What a socket is sent, frame by frame: nothing that lets anyone in, and nothing of anyone else's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from console.services import drafts, tokens
from console.settings import SourceSettings
from tests.security.firing import IDLE, PEOPLE, Range, names, table
from tests.services.world import SUPPORT

TYPED, DRAFTED = "typed by sue for herself", "drafted by sue for herself"
PLACES = ("/", "/audit", "/admin", "/login", f"/threads/{IDLE}", "/nowhere")


def secrets_of(folder: Path) -> Iterator[tuple[str, str]]:
    """(what it is, its text) of all that would let somebody in, or is worth guessing at."""
    with closing(sqlite3.connect(folder / "console.db")) as db:
        for what, sql in (
            ("the hash of a password", "SELECT password_hash FROM user"),
            ("the digest of a session", "SELECT digest FROM session"),
            ("the digest of a token", "SELECT digest FROM api_token"),
            ("the installation's id", "SELECT value FROM meta WHERE key = 'install_id'"),
        ):
            yield from ((what, str(value)) for (value,) in db.execute(sql))


async def sue_at_work(there: Range) -> None:
    """Choices, a message and a draft that are hers alone until she submits."""
    await there.open("sue")
    await there.load("sue")
    key = (await there.drawn("sue"))["key"]
    for name, more in (
        ("review.choose", {"position": 0, "kind": "reject"}),
        ("review.word_for_agent", {"position": 0, "text": TYPED}),
    ):
        await there.fire("sue", names()[name], {"key": key, **more})
    (review,) = there.desk.reviews(there.thread_id)
    drafts.save(there.desk.deps, there.desk.cast["sue"], review.id, review.version, {"typed": DRAFTED})


async def everything(there: Range, who: str, besides: str = "") -> str:
    """All that the pages and every event that may be called make the server send to this person."""
    await there.open(who)
    for place in {*PLACES, f"/threads/{there.thread_id}"} - {f"/{besides}"}:
        await there.fire(who, names()["hydrate"], {}, place)
        await there.fire(who, names()["hydrate_and_load"], {}, place)
    may = table()
    for short, name in names().items():
        if may.get((who, short)) == "runs" and short != f"{besides}.load":
            await there.fire(who, name, {})
    return there.told(who)


@pytest.mark.parametrize("who", PEOPLE)
async def test_no_frame_holds_a_secret_or_what_another_person_has_typed(there: Range, who: str) -> None:
    await sue_at_work(there)
    made = tokens.create_token(there.desk.deps, there.desk.cast["sam"], "sam", "mine")[1]
    told = await everything(there, who) if who != "sue" else there.told("sue")
    assert len(told) > 1_000
    for what, text in [*secrets_of(there.desk.folder), ("a token", made)]:
        assert text not in told, what
    for name, session in there.pipeline.sessions.items():
        assert session not in told, f"the session of {name}"
    assert (TYPED in told, DRAFTED in told) == (False, False) or who == "sue"


# Not the thread's id: whoever asks for a page by it is told the address that they asked for.
WORK = ("refund_order", "A-2048", "send_sms", "text the customer")


@pytest.mark.parametrize("who", ["nobody", "mallory"])
async def test_who_may_see_nothing_is_sent_nothing_of_the_work(there: Range, who: str) -> None:
    await sue_at_work(there)
    told = await everything(there, who)
    assert [text for text in WORK if text in told] == []


async def test_what_another_may_see_is_not_sent_to_whom_its_source_is_invisible(there: Range) -> None:
    chosen = SourceSettings(graph="x:y", visible_to=("sam",))
    deps = there.desk.deps
    deps.settings = deps.settings.model_copy(update={"sources": {SUPPORT: chosen}})
    for who in ("sue", "quinn", "ada"):
        told = await everything(there, who)
        assert [text for text in WORK if text in told] == [], who
    assert "refund_order" in await everything(there, "sam")


@pytest.mark.parametrize("who", ["sam", "mallory"])
async def test_who_neither_administers_nor_reads_the_whole_log_learns_of_no_other_person(
    there: Range, who: str
) -> None:
    # The sign-in page of the demo offers its accounts to everyone.
    told = await everything(there, who, besides="login")
    others = [actor for name, actor in there.desk.cast.items() if name != who]
    assert [actor.name for actor in others if f'"{actor.name}"' in told] == []
    assert [actor.name for actor in others if actor.id in told] == []


async def test_no_variable_of_a_state_is_sent_that_begins_with_an_underscore(there: Range) -> None:
    await sue_at_work(there)
    told: Any = there.told("sue")
    for name in ("_owner", "_digest", "_edits", "_messages", "_proposed", "_thread_id", "_cursor"):
        assert f'"{name}' not in told, name
