"""Password hashes, sessions and customers' words are for the console's own user, wherever the data lies."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from console.compose import compose
from console.demo import shop
from console.services.deps import Deps
from console.settings import Settings, load_settings
from console.settings_file import SettingsError
from console.store.engine import keep_private, read

FILES = ("console.db", "console.db-wal", "console.db-shm", "checkpoints.db", "shop.db")


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """Made beforehand by somebody who thought nothing of it."""
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def demo_in(folder: Path) -> Settings:
    return load_settings(data=folder, demo=True)


def composed(folder: Path) -> Deps:
    made = compose(demo_in(folder))
    shop.open_shop(folder / "shop.db")
    return made


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir() if file.is_file()}


def test_new_databases_are_private_in_a_folder_that_is_not(open_folder: Path) -> None:
    made = composed(open_folder)
    with read(made.engine):
        found = modes(open_folder)
    made.engine.dispose()
    assert set(FILES) <= set(found)
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_databases_left_open_by_an_earlier_version_are_closed(open_folder: Path) -> None:
    composed(open_folder).engine.dispose()
    names = ("console.db", "checkpoints.db", "shop.db")
    for name in names:
        (open_folder / name).chmod(0o644)
    composed(open_folder).engine.dispose()
    assert {modes(open_folder)[name] for name in names} == {0o600}


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_companions_left_behind_by_a_crash_are_closed(tmp_path: Path, end: str) -> None:
    database, companion = tmp_path / "a.db", tmp_path / f"a.db{end}"
    companion.write_bytes(b"")
    companion.chmod(0o644)
    keep_private(database)
    assert modes(tmp_path) == {"a.db": 0o600, companion.name: 0o600}


def test_a_database_that_is_a_folder_is_refused_in_words(open_folder: Path) -> None:
    (open_folder / "console.db").mkdir()
    with pytest.raises(SettingsError, match=r"console\.db cannot be written"):
        compose(demo_in(open_folder))


def test_checkpoints_that_are_a_folder_are_refused_in_words(open_folder: Path) -> None:
    (open_folder / "checkpoints.db").mkdir()
    with pytest.raises(SettingsError, match=r"sources\.support: its checkpoints .* cannot be written"):
        compose(demo_in(open_folder))


def test_a_shop_that_is_there_keeps_its_orders(tmp_path: Path) -> None:
    path = shop.open_shop(tmp_path / "shop.db")
    shop.change_address(path, shop.Act("t", "c"), "A-2048", "8 Mill Lane")
    path.chmod(0o644)
    shop.open_shop(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert shop.find_order(path, "A-2048")["address"] == "8 Mill Lane"


def test_the_locks_of_this_process_survive(tmp_path: Path) -> None:
    """POSIX drops all of a process's locks on a file when it closes any descriptor of it."""
    database = tmp_path / "a.db"
    with closing(sqlite3.connect(database, isolation_level=None)) as own:
        own.execute("CREATE TABLE t (x)")
        own.execute("BEGIN EXCLUSIVE")
        keep_private(database)
        shop._keep_private(database)
        command = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        other = subprocess.run([sys.executable, "-c", command, database], capture_output=True, text=True)
    assert "database is locked" in other.stderr
