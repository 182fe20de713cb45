"""Tokens for scripts."""

from typing import Annotated

import typer

from console.commands._options import Config, Data, tables

app = typer.Typer(help="Tokens for scripts.", no_args_is_help=True)


@app.command()
def create(
    user: Annotated[str, typer.Argument(help="Whose rights the token has")],
    name: Annotated[str, typer.Option(help="What it is for")] = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """Make a token and print it, this once; its id follows on stderr."""
    from console.services import accounts

    with tables(config, data) as deps:
        token_id, token = accounts.create_token(deps, accounts.OPERATOR, user, name)
    typer.echo(token)
    typer.echo(f"Its id, for `console tokens revoke`: {token_id}", err=True)


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID")], data: Data = None, config: Config = None
) -> None:
    """Make a token worthless at once."""
    from console.services import accounts

    with tables(config, data) as deps:
        accounts.revoke_token(deps, accounts.OPERATOR, token_id)
    typer.echo(f"Token {token_id} revoked.")
