"""Find and read console.toml (or LangGraph's langgraph.json) and make its relative paths absolute."""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PREFIX = "CONSOLE_"
SQLITE = "sqlite:///"
DEFAULT_FILE = "console.toml"


class SettingsError(Exception):
    """One line: the cause and its cure."""


def sqlite_url(path: Path) -> str:
    return f"{SQLITE}{path}"


def sqlite_path(url: str) -> Path | None:
    """The file of an sqlite:/// address, as written; None for another database or one in memory."""
    rest = url.removeprefix(SQLITE)
    return Path(rest) if rest != url and rest and not rest.startswith(":memory:") else None


def find_file(config: Path | None) -> Path | None:
    if config is not None:
        if not config.is_file():
            raise SettingsError(f"there is no settings file {config}: correct --config")
        return config.absolute()
    default = Path(DEFAULT_FILE).absolute()
    return default if default.is_file() else None


def read_file(file: Path | None) -> dict[str, Any]:
    """Shaped like Settings. Without any source named, the langgraph.json beside it names them."""
    folder = file.parent if file else Path.cwd()
    try:
        content = tomllib.loads(file.read_text("utf-8")) if file else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise SettingsError(f"{file} cannot be read as TOML: {wrong}") from None
    if not content.get("sources") and (folder / "langgraph.json").is_file():
        content["sources"] = read_langgraph_json(folder / "langgraph.json")
    anchor(content, folder)
    return content


def read_langgraph_json(file: Path) -> dict[str, Any]:
    """Its `graphs` as sources. A graph is "./file.py:name" or an object with that under `path`."""
    try:
        graphs = json.loads(file.read_text("utf-8")).get("graphs", {})
        named = {name: graph["path"] if isinstance(graph, dict) else graph for name, graph in graphs.items()}
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as wrong:
        raise SettingsError(f"{file} cannot be read ({wrong}): correct it, or name sources") from None
    return {name: {"graph": graph} for name, graph in named.items()}


def anchor(content: dict[str, Any], folder: Path) -> None:
    """Relative paths of a file are relative to that file, wherever the command was started."""

    def path(value: str) -> str:
        return str(folder / Path(value).expanduser())

    def database(value: str) -> str:
        file = sqlite_path(value)
        return sqlite_url(folder / file) if file else value

    def target(value: str) -> str:
        file, colon, name = value.rpartition(":")
        return f"{folder / file}{colon}{name}" if file.endswith(".py") else value

    _rewrite(content, ("data",), path)
    _rewrite(content, ("database", "url"), database)
    for key in ("heads", "key"):
        _rewrite(content, ("ledger", key), path)
    for key in ("tls_cert", "tls_key"):
        _rewrite(content, ("server", key), path)
    _rewrite(content, ("policy", "tools", "*", "schema"), path)
    _rewrite(content, ("sources", "*", "checkpoints"), database)
    for key in ("graph", "context", "simulators", "store"):
        _rewrite(content, ("sources", "*", key), target)


def _rewrite(table: Any, keys: tuple[str, ...], change: Callable[[str], str]) -> None:
    """Values of the wrong kind are left alone: the model names them better than this could."""
    if not isinstance(table, dict):
        return
    head, *rest = keys
    for key in list(table) if head == "*" else [head]:
        if rest:
            _rewrite(table.get(key), tuple(rest), change)
        elif isinstance(table.get(key), str):
            table[key] = change(table[key])


def refuse_unknown_variables(known: frozenset[str], environ: Mapping[str, str] | None = None) -> None:
    """A misspelt section in a variable's name would otherwise be a setting that silently does nothing."""
    for name in os.environ if environ is None else environ:
        section, nested, _ = name.removeprefix(PREFIX).partition("__")
        if name.startswith(PREFIX) and nested and section.lower() not in known:
            sections = ", ".join(sorted(known))
            raise SettingsError(f"unknown setting {name}: its section is none of {sections}")
