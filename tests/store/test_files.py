"""The database's file is for its owner alone, and a pool that has nothing left says so."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from console.domain.errors import Unavailable
from console.domain.trouble import Trouble
from console.store.engine import Engine, keep_private, probe, read


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_that_others_could_read_is_closed_with_its_companions(tmp_path: Path) -> None:
    database = tmp_path / "console.db"
    files = [database, tmp_path / "console.db-wal", tmp_path / "console.db-shm"]
    for file in files:
        file.write_bytes(b"as it was")
        file.chmod(0o644)
    keep_private(database)
    assert [mode(file) for file in files] == [0o600] * 3
    assert [file.read_bytes() for file in files] == [b"as it was"] * 3


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "console.db").mkdir(mode=0o755)
    with pytest.raises(IsADirectoryError, match=r"console\.db"):
        keep_private(tmp_path / "console.db")
    assert mode(tmp_path / "console.db") == 0o755


def test_a_file_of_another_user_is_used_and_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "console.db"
    database.touch(0o644)
    database.chmod(0o644)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(self))

    monkeypatch.setattr(Path, "chmod", refuse)
    with caplog.at_level(logging.WARNING, "console.store"):
        keep_private(database)
    assert "belongs to another user" in caplog.text


def test_a_pool_with_nothing_left_is_a_locked_database(engine: Engine) -> None:
    narrow = create_engine(engine.url, pool_size=1, max_overflow=0, pool_timeout=0.01)
    with narrow.connect():
        assert probe(narrow, 100, writing=False) is Trouble.LOCKED
        with pytest.raises(Unavailable, match="nothing is lost"), read(narrow):
            pass
    assert probe(narrow, 100, writing=False) is None
    narrow.dispose()
