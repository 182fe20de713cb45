"""The agents the console runs."""

import typer

from console.commands._options import Config, Data, Failure, composed

app = typer.Typer(help="The agents the console runs.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The agents the console runs."""


@app.command()
def check(data: Data = None, config: Config = None) -> None:
    """Load every agent as `serve` would, and read its checkpoints once."""
    with composed(config, data) as deps:
        for name, source in deps.sources.items():
            if source.problem:
                raise Failure(f"sources.{name}: {source.problem}")
            source.snapshot("console-check-of-a-thread-that-is-not-there")
            typer.echo(f"ok {name}: loaded, checkpoints can be read")
        if not deps.sources:
            typer.echo("no source is named: add one to console.toml, or start with --demo")
