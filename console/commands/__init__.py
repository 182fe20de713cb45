"""Groups of commands. A module here named `users` with an `app: typer.Typer` becomes `console users …`.

Modules are imported on every start of the command line: what is heavy is imported inside the command.
"""

import importlib
import pkgutil
from collections.abc import Iterator

import typer


def groups() -> Iterator[tuple[str, typer.Typer]]:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            yield module.name, importlib.import_module(f"{__name__}.{module.name}").app
