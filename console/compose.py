"""From settings to working parts, without the pages: for the server, the worker and every command alike."""

import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from console.settings import Settings, SourceSettings
from console.settings_file import SettingsError, sqlite_path

if TYPE_CHECKING:
    from console.services.deps import Deps
    from console.sources.port import Source
    from console.store.engine import Engine


log = logging.getLogger("console")
# Keys of a tool's policy that this version keeps.
ENFORCED = frozenset({"idempotent", "args_schema"})


def compose(settings: Settings) -> "Deps":
    """Open the database (migrated), load every agent, and install the result as this process's own."""
    refuse_unenforced(settings)
    make_data_folder(settings)
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


def refuse_known_passwords(made: "Deps") -> None:
    """A data folder that a demo has used keeps its accounts, and everyone knows their password."""
    from console.services import known_passwords

    if made.settings.server.on_loopback:
        return
    if found := known_passwords.enabled(made):
        raise SettingsError(
            f"{made.settings.server.host} is not a loopback address, and {', '.join(found)} have the demo's "
            "password: disable them with `console users disable NAME`, or use another --data"
        )


def prepare(settings: Settings) -> None:
    """What can be refused before the port opens: a data folder, a database that can be written."""
    open_database(settings).dispose()


def open_database(settings: Settings) -> "Engine":
    """The console's own database, migrated. What a person can mend is refused before the engine sees it."""
    from console.store.engine import open_engine
    from console.store.schema import upgrade

    make_data_folder(settings)
    file = sqlite_path(settings.database.url)
    if file is None:
        raise SettingsError(
            f"database.url {settings.database.url!r} is not of the form sqlite:///path: correct it"
        )
    refuse_unwritable(file)
    engine = open_engine(settings.database.url)
    upgrade(engine)
    return engine


def make_data_folder(settings: Settings) -> None:
    """Before anything writes into it, since only its first maker can close it to other users."""
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as wrong:
        reason = f"the data folder {settings.data} cannot be made ({wrong.strerror})"
        raise SettingsError(f"{reason}: use --data") from None


def refuse_unwritable(file: Path) -> None:
    """Takes the write lock and gives it back: no folder, no permission, no database, all are found here."""
    from console.store.engine import keep_private

    try:
        keep_private(file)
        with closing(sqlite3.connect(file, timeout=30, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except (sqlite3.Error, OSError) as wrong:
        words = wrong.strerror if isinstance(wrong, OSError) else wrong
        reason = f"the database {file} cannot be written ({words})"
        raise SettingsError(f"{reason}: correct database.url or --data") from None


def refuse_unenforced(settings: Settings) -> None:
    """A rule that is written down and not kept would be worse than none."""
    for name, policy in settings.policy.tools.items():
        if idle := sorted(policy.model_fields_set - ENFORCED):
            raise SettingsError(f"policy.tools.{name}.{idle[0]} is not kept by this version: remove it")


def open_sources(settings: Settings) -> "dict[str, Source]":
    """Import every agent. One that cannot be loaded is stood in for: its verdicts wait, all else goes on."""
    # The demo's graph is made by a factory without arguments, so its shop is named in the environment.
    os.environ.setdefault("CONSOLE_DEMO_SHOP", str(settings.shop))
    schemas = read_schemas(settings)
    return {name: _open_source(name, source, schemas) for name, source in settings.sources.items()}


def read_schemas(settings: Settings) -> dict[str, dict[str, Any]]:
    """The schemas that people set for tools. One that cannot be applied would let no edit pass: refused."""
    from console.forms.exact import JsonProblem, loads
    from console.forms.schema import prepare

    found: dict[str, dict[str, Any]] = {}
    for name, policy in settings.policy.tools.items():
        if policy.args_schema is None:
            continue
        try:
            schema = loads(policy.args_schema.read_bytes())
            wrong = prepare(schema).broken if isinstance(schema, dict) else "it is no JSON object"
        except (OSError, JsonProblem) as problem:
            wrong = f"{policy.args_schema}: {problem.strerror if isinstance(problem, OSError) else problem}"
        if wrong:
            raise SettingsError(f"policy.tools.{name}.schema cannot be used ({wrong}): correct the file")
        found[name] = schema
    return found


def _open_source(name: str, source: SourceSettings, schemas: dict[str, dict[str, Any]]) -> "Source":
    from console.sources.loading import load_graph
    from console.sources.local import LocalSource
    from console.sources.missing import MissingSource
    from console.sources.port import SourceError
    from console.store.engine import keep_private

    if source.graph is None:
        raise SettingsError(
            f"sources.{name} names a LangGraph Server, which this version cannot reach: name a graph"
        )
    checkpoints = sqlite_path(source.checkpoints or "")
    if checkpoints is None:
        raise SettingsError(f"sources.{name}.checkpoints is not of the form sqlite:///path: correct it")
    try:
        checkpoints.parent.mkdir(parents=True, exist_ok=True)
        keep_private(checkpoints)
    except OSError as wrong:
        reason = f"its checkpoints {checkpoints} cannot be written ({wrong.strerror})"
        raise SettingsError(f"sources.{name}: {reason}") from None
    try:
        return LocalSource(
            name,
            load_graph(source.graph, Path.cwd()),
            checkpoints,
            context=source.context_values,
            config=source.config,
            recursion_limit=source.recursion_limit,
            msgpack_allow=source.msgpack_allow,
            schemas=schemas,
        )
    except SourceError as wrong:
        log.warning("sources.%s: %s. Its threads cannot be read or run until that is mended.", name, wrong)
        return MissingSource(name, str(wrong))
