"""Tokens for scripts."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from console.commands._options import Config, Data, WrongUse, tables
from console.domain.access import Scope

app = typer.Typer(help="Tokens for scripts.", no_args_is_help=True)


def _end(days: int | None) -> datetime | None:
    if days is not None and not 1 <= days <= 3660:
        raise WrongUse("--days is 1 to 3660")
    return None if days is None else datetime.now(UTC) + timedelta(days=days)


@app.command()
def create(
    user: Annotated[str, typer.Argument(help="Whose rights the token has")],
    name: Annotated[str, typer.Option(help="What it is for")] = "",
    scope: Annotated[
        Scope, typer.Option(help="read: what its owner may see; decide: all that its owner may do")
    ] = Scope.DECIDE,
    days: Annotated[int | None, typer.Option(help="How long it is valid [until revoked]")] = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Make a token and print it, this once; its id follows on stderr."""
    from console.services import accounts, tokens

    with tables(config, data) as deps:
        made = tokens.create_token(deps, accounts.OPERATOR, user, name, scope.value, _end(days))
    token_id, token = made
    typer.echo(token)
    typer.echo(f"Its id, for `console tokens revoke`: {token_id}", err=True)


@app.command("list")
def list_tokens(
    user: Annotated[str | None, typer.Argument(help="Only this person's, revoked ones, too")] = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Tokens in force: id, person, scope, made, valid until, last used, name."""
    from console.domain.text import escape
    from console.services import accounts, tokens

    with tables(config, data) as deps:
        if user is None:
            found = tokens.everyones(deps, accounts.OPERATOR)
        else:
            found = tokens.of_user(deps, accounts.OPERATOR, user)
    for each in found:
        state = "revoked" if each.revoked_at else _day(each.expires_at, "no end")
        used = f"used {_day(each.used_at, 'never')}"
        line = (each.id, escape(each.user), each.scope, _day(each.created_at, ""), state, used)
        typer.echo("\t".join((*line, escape(each.name))))


def _day(at: datetime | None, otherwise: str) -> str:
    return at.strftime("%Y-%m-%dT%H:%MZ") if at else otherwise


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID")], data: Data = None, config: Config = None
) -> None:
    """Make a token worthless at once."""
    from console.services import accounts, tokens

    with tables(config, data) as deps:
        tokens.revoke_token(deps, accounts.OPERATOR, token_id)
    typer.echo(f"Token {token_id} revoked.")
