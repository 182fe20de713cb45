"""Pages by keyset: no row twice, none left out, and no page slower for the rows before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, text

from console.domain.ledger import Kind
from console.domain.review import Status
from console.store import ledger, ledger_search, queue, reviews
from console.store.engine import Engine, open_engine, read, write
from console.store.schema import upgrade
from tests.store.conftest import SAM, START, many_reviews, open_reviews

QUEUE, OPEN = queue.Wanted(), queue.Wanted(status="open")
NAMES = [column.name for column in queue.COLUMNS]


def named(rows: Sequence[queue.Row]) -> list[dict[str, Any]]:
    return [dict(zip(NAMES, row, strict=False)) for row in rows]


def all_pages(
    engine: Engine, wanted: queue.Wanted, limit: int, between: Any = lambda rows: None
) -> list[str]:
    found: list[str] = []
    after = None
    while True:
        with read(engine) as connection:
            rows = named(queue.page(connection, wanted, ["support"], limit, after, 1000)[0])
        found += [row["id"] for row in rows]
        if len(rows) < limit:
            return found
        after = (rows[-1]["queue_rank"], queue.moment(rows[-1]["opened_at"]), rows[-1]["id"])
        between(rows)


@pytest.mark.parametrize("wanted", [QUEUE, OPEN])
@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_the_pages_together_are_everything_once_and_in_order(
    engine: Engine, wanted: queue.Wanted, limit: int
) -> None:
    assert all_pages(engine, wanted, limit) == []
    ids = many_reviews(engine, 50)
    assert all_pages(engine, wanted, limit) == ids


@pytest.mark.parametrize("wanted", [QUEUE, OPEN])
def test_rows_that_leave_or_come_meanwhile_shift_nobody(engine: Engine, wanted: queue.Wanted) -> None:
    ids = many_reviews(engine, 60)
    left: set[str] = set()

    def disturb(rows: list[Any]) -> None:
        rest = [each for each in ids if each not in left]
        leaving = [rows[-1]["id"], *random.Random(len(left)).sample(rest, 3)]
        left.update(leaving)
        with write(engine) as connection:
            for each in leaving:
                reviews.move(connection, each, [Status.OPEN], Status.DECIDED)
        open_reviews(engine, "late", thread_id=f"late-{len(left)}")

    found = all_pages(engine, wanted, 5, disturb)
    old = [each for each in found if each in ids]
    assert len(found) == len(set(found))
    assert old == [each for each in ids if each in set(old)]
    assert set(ids) - set(old) <= left


def test_alarms_stand_above_what_merely_waits(engine: Engine) -> None:
    waiting = many_reviews(engine, 4)
    alarm, stuck = many_reviews(engine, 2, opened_at=START.replace(year=2030), checkpoint_id="c2")
    with write(engine) as connection:
        reviews.move(connection, alarm, [Status.OPEN], Status.MISMATCH)
        reviews.move(connection, stuck, [Status.OPEN], Status.STUCK)
    assert all_pages(engine, QUEUE, 2) == [alarm, stuck, *waiting]


def test_other_sources_tools_and_threads_are_left_out(engine: Engine) -> None:
    (refund,) = open_reviews(engine, "refund_order", thread_id="a")
    (message,) = open_reviews(engine, "send_sms", thread_id="b")
    open_reviews(engine, "refund_order", thread_id="a", source="hidden")
    assert set(all_pages(engine, QUEUE, 10)) == {refund, message}
    assert all_pages(engine, queue.Wanted(tool="send_sms"), 10) == [message]
    assert all_pages(engine, queue.Wanted(tool="send"), 10) == []
    assert all_pages(engine, queue.Wanted(thread_id="a"), 10) == [refund]
    assert all_pages(engine, queue.Wanted(source="hidden"), 10) == []
    with read(engine) as connection:
        assert queue.page(connection, QUEUE, [], 10, None, 10) == ([], 0)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: Any) -> Any:
    """100,000 open reviews and as many settled ones."""
    engine = open_engine(f"sqlite:///{tmp_path_factory.mktemp('crowd') / 'console.db'}")
    upgrade(engine)
    many_reviews(engine, 100_000, items_text="[]")
    with write(engine) as connection:
        columns = [column.name for column in reviews.REVIEW.columns]
        replaced = {
            "id": "'s' || id",
            "thread_id": "'s' || thread_id",
            "status": "'settled'",
            "queue_rank": "NULL",
        }
        copied = ", ".join(replaced.get(name, name) for name in columns)
        connection.execute(text(f"INSERT INTO review ({', '.join(columns)}) SELECT {copied} FROM review"))
        ledger.append(connection, ledger.Entry(Kind.OPENED, SAM, source="support"))
    yield engine
    engine.dispose()


def plan_of(engine: Engine, ask: Any) -> list[str]:
    """What SQLite says of each statement that `ask` executes."""
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        seen.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        with read(engine) as connection:
            ask(connection)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    with read(engine) as connection:
        return [
            str(row[3])
            for statement, parameters in seen
            if statement.startswith("SELECT")
            for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN " + statement, parameters)
        ]


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (QUEUE, "review_queue"),
        (OPEN, "review_by_status"),
        (queue.Wanted(status="settled"), "review_by_status"),
        (queue.Wanted(tool="refund_order"), "review_queue"),
    ],
)
def test_a_page_among_100_000_walks_one_index_and_sorts_nothing(
    crowd: Engine, wanted: queue.Wanted, index: str, deep: bool
) -> None:
    after = (3, START + timedelta(seconds=30_000), "8") if deep else None
    plan = plan_of(crowd, lambda c: queue.page(c, wanted, ["support", "other"], 51, after, 1000))
    assert plan
    assert not [line for line in plan if "TEMP B-TREE" in line]
    walked = [line for line in plan if " review " in line]
    assert len(walked) == 2  # the rows, and the total
    assert all(index in line for line in walked), plan
    rest = [line for line in plan if " claim " in line or " thread " in line]
    assert all(line.startswith("SEARCH") for line in rest), plan
    if not deep and wanted is QUEUE:
        return
    assert any(line.startswith("SEARCH") for line in plan), plan


def test_counting_stops_at_the_cap_on_the_index_alone(crowd: Engine) -> None:
    plan = plan_of(crowd, lambda c: queue.page(c, QUEUE, ["support", "other"], 51, None, 1000))
    assert any("COVERING INDEX review_queue" in line for line in plan), plan
    with read(crowd) as connection:
        assert queue.page(connection, QUEUE, ["support"], 1, None, 1000)[1] == 1001
        beyond = (9, START, "")
        assert queue.page(connection, QUEUE, ["support"], 1, beyond, 1000) == ([], 1001)


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (ledger_search.Filter(kind="decided"), "facet_kind"),
        (ledger_search.Filter(thread_id="t"), "facet_thread"),
        (ledger_search.Filter(review_id="r"), "facet_review"),
        (ledger_search.Filter(tool="refund_order"), "facet_tool"),
        (ledger_search.Filter(actor_name="sam"), "facet_actor_name"),
        (ledger_search.Filter(outcome="ran"), "facet_outcome"),
        (ledger_search.Filter(verdict="approve"), "facet_verdict"),
        (ledger_search.Filter(own_of="id-sam"), "facet_actor"),
        (ledger_search.Filter(), "INTEGER PRIMARY KEY"),
    ],
)
@pytest.mark.parametrize("before", [None, 10])
def test_a_page_of_the_log_walks_an_index_and_sorts_nothing(
    crowd: Engine, wanted: ledger_search.Filter, index: str, before: int | None
) -> None:
    plan = plan_of(crowd, lambda c: ledger_search.page(c, wanted, ["support", "other"], 51, before))
    assert not [line for line in plan if "TEMP B-TREE" in line], plan
    # A bare "SEARCH ledger_facet" is the largest number, found without walking.
    walks = [line for line in plan if line.startswith(("SEARCH ledger_facet USING", "SCAN ledger_facet"))]
    assert index in walks[0], plan
    assert not [line for line in plan if line.startswith("SCAN ledger")], plan


def test_the_values_of_a_column_are_each_found_by_one_seek(engine: Engine) -> None:
    with write(engine) as connection:
        for tool in ("b", None, "a", None, "b"):
            ledger.append(connection, ledger.Entry(Kind.OPENED, SAM, tool=tool))
        assert ledger_search.values(connection, "tool", None, 9) == ["a", "b"]
    plan = plan_of(engine, lambda c: ledger_search.values(c, "tool", None, 9))
    assert {line.split(" (")[0] for line in plan} == {
        "SEARCH ledger_facet USING COVERING INDEX facet_tool"
    }, plan


def test_the_log_is_paged_newest_first_without_gaps(engine: Engine) -> None:
    with write(engine) as connection:
        for number in range(23):
            ledger.append(
                connection, ledger.Entry(Kind.OPENED, SAM, source=["support", "hidden", None][number % 3])
            )
    found: list[int] = []
    before = None
    while True:
        with read(engine) as connection:
            rows = ledger_search.page(connection, ledger_search.Filter(), ["support"], 5, before)
        found += [row["seq"] for row in rows]
        if len(rows) < 5:
            break
        before = rows[-1]["seq"]
    assert found == [number for number in range(23, 0, -1) if (number - 1) % 3 != 1]
