"""The database and every source's checkpoints: readable, of the right form, with a clock that fits."""

import importlib.util
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from console.doctor.finding import Finding
from console.settings import Settings, SourceSettings
from console.settings_file import sqlite_path

# More than two clocks of one machine can differ by.
SLACK = timedelta(seconds=5)


def answers(settings: Settings) -> Iterator[Finding]:
    url = settings.database.url
    yield _database("database", url)
    yield _clock(_first(url, "SELECT body FROM ledger ORDER BY seq DESC LIMIT 1"))
    if not settings.demo:
        yield _known_passwords(url)
    yield from _sources(settings)


def _rows(url: str, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
    """Read only, and nothing when it cannot be read: that is an answer of its own, given once."""
    file = sqlite_path(url)
    if file is None or not file.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=5)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error:
        return []


def _first(url: str, query: str) -> Any:
    return next((row[0] for row in _rows(url, query)), None)


def _clock(newest_body: str | None) -> Finding:
    """Sessions, deadlines and the log go by it; a log from the future is the one thing that shows it."""
    now = datetime.now(UTC)
    written = datetime.fromisoformat(json.loads(newest_body)["at"]) if newest_body else now
    if written > now + SLACK:
        late = f"the log's newest entry is of {written:%Y-%m-%d %H:%M:%S} UTC"
        return Finding("bad", "clock", f"{now:%Y-%m-%d %H:%M:%S} UTC, but {late}: set the clock, run NTP")
    return Finding("ok", "clock", f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _known_passwords(url: str) -> Finding:
    from console.services import known_passwords

    names = known_passwords.NAMES
    marks = ", ".join("?" * len(names))
    query = f"SELECT name, password_hash FROM user WHERE disabled_at IS NULL AND name IN ({marks})"  # noqa: S608
    found = known_passwords.among(_rows(url, query, names))
    if found:
        cure = f"disable them ({'; '.join(f'console users disable {name}' for name in found)})"
        return Finding("bad", "demo accounts", f"{', '.join(found)} have the demo's password: {cure}")
    return Finding("ok", "demo accounts", "none has the demo's password")


def _checkpointer(subject: str, url: str) -> Iterator[Finding]:
    found = _database(subject, url)
    yield found
    tables = {row[0] for row in _rows(url, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    if found.mark == "ok" and tables and not {"checkpoints", "writes"} <= tables:
        yield Finding(
            "bad", subject, "has no tables of a LangGraph checkpointer: correct the source's checkpoints"
        )


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
            yield from _checkpointer(f"source {name}, checkpoints", source.checkpoints)


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
