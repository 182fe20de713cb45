"""What every command takes after its name, and how every command fails."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.settings import Settings, load_settings
from console.settings_file import SettingsError

if TYPE_CHECKING:
    from console.services.deps import Deps

Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Folder of what is not placed explicitly [.data]")
]
Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file [./console.toml, if there]")
]


class Failure(Exception):
    """Raised by a command: one line with the cause and the cure, exit status 1."""


class WrongUse(Exception):
    """Raised by a command: one line with the cause and the cure, exit status 2."""


def read_settings(config: Path | None, data: Path | None, **given: Any) -> Settings:
    try:
        return load_settings(config, data, **given)
    except SettingsError as wrong:
        raise WrongUse(str(wrong)) from None


@contextmanager
def composed(config: Path | None, data: Path | None, **given: Any) -> Iterator["Deps"]:
    """The console's parts, agents included, for one command."""
    from console.compose import compose

    with _parts(compose, read_settings(config, data, **given)) as deps:
        yield deps


@contextmanager
def tables(config: Path | None, data: Path | None) -> Iterator["Deps"]:
    """The same without agents: for commands on the console's own tables."""
    from console.compose import compose_without_agents

    with _parts(compose_without_agents, read_settings(config, data)) as deps:
        yield deps


@contextmanager
def _parts(make: Callable[[Settings], "Deps"], settings: Settings) -> Iterator["Deps"]:
    """What the console refuses becomes the command's failure."""
    from console.domain.errors import ConsoleError

    try:
        yield make(settings)
    except SettingsError as wrong:
        raise WrongUse(str(wrong)) from None
    except ConsoleError as refused:
        raise Failure(refused.detail) from None


def show_json(value: Any) -> None:
    """One JSON document on stdout, times in RFC 3339, everything escaped that a terminal might obey."""
    typer.echo(json.dumps(value, default=_plain, indent=2))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else list(value)  # type: ignore[arg-type]
