"""The agents the console runs."""

import typer

from console.commands._options import Config, Data, Failure, composed

app = typer.Typer(help="The agents the console runs.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The agents the console runs."""


@app.command()
def check(data: Data = None, config: Config = None) -> None:
    """Load every agent as `serve` would, read its checkpoints, and name the types that are not loaded.

    Of each tool it says where the schema comes from that edits of its arguments are held to.
    """
    from console.services import sources
    from console.services.editing import ORIGINS

    refused = 0
    known: set[str] = set()
    with composed(config, data) as deps:
        for name in deps.sources:
            types = sources.check(deps, name)
            for type_name, threads in types.items():
                typer.echo(f"sources.{name}: not loaded: {escaped(type_name)}, held by {threads} threads")
            if not types:
                typer.echo(f"ok {name}: loaded, checkpoints can be read")
            for tool, origin in deps.sources[name].schema_origins().items():
                known.add(tool)
                typer.echo(f"   {escaped(tool)}: schema {ORIGINS[origin]}")
            refused += len(types)
        for tool in sorted(deps.settings.policy.tools.keys() - known):
            typer.echo(f"policy.tools.{escaped(tool)}: no agent shows a tool of this name")
        if not deps.sources:
            typer.echo("no source is named: add one to console.toml, or start with --demo")
    if refused:
        raise Failure(
            "nothing can be decided or run in threads that hold these types: going on would keep their values"
            " without the type. If your agent stores them, add them to its source's msgpack_allow"
        )


def escaped(text: str) -> str:
    """A checkpoint can name a type in any characters, and a terminal obeys some of them."""
    return text.encode("unicode_escape").decode("ascii")
