"""Verification that goes on from a signed head, and what deep verification says of decisions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from console.domain.access import Actor, Role
from console.domain.ledger import Kind
from console.services import frontiers, notes
from console.services.deps import Deps
from console.services.heads import Signer
from console.services.verify import BROKEN, INTACT, UNREADABLE, Report, verify
from console.store import ledger
from console.store.engine import write
from tests.services.stage import Stage
from tests.services.world import World

ADA = Actor("id-ada", "ada", Role.ADMIN)


def append(deps: Deps, count: int) -> None:
    with write(deps.engine) as connection:
        for _ in range(count):
            ledger.append(connection, ledger.Entry(Kind.LOGIN, ADA))


def sign(deps: Deps) -> int:
    """The size of the head."""
    signer = Signer(deps)
    signer.start()
    signer.stop()
    return signer._frontier.size


def check(folder: Path, since: int | notes.Head | None = None, *, deep: bool = False) -> Report:
    heads = folder / "heads"
    return verify(folder / "console.db", [heads / "heads.txt"], heads / "ledger.pub", deep=deep, since=since)


def head_of(folder: Path, size: int) -> notes.Head:
    keys = notes.Keys.read((folder / "heads" / "ledger.pub").read_text())
    found = notes.read_heads((folder / "heads" / "heads.txt").read_text(), keys, None)
    return next(head for head in found if head.size == size)


def tamper(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "console.db", timeout=30)) as database, database:
        for name in ("ledger_next", "ledger_no_update", "ledger_no_delete"):
            database.execute(f"DROP TRIGGER IF EXISTS {name}")
        for statement in statements:
            database.execute(statement)


@pytest.fixture
def grown(idle: World) -> tuple[Path, int, int]:
    """Folder of a log with two heads, and their sizes."""
    append(idle.deps, 9)
    first = sign(idle.deps)
    append(idle.deps, 5)
    return idle.folder, first, sign(idle.deps)


@pytest.mark.parametrize("kept", ["kept", "gone", "false"])
def test_what_a_head_covers_is_not_looked_at_again(grown: tuple[Path, int, int], kept: str) -> None:
    folder, first, second = grown
    tree = folder / "heads" / frontiers.FILE
    if kept == "gone":
        tree.unlink()
    elif kept == "false":
        tree.write_text(tree.read_text().replace(" ", " AAAA", 1))
    for since in (first, head_of(folder, first)):
        report = check(folder, since, deep=True)
        assert (report.status, report.entries, report.skipped) == (INTACT, second, first)


def test_a_later_entry_that_was_changed_is_found_from_the_head_on(grown: tuple[Path, int, int]) -> None:
    folder, first, _ = grown
    tamper(folder, f"UPDATE ledger SET body = replace(body, 'ada', 'eve') WHERE seq = {first + 2}")
    report = check(folder, first)
    assert (report.status, report.first_bad) == (BROKEN, first + 2)


def test_only_a_size_that_was_signed_can_be_gone_on_from(grown: tuple[Path, int, int]) -> None:
    folder, first, _ = grown
    report = check(folder, first - 1)
    assert (report.status, report.reason) == (
        UNREADABLE,
        f"no head of {first - 1} entries was signed: give the size of one, or its file",
    )


def test_without_the_kept_tree_an_earlier_change_is_found_by_its_root(grown: tuple[Path, int, int]) -> None:
    folder, first, _ = grown
    tamper(folder, "UPDATE ledger SET body = replace(body, '\"v\":1', '\"v\":2') WHERE seq = 3")
    (folder / "heads" / frontiers.FILE).unlink()
    report = check(folder, first)
    assert (report.status, report.first_bad) == (BROKEN, 1)
    assert "not those that were signed" in report.reason


def test_a_log_shorter_than_the_head_cannot_be_gone_on_with(grown: tuple[Path, int, int]) -> None:
    folder, first, _ = grown
    tamper(folder, f"DELETE FROM ledger WHERE seq > {first - 4}")
    (folder / "heads" / frontiers.FILE).unlink()
    report = check(folder, first)
    assert (report.status, report.entries) == (UNREADABLE, first - 4)
    assert f"the log has {first - 4} entries" in report.reason


@pytest.mark.parametrize("key", ["", "review-console+00000000+AQAA", "no key at all"])
def test_heads_without_the_key_they_were_signed_with_cannot_be_checked(
    grown: tuple[Path, int, int], key: str
) -> None:
    folder, _, _ = grown
    (folder / "heads" / "ledger.pub").write_text(key)
    assert (check(folder).status, "heads cannot be checked" in check(folder).reason) == (UNREADABLE, True)


@pytest.mark.parametrize("statement", ["DELETE FROM meta", "DROP TABLE meta"])
def test_a_database_without_its_install_id_cannot_be_verified(
    grown: tuple[Path, int, int], statement: str
) -> None:
    folder, _, _ = grown
    tamper(folder, statement)
    assert check(folder).status == UNREADABLE


def test_search_columns_beyond_the_log_are_found(grown: tuple[Path, int, int]) -> None:
    folder, _, size = grown
    tamper(
        folder,
        "INSERT INTO ledger_facet (seq, at, kind, actor_id, actor_name)"
        f" VALUES ({size + 1}, '2026-01-01 00:00:00.000000', 'login', '', '')",
    )
    report = check(folder, deep=True)
    assert (report.status, report.first_bad) == (BROKEN, size + 1)
    assert "more than the log" in report.reason


def test_the_earliest_of_two_findings_is_named(grown: tuple[Path, int, int]) -> None:
    folder, _, size = grown
    tamper(
        folder,
        "UPDATE ledger_facet SET kind = 'logout' WHERE seq = 2",
        "INSERT INTO ledger_facet (seq, at, kind, actor_id, actor_name)"
        f" VALUES ({size + 1}, '2026-01-01 00:00:00.000000', 'login', '', '')",
    )
    assert check(folder, deep=True).first_bad == 2


@pytest.fixture
def decided(tables: Path, tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Folder of a signed log with one decision, and the number of its entry."""
    stage = Stage.over(tables, tmp_path / "stage")
    stage.decide(stage.pause(7))
    stage.hand.all()
    sign(stage.deps)
    with closing(sqlite3.connect(stage.folder / "console.db")) as database:
        (seq,) = database.execute("SELECT seq FROM ledger_facet WHERE kind = 'decided'").fetchone()
    yield stage.folder, seq
    stage.close()


def test_a_decision_as_it_was_recorded_is_intact(decided: tuple[Path, int]) -> None:
    folder, _ = decided
    assert check(folder, deep=True).status == INTACT


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("DELETE FROM decision", "the decision is not there"),
        ("UPDATE decision SET actor_id = 'id-eve'", "another person"),
        ("UPDATE ledger_facet SET decided_by_id = 'id-eve' WHERE kind = 'decided'", "another person"),
        ("UPDATE decision SET body_text = body_text || ' '", "not the one that was recorded"),
        ("UPDATE decision SET result_digest = 'x'", "not the one that was recorded"),
    ],
)
def test_a_decision_that_was_changed_is_found_at_its_entry(
    decided: tuple[Path, int], statement: str, reason: str
) -> None:
    folder, seq = decided
    tamper(folder, "PRAGMA foreign_keys = OFF", statement)
    assert check(folder).status == INTACT
    report = check(folder, deep=True)
    assert (report.status, report.first_bad) == (BROKEN, seq)
    assert reason in report.reason
