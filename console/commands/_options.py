"""What every command takes after its name, and how every command fails."""

from pathlib import Path
from typing import Annotated, Any

import typer

from console.settings import Settings, load_settings
from console.settings_file import SettingsError

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
