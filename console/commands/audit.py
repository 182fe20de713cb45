"""The audit log, checked from the command line."""

from typing import Annotated

import typer

from console.commands._options import Config, Data, WrongUse, read_settings

app = typer.Typer(help="The audit log, checked from the command line.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The audit log, checked from the command line."""


@app.command()
def verify(
    fast: Annotated[bool, typer.Option("--fast", help="Chain and signed roots (the default)")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Also parse and cross-check every entry")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Exit 0 intact, 1 broken, 2 not readable, 3 cut or rolled back, 4 intact with an unsigned tail."""
    from console.services.report_lines import in_lines
    from console.services.verify import verify as check
    from console.settings_file import sqlite_path

    if fast and deep:
        raise WrongUse("--fast and --deep exclude each other: give one")
    settings = read_settings(config, data)
    database = sqlite_path(settings.database.url)
    if database is None:
        raise WrongUse(f"database.url {settings.database.url!r} is no SQLite file: correct it")
    own = settings.data / "heads"
    second = [settings.ledger.heads / "heads.txt"] if settings.ledger.heads else []
    report = check(database, [own / "heads.txt", *second], own / "ledger.pub", deep=deep)
    for line in in_lines(report):
        typer.echo(line)
    raise typer.Exit(report.status)
