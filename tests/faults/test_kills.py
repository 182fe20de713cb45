"""The campaign of `make faults` in small: every point twice, and processes that die again as they restart."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults import checks, fork, kills, lives
from tests.faults.points import AGAIN, POINTS
from tests.services.agents import leave_mark


@pytest.fixture(scope="module")
def figures() -> kills.Figures:
    found = fork.in_clean_process(kills.campaign, 2, 1, 20)
    assert isinstance(found, kills.Figures)
    return found


def test_killed_at_every_point_nothing_is_lost_and_nothing_happens_twice(figures: kills.Figures) -> None:
    assert figures.broken == []
    assert figures.kills == 2 * len(POINTS) + 2 * len(AGAIN)
    assert all(figures.by_point[point.name] >= 2 for point in POINTS)


def test_every_decided_review_ends_settled_or_stuck(figures: kills.Figures) -> None:
    assert set(figures.ends) == {"settled", "stuck"}


# --- the checks themselves, on a console to which each kind of harm was done


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "finished"
    fork.in_clean_process(_finish, folder)
    return folder


def _finish(folder: Path) -> None:
    lives.make_tables(folder)
    lives.prepare(folder, [("batched", 2)])
    lives.start_again(folder, said(folder))


def said(folder: Path) -> list[lives.Pair]:
    return lives.pairs_of(folder, lambda _, at: ("approve", "reject")[at])


def look(folder: Path) -> checks.Found:
    return checks.check(folder, said(folder), folder / "history.jsonl")


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    for file in finished.iterdir():
        target = tmp_path / file.name
        target.mkdir() if file.is_dir() else target.write_bytes(file.read_bytes())
    for file in (finished / "heads").iterdir():
        (tmp_path / "heads" / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_console_to_which_nothing_was_done_breaks_no_promise(copy: Path) -> None:
    assert look(copy).broken == []


def test_a_second_effect_is_found(copy: Path) -> None:
    leave_mark(copy, f"charge {lives.amount(0, 0)}")
    assert len(look(copy).doubled) == 1


def test_an_effect_of_a_rejected_call_is_found(copy: Path) -> None:
    leave_mark(copy, f"charge {lives.amount(0, 1)}")
    assert len(look(copy).doubled) == 1


def test_an_effect_that_did_not_happen_is_found(copy: Path) -> None:
    (copy / "effects.txt").unlink()
    assert len(look(copy).lost) == 1


def test_an_effect_nobody_asked_for_is_found(copy: Path) -> None:
    leave_mark(copy, "charge 77")
    assert len(look(copy).other) == 1


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        ("UPDATE review SET status = 'decided'", "lost"),
        ("UPDATE review SET decision_id = 'another'", "lost"),
        ("DELETE FROM decision", "lost"),
        ("INSERT INTO tool_run SELECT id + 1, source, thread_id, tool_call_id, name, args_text, decision_id,"
         " fence, owner, started_at, ended_at, ended, error FROM tool_run", "doubled"),
        ("DELETE FROM ledger_facet WHERE kind = 'dispatched'", "other"),
    ],
)  # fmt: skip
def test_tables_that_do_not_agree_are_found(copy: Path, harm: str, kind: str) -> None:
    with closing(sqlite3.connect(copy / "console.db")) as database, database:
        database.execute(harm)
    assert getattr(look(copy), kind) != []
