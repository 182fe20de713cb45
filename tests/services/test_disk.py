"""A disk that is really full, a lock that is really held, and a database that can take no further page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from console.domain.trouble import Trouble
from console.services import health
from console.services.health import Health
from console.store.engine import Engine
from tests.faults import disk
from tests.services.stage import Stage
from tests.services.world import wait_for as until


def test_on_a_full_disk_nothing_is_decided_and_it_recovers(tables: Path, tmp_path: Path) -> None:
    try:
        disk.full_once(tables, tmp_path)
    except disk.NoMount as wrong:
        pytest.skip(f"no small file system can be mounted here: {wrong}")


def test_under_a_lock_held_for_long_nothing_is_decided_and_it_recovers(tables: Path, tmp_path: Path) -> None:
    disk.locked_once(tables, tmp_path)


@contextmanager
def no_further_page(engine: Engine) -> Iterator[None]:
    """SQLite itself answers SQLITE_FULL, as on a disk without room."""

    def bound(connection: Any) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")

    event.listen(engine, "begin", bound)
    yield
    event.remove(engine, "begin", bound)
    # The bound stays with each connection that had it.
    engine.dispose()


@pytest.fixture
def stage(tables: Path) -> Iterator[Stage]:
    made = Stage.over(tables)
    yield made
    made.close()


def test_a_database_without_room_is_found_by_a_failed_write_alone(stage: Stage) -> None:
    """No look writes in quiet times; a write that failed makes the next one write."""
    looker = Health(stage.deps)
    with no_further_page(stage.deps.engine):
        looker.look()
        assert stage.deps.trouble is None
        looker.suspect()
        looker.look()
        assert stage.deps.trouble is Trouble.FULL
        looker.look()
        assert stage.deps.trouble is Trouble.FULL
    looker.look()
    assert stage.deps.trouble is None


def test_a_disk_with_little_room_is_found_before_anyone_decides(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looker = Health(stage.deps)
    monkeypatch.setattr(health, "free_bytes", lambda _: health.SCARCE_BYTES - 1)
    with no_further_page(stage.deps.engine):
        looker.look()
        assert stage.deps.trouble is Trouble.FULL


def test_quiet_looks_commit_nothing(stage: Stage) -> None:
    looker, before = Health(stage.deps), stage.contents()
    for _ in range(3):
        looker.look()
    assert stage.contents() == before
    assert "probe" not in str(stage.deps.engine.connect().exec_driver_sql("SELECT key FROM meta").fetchall())


def test_it_looks_by_itself_and_stops(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LOOK_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(health, "LOCK_PATIENCE_MS", 20)
    woken: list[int] = []
    stage.deps.wake = lambda: woken.append(1)
    looker = Health(stage.deps)
    looker.start()
    try:
        with disk.held(stage.folder / "console.db"):
            looker.suspect()
            until(lambda: stage.deps.trouble is Trouble.LOCKED)
        until(lambda: stage.deps.trouble is None)
    finally:
        looker.stop()
    assert woken
    assert not looker._thread.is_alive()


@pytest.mark.parametrize("trouble", Trouble)
def test_each_trouble_says_what_fails_that_nothing_is_lost_and_what_to_do(trouble: Trouble) -> None:
    assert trouble.heading.endswith(": the console is read-only.")
    assert "No decision is accepted" in trouble.text
    assert "nothing is lost" in trouble.text
    assert len({each.text for each in Trouble}) == len(Trouble)
