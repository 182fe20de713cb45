"""A search finds what reading every entry would find, whatever the clock did and however rare it is."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.store import ledger, ledger_search, ledger_times, mentions, reviews
from console.store.engine import Engine, open_engine, read, write
from console.store.ledger_search import Filter
from console.store.schema import upgrade
from tests.store.conftest import open_reviews, pause_of

START = datetime(2026, 3, 1, tzinfo=UTC)
KINDS, TOOLS = [Kind.OPENED, Kind.DECIDED], ["a", "b", None]
VERDICTS, OUTCOMES = ["approve", None], ["ran", None]
PEOPLE = [Actor(f"id-{name}", name, Role.SUPERVISOR) for name in ("sam", "sue")]
SOURCES, THREADS = ["one", "two", None], ["t1", "t2", "t3", None]
EQUAL = ("kind", "actor_name", "tool", "thread_id", "review_id", "verdict", "outcome", "seq")
ENTRIES = 90


@dataclass(frozen=True)
class Row:
    seq: int
    at: datetime
    kind: str
    actor_id: str
    actor_name: str
    tool: str | None
    source: str | None
    thread_id: str | None
    decided_by_id: str | None
    verdict: str | None
    outcome: str | None
    review_id: None = None

    def holds(self, wanted: Filter) -> bool:
        return (
            all(getattr(wanted, name) in (None, getattr(self, name)) for name in EQUAL)
            and wanted.own_of in (None, self.actor_id, self.decided_by_id)
            and (wanted.since is None or self.at >= wanted.since)
            and (wanted.until is None or self.at < wanted.until)
            and (wanted.any_of is None or any(getattr(self, name) == value for name, value in wanted.any_of))
        )


def fill(engine: Engine, chance: random.Random) -> list[Row]:
    """One entry a minute; the clock is set back now and then, once by days."""
    rows = []
    for number in range(1, ENTRIES + 1):
        back = chance.choice([0, 0, 0, 0, 5, 30]) + (5_000 if number == 40 else 0)
        actor, decider = chance.choice(PEOPLE), chance.choice([None, *PEOPLE])
        row = Row(
            number,
            START + timedelta(minutes=number - back),
            chance.choice(KINDS).value,
            actor.id,
            actor.name,
            chance.choice(TOOLS),
            chance.choice(SOURCES),
            chance.choice(THREADS),
            decider.id if decider else None,
            chance.choice(VERDICTS),
            chance.choice(OUTCOMES),
        )
        write_down(engine, actor, row)
        rows.append(row)
    return rows


def write_down(engine: Engine, actor: Actor, row: Row) -> None:
    entry = ledger.Entry(
        Kind(row.kind), actor, row.source, row.thread_id, None, row.tool, row.verdict, row.outcome,
        row.decided_by_id,
    )  # fmt: skip
    with write(engine) as connection:
        ledger.append(connection, entry)
        connection.execute(update(ledger.FACET).where(ledger.FACET.c.seq == row.seq).values(at=row.at))


def any_filter(chance: random.Random) -> Filter:
    moments = [START + timedelta(minutes=at) for at in (-6_000, 0, 20, 45, 46, 80, 200)]
    of: dict[str, list[Any]] = {
        "kind": ["opened", "decided", "verified"],
        "actor_name": ["sam", "sue", "ada"],
        "tool": ["a", "b", "c"],
        "thread_id": ["t1", "t2"],
        "review_id": [*[None] * 9, "r"],
        "verdict": ["approve"],
        "outcome": ["ran"],
        "own_of": ["id-sam", "id-ada"],
        "since": moments,
        "until": moments,
        "seq": [*[None] * 9, 1, 50],
        "any_of": [(("actor_name", "sam"), ("tool", "a")), (("tool", "c"), ("tool", "b"))],
    }
    assert set(of) == {each.name for each in fields(Filter)}
    return Filter(**{name: chance.choice(among) for name, among in of.items() if chance.random() < 0.25})


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ninety entries are as many here as a million are elsewhere."""
    monkeypatch.setattr(ledger_search, "RARE", 6)
    monkeypatch.setattr(ledger_search, "_CHUNK", 4)
    monkeypatch.setattr(ledger_times, "BLOCK", 8)


