"""From settings to working parts, without the pages: for the server, the worker and every command alike."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from console.settings import Settings
from console.settings_file import SettingsError, sqlite_path


@dataclass(frozen=True, slots=True)
class Deps:
    """What entry points are handed; grows with the storeys of the house."""

    settings: Settings


def compose(settings: Settings) -> Deps:
    return Deps(settings=settings)


def prepare(settings: Settings) -> None:
    """What can be refused before the port opens: a data folder, a database that can be written."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as wrong:
        reason = f"the data folder {settings.data} cannot be made ({wrong.strerror})"
        raise SettingsError(f"{reason}: use --data") from None
    file = sqlite_path(settings.database.url)
    if file:
        open_for_writing(file)


def open_for_writing(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file, timeout=30)) as database:
            database.execute("PRAGMA journal_mode=WAL")
    except sqlite3.Error as wrong:
        reason = f"the database {file} cannot be written ({wrong})"
        raise SettingsError(f"{reason}: correct database.url or --data") from None
