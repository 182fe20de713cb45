"""From settings to working parts, without the pages: for the server, the worker and every command alike."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from console.settings import Settings, SourceSettings
from console.settings_file import SettingsError, sqlite_path

if TYPE_CHECKING:
    from console.services.deps import Deps
    from console.sources.port import Source
    from console.store.engine import Engine


def compose(settings: Settings) -> "Deps":
    """Open the database (migrated), load every agent, and install the result as this process's own."""
    return _install(settings, open_sources(settings))


def compose_without_agents(settings: Settings) -> "Deps":
    """For commands on the console's own tables: no stranger's code is imported."""
    return _install(settings, {})


def _install(settings: Settings, sources: "dict[str, Source]") -> "Deps":
    from console.services import accounts, deps

    made = deps.Deps(settings=settings, engine=open_database(settings), sources=sources)
    accounts.ensure_demo_accounts(made)
    deps.install(made)
    return made


def prepare(settings: Settings) -> None:
    """What can be refused before the port opens: a data folder, a database that can be written."""
    open_database(settings).dispose()


def open_database(settings: Settings) -> "Engine":
    from sqlalchemy.exc import SQLAlchemyError

    from console.store.engine import open_engine
    from console.store.schema import upgrade

    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as wrong:
        reason = f"the data folder {settings.data} cannot be made ({wrong.strerror})"
        raise SettingsError(f"{reason}: use --data") from None
    if sqlite_path(settings.database.url) is None:
        raise SettingsError(
            f"database.url {settings.database.url!r} is not of the form sqlite:///path: correct it"
        )
    try:
        engine = open_engine(settings.database.url)
        upgrade(engine)
    except (OSError, SQLAlchemyError) as wrong:
        reason = str(getattr(wrong, "orig", wrong)).splitlines()[0]
        place = sqlite_path(settings.database.url)
        raise SettingsError(
            f"the database {place} cannot be written ({reason}): correct database.url or --data"
        ) from None
    return engine


def open_sources(settings: Settings) -> "dict[str, Source]":
    """Import every agent. `SettingsError` names the source whose agent cannot be loaded."""
    # The demo's graph is made by a factory without arguments, so its shop is named in the environment.
    os.environ.setdefault("CONSOLE_DEMO_SHOP", str(settings.shop))
    return {name: _open_source(name, source) for name, source in settings.sources.items()}


def _open_source(name: str, source: SourceSettings) -> "Source":
    from console.sources.loading import load_graph
    from console.sources.local import LocalSource
    from console.sources.port import SourceError

    if source.graph is None:
        raise SettingsError(
            f"sources.{name} names a LangGraph Server, which this version cannot reach: name a graph"
        )
    checkpoints = sqlite_path(source.checkpoints or "")
    if checkpoints is None:
        raise SettingsError(f"sources.{name}.checkpoints is not of the form sqlite:///path: correct it")
    try:
        return LocalSource(
            name,
            load_graph(source.graph, Path.cwd()),
            checkpoints,
            context=source.context_values,
            config=source.config,
            recursion_limit=source.recursion_limit,
            msgpack_allow=source.msgpack_allow,
        )
    except SourceError as wrong:
        raise SettingsError(f"sources.{name}: {wrong}") from None