@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("seed", range(4))
def test_a_search_finds_what_reading_everything_finds(engine: Engine, seed: int) -> None:
    chance = random.Random(seed)
    rows = fill(engine, chance)[::-1]
    full = 0
    for _ in range(150):
        wanted, sources = any_filter(chance), chance.choice([None, ["one"], ["one", "two"], []])
        limit, before = chance.choice([1, 5, 200]), chance.choice([None, None, 1, 37, 91])
        after, through = chance.choice([0, 30]), chance.choice([60, 90])
        visible = [row for row in rows if sources is None or row.source in (None, *sources)]
        found = [row.seq for row in visible if row.holds(wanted)]
        with read(engine) as connection:
            downwards = ledger_search.seqs(connection, wanted, sources, limit, before)
            upwards = ledger_search.rows_after(connection, wanted, sources, after, through, limit)
        asked = (wanted, sources, limit, before, after, through)
        assert downwards == [seq for seq in found if before is None or seq < before][:limit], asked
        inside = [seq for seq in found[::-1] if after < seq <= through]
        assert [row["seq"] for row in upwards] == inside[:limit], asked
        full += bool(found)
    assert full > 50


@pytest.mark.usefixtures("tight")
def test_entries_written_since_the_last_search_are_found_by_their_time(engine: Engine) -> None:
    for rounds in range(1, 5):
        for _ in range(5):
            with write(engine) as connection:
                seq = ledger.append(connection, ledger.Entry(Kind.LOGIN, PEOPLE[0]))
        with read(engine) as connection:
            wanted = Filter(since=datetime.now(UTC) - timedelta(hours=1))
            found = ledger_search.seqs(connection, wanted, None, 100, None)
        assert found == list(range(seq, 0, -1))
        assert len(found) == 5 * rounds


@pytest.mark.usefixtures("tight")
def test_a_file_put_back_from_an_older_copy_is_searched_as_it_is(engine: Engine) -> None:
    fill(engine, random.Random(7))
    late = Filter(since=START + timedelta(minutes=60))
    with read(engine) as connection:
        assert ledger_search.seqs(connection, late, None, 1, None)
    with write(engine) as connection:
        connection.exec_driver_sql("DELETE FROM ledger_facet WHERE seq > 50 OR seq BETWEEN 9 AND 24")
    with read(engine) as connection:
        assert ledger_search.seqs(connection, late, None, 1, None) == []
        early = Filter(since=START - timedelta(days=9), until=START + timedelta(days=9))
        found = ledger_search.seqs(connection, early, None, 100, None)
    assert sorted(found) == [*range(1, 9), *range(25, 51)]


@pytest.mark.usefixtures("tight")
def test_another_log_at_the_same_place_is_searched_by_its_own_times(engine: Engine, tmp_path: Path) -> None:
    fill(engine, random.Random(7))
    other = open_engine(f"sqlite:///{tmp_path / 'other.db'}")
    upgrade(other)
    with write(other) as connection:
        for _ in range(ENTRIES + 9):
            ledger.append(connection, ledger.Entry(Kind.LOGIN, PEOPLE[0]))
    now = Filter(since=datetime.now(UTC) - timedelta(hours=1))
    with read(engine) as connection:
        assert ledger_search.seqs(connection, now, None, 500, None) == []
    for each in (engine, other):
        each.dispose()
    shutil.copyfile(tmp_path / "other.db", tmp_path / "console.db")
    with read(engine) as connection:
        assert len(ledger_search.seqs(connection, now, None, 500, None)) == ENTRIES + 9


@pytest.mark.parametrize("typed", ['say "no"', "Zoë's", "back\\slash", "日本語", "\U0001f600 smile"])
def test_a_text_is_found_as_it_is_read_however_json_writes_it(engine: Engine, typed: str) -> None:
    open_reviews(engine, "refund_order")
    wanted = set()
    for number, raw in enumerate((True, False)):
        args = json.dumps({"note": f"({typed})"}, ensure_ascii=raw)
        pause = pause_of(f"t{number}", "refund_order")
        (pending,) = pause.pending
        for place, asked in (
            ("a", replace(pending, actions=(replace(pending.actions[0], args_text=args),))),
            ("v", replace(pending, actions=(), value_text=args)),
        ):
            here = replace(pause, thread_id=f"t{number}{place}", pending=(asked,))
            with write(engine) as connection:
                wanted.update(reviews.open_pause(connection, here, [""]))
    assert len(wanted) == 4
    with read(engine) as connection:
        assert set(mentions.reviews_mentioning(connection, typed, 10, 10)) == wanted
        assert len(mentions.reviews_mentioning(connection, typed, 10, 3)) == 3
        assert set(mentions.reviews_mentioning(connection, typed, 2, 10)) < wanted


def test_what_every_review_of_a_tool_says_finds_none_of_them(engine: Engine) -> None:
    pause = pause_of("t", "refund_order")
    (action,) = pause.pending[0].actions
    told = replace(action, args_schema_text='{"title": "such as A-2048"}', tool_call_id="call-A-2048")
    with write(engine) as connection:
        asked = replace(pause, pending=(replace(pause.pending[0], actions=(told,)),))
        reviews.open_pause(connection, asked, [""])
    with read(engine) as connection:
        assert mentions.reviews_mentioning(connection, "A-2048", 10, 10) == []
