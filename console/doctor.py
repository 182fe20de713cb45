"""Questions a person asks before trusting an installation, answered without changing anything."""

import importlib.util
import os
import platform
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from console import __version__
from console.settings import Settings, SourceSettings, check_exposure
from console.settings_file import SettingsError, sqlite_path
from console.webconfig import CLIENT

Mark = Literal["ok", "note", "bad"]
SHOWN_VERSIONS = ("reflex", "langchain", "langgraph", "langgraph-checkpoint-sqlite", "granian", "sqlmodel")


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark
    subject: str
    detail: str


def examine(settings: Settings) -> list[Finding]:
    return [
        *_versions(),
        _pages(),
        _exposure(settings),
        _strict_loading(),
        _data_folder(settings.data),
        _database("database", settings.database.url),
        *_sources(settings),
    ]


def _versions() -> Iterator[Finding]:
    yield Finding("ok", "console", f"{__version__} on Python {platform.python_version()}")
    for name in SHOWN_VERSIONS:
        try:
            yield Finding("ok", name, version(name))
        except PackageNotFoundError:
            yield Finding("bad", name, "is not installed: install requirements.lock")


def _pages() -> Finding:
    if (CLIENT / "index.html").is_file():
        return Finding("ok", "pages", "built")
    return Finding("bad", "pages", "are not built: run `make run`, or `python -m console.build`")


def _exposure(settings: Settings) -> Finding:
    try:
        check_exposure(settings)
    except SettingsError as refused:
        return Finding("bad", "server", str(refused))
    return Finding("ok", "server", f"{settings.server.host}:{settings.server.port}")


def _strict_loading() -> Finding:
    if os.environ.get("LANGGRAPH_STRICT_MSGPACK", "").lower() in ("1", "true", "yes"):
        return Finding("ok", "checkpoints", "load only allowed types")
    return Finding("bad", "checkpoints", "load any type: unset LANGGRAPH_STRICT_MSGPACK or set it to true")


def _data_folder(folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding("note", "data", f"{folder} is not there yet; the first start makes it")
    if not os.access(folder, os.W_OK):
        return Finding("bad", "data", f"{folder} cannot be written: correct its owner or use --data")
    if folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return Finding("note", "data", f"{folder} can be entered by other users: chmod 700 it")
    return Finding("ok", "data", str(folder))


def _database(subject: str, url: str) -> Finding:
    file = sqlite_path(url)
    if file is None:
        return Finding("note", subject, "is not SQLite and is not examined here")
    if not file.exists():
        return Finding("note", subject, f"{file} is not there yet; the first start makes it")
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=5)) as database:
            (answer,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as wrong:
        return Finding("bad", subject, f"{file} cannot be read: {wrong}")
    return Finding("ok" if answer == "ok" else "bad", subject, f"{file}: {answer}")


def _sources(settings: Settings) -> Iterator[Finding]:
    if not settings.sources:
        yield Finding("note", "sources", "none: name one in console.toml, or start with --demo")
    for name, source in settings.sources.items():
        yield _graph(f"source {name}", source)
        if source.checkpoints:
            yield _database(f"source {name}, checkpoints", source.checkpoints)


def _graph(subject: str, source: SourceSettings) -> Finding:
    """Looks for the module and does not import it: a stranger's agent may do anything when it is loaded."""
    if source.graph is None:
        return Finding("note", subject, f"is the server {source.server}, not examined here")
    module, _, attribute = source.graph.rpartition(":")
    if not module or not attribute:
        return Finding("bad", subject, f"graph {source.graph} is not of the form module:name or file.py:name")
    if module.endswith(".py"):
        found = Path(module).is_file()
    else:
        found = importlib.util.find_spec(module.partition(".")[0]) is not None
    return Finding("ok" if found else "bad", subject, source.graph if found else f"{module} is not found")
