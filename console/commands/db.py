"""The console's own tables."""

import typer

from console.commands._options import Config, Data, Failure, read_settings

app = typer.Typer(help="The console's own tables.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The console's own tables."""


@app.command()
def upgrade(data: Data = None, config: Config = None) -> None:
    """Create the database, or bring its tables up to date."""
    from console.compose import prepare
    from console.settings_file import SettingsError

    settings = read_settings(config, data)
    try:
        prepare(settings)
    except SettingsError as wrong:
        raise Failure(str(wrong)) from None
    typer.echo(f"The database {settings.database.url} is up to date.")
