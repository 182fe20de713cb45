"""Pages and exports: every row once, every bound said in words, and ids that stand in paths."""

from __future__ import annotations

import json

import pytest

from console.domain.access import Actor, Role
from console.domain.errors import BadRequest, Conflict, Invalid, NotFound, Unavailable
from console.domain.ledger import Kind
from console.domain.review import ThreadStatus
from console.services import chat, export, inbox, redact
from console.services.accounts import OPERATOR
from console.services.deps import Deps
from console.services.paging import bounded, from_cursor, thread_id_of, thread_ref, to_cursor
from console.store import ledger, reviews, threads
from console.store.engine import write
from tests.services.scripted import Scripted
from tests.services.world import World, deps_over
from tests.store.conftest import many_reviews

ADA = Actor("id-ada", "ada", Role.ADMIN)


@pytest.mark.parametrize("status", [None, "open"])
def test_walking_the_queue_shows_every_review_once_in_order(idle: World, status: str | None) -> None:
    ids, found, cursor = many_reviews(idle.deps.engine, 23), list[str](), None
    while True:
        page = inbox.queue(idle.deps, idle.cast["sam"], status=status, limit=5, cursor=cursor)
        assert page.total == 23
        found += [row.id for row in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert found == ids


@pytest.mark.parametrize("at", [-1, 1 << 58, (1 << 63) - 1])
def test_a_cursor_at_an_impossible_time_begins_anew(idle: World, at: int) -> None:
    ids = many_reviews(idle.deps.engine, 4)
    page = inbox.queue(idle.deps, idle.cast["sam"], status="open", cursor=to_cursor(0, at, ""))
    assert [row.id for row in page.items] == ids


def test_a_status_that_does_not_exist_is_pointed_at(idle: World) -> None:
    with pytest.raises(Invalid) as refused:
        inbox.queue(idle.deps, idle.cast["sam"], status="lost")
    assert [each.pointer for each in refused.value.problems] == ["/status"]


def test_a_thread_that_never_paused_has_no_reviews(idle: World) -> None:
    thread_id = idle.start("Hello")
    assert inbox.thread_reviews(idle.deps, idle.cast["sam"], "support", thread_id) == []
    assert inbox.thread_reviews(idle.deps, idle.cast["sam"], "elsewhere", thread_id) == []
    assert inbox.thread_reviews(idle.deps, idle.cast["sam"], "support", "half \ud800") == []


@pytest.mark.parametrize("limit", [-1, 0, 201])
def test_a_page_has_bounds(idle: World, limit: int) -> None:
    assert (bounded(1), bounded(200)) == (1, 200)
    with pytest.raises(Invalid, match="limit is 1 to 200"):
        inbox.queue(idle.deps, idle.cast["sam"], limit=limit)


@pytest.mark.parametrize("thread_id", ["a", "A-1_b.c", "x" * 128])
def test_a_plain_thread_id_stands_in_paths_as_it_is(thread_id: str) -> None:
    assert thread_ref(thread_id) == thread_id == thread_id_of(thread_id)


@pytest.mark.parametrize("thread_id", ["", "a/b", "../x", ".hidden", "~x", "naïve", "x" * 129, "a b?"])
def test_any_other_thread_id_has_a_ref_that_leads_back(thread_id: str) -> None:
    ref = thread_ref(thread_id)
    assert ref.startswith("~")
    assert thread_id_of(ref) == thread_id


@pytest.mark.parametrize("ref", ["", "a/b", "~!", "~_w", "~7aCA", "~aaaaa", "-" * 129])
def test_what_leads_to_no_thread_is_no_ref(ref: str) -> None:
    assert thread_id_of(ref) is None


def test_a_cursor_holds_what_was_put_into_it() -> None:
    assert from_cursor(to_cursor(1, "ä"), int, str) == [1, "ä"]
    for types in ((int,), (int, int), (int, str, str)):
        with pytest.raises(BadRequest, match="not one of ours"):
            from_cursor(to_cursor(1, "ä"), *types)


@pytest.fixture
def twice(idle: World) -> Deps:
    """Two sources that both know a thread `same`."""
    deps = deps_over(idle.folder, {name: Scripted(name) for name in ("one", "two")})
    with write(deps.engine) as connection:
        for name in ("one", "two"):
            threads.add(connection, name, "same", ThreadStatus.IDLE, f"of {name}", "sam")
    return deps


def test_an_id_of_two_sources_needs_its_source(idle: World, twice: Deps) -> None:
    sam = idle.cast["sam"]
    with pytest.raises(Conflict, match="Threads of one, two have this id"):
        chat.thread(twice, sam, "same")
    assert chat.thread(twice, sam, "same", "two").title == "of two"
    with pytest.raises(NotFound):
        chat.thread(twice, sam, "same", "three")
    twice.engine.dispose()


def test_a_source_that_is_configured_no_more_is_named(idle: World, twice: Deps) -> None:
    later = deps_over(idle.folder, {"one": twice.sources["one"]})
    with pytest.raises(NotFound):
        chat.messages(later, idle.cast["sam"], "two", "same")
    with pytest.raises(Unavailable, match="source two is not configured"):
        chat.messages(later, OPERATOR, "two", "same")
    for deps in (later, twice):
        deps.engine.dispose()


def append(deps: Deps, count: int) -> None:
    with write(deps.engine) as connection:
        for _ in range(count):
            ledger.append(connection, ledger.Entry(Kind.LOGIN, ADA))


def test_a_long_export_comes_in_pieces_and_holds_every_entry_once(
    idle: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_STEP", 4)
    append(idle.deps, 11)
    told: list[tuple[int, int]] = []
    lines = b"".join(
        export.stream(idle.deps, idle.cast["ada"], format="jsonl", progress=lambda *at: told.append(at))
    ).splitlines()
    _, *entries, trailer = map(json.loads, lines)
    last = len(entries)
    assert [each["seq"] for each in entries] == list(range(1, last + 1))
    assert (trailer["entries"], trailer["complete"]) == (last, True)
    assert told == [*((at, last) for at in range(4, last, 4)), (last, last)]


@pytest.mark.parametrize(
    ("asked", "pointer"), [({"format": "pdf"}, "/format"), ({"format": "csv", "tool": "half \ud800"}, "")]
)
def test_an_export_that_cannot_be_made_is_refused_before_it_is_written_down(
    idle: World, asked: dict[str, str], pointer: str
) -> None:
    before = len(idle.ledger())
    with pytest.raises(Invalid) as refused:
        export.stream(idle.deps, idle.cast["ada"], **asked)
    assert [each.pointer for each in refused.value.problems] == [pointer]
    assert len(idle.ledger()) == before


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 2_001, "half \ud800"])
def test_erasing_needs_a_reason(idle: World, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        redact.erase(idle.deps, idle.cast["ada"], 1, reason)
    assert [each.pointer for each in refused.value.problems] == ["/reason"]


@pytest.mark.parametrize("seq", [0, -1, 10_000, 2**63, 10**30])
def test_an_entry_that_is_not_there_cannot_be_erased(idle: World, seq: int) -> None:
    before = len(idle.ledger())
    with pytest.raises(NotFound):
        redact.erase(idle.deps, idle.cast["ada"], seq, "asked for")
    assert len(idle.ledger()) == before


def test_what_a_stranger_opened_is_not_shown_outside_its_source(idle: World) -> None:
    (foreign, *_) = many_reviews(idle.deps.engine, 1, source="elsewhere")
    assert inbox.queue(idle.deps, idle.cast["sam"]).items == []
    with pytest.raises(NotFound):
        inbox.review(idle.deps, idle.cast["sam"], foreign)
    with write(idle.deps.engine) as connection:
        assert reviews.get(connection, foreign) is not None
