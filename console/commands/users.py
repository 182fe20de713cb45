"""People and their roles."""

import sys
from typing import Annotated

import typer

from console.commands._options import Config, Data, WrongUse, tables
from console.domain.access import Role

app = typer.Typer(help="People and their roles.", no_args_is_help=True)


def _password(from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise WrongUse("there is no terminal to ask for a password at: use --password-stdin")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))


@app.command()
def add(
    name: Annotated[str, typer.Argument()],
    role: Annotated[Role, typer.Option(help="Exactly one; none may sign in and see nothing")],
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read one line")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Add a person; the password is asked for, or read from standard input."""
    from console.services import accounts, people

    password = _password(password_stdin)
    with tables(config, data) as deps:
        people.add_user(deps, accounts.OPERATOR, name, role.value, password)
    typer.echo(f"{name} added as {role.value}.")


@app.command("list")
def list_users(data: Data = None, config: Config = None) -> None:
    """Everyone, with role and whether they may sign in."""
    from console.domain.text import escape
    from console.services import people

    with tables(config, data) as deps:
        for name, role, enabled in people.list_users(deps):
            typer.echo(f"{escape(name)}\t{role}\t{'enabled' if enabled else 'disabled'}")


@app.command()
def disable(name: str, data: Data = None, config: Config = None) -> None:
    """End every session and token of a person and refuse further sign-ins."""
    from console.services import accounts, people

    with tables(config, data) as deps:
        people.disable_user(deps, accounts.OPERATOR, name)
    typer.echo(f"{name} disabled.")


@app.command()
def role(name: str, role: Role, data: Data = None, config: Config = None) -> None:
    """Give a person another role; their sessions and tokens end."""
    from console.services import accounts, people

    with tables(config, data) as deps:
        people.change_role(deps, accounts.OPERATOR, name, role.value)
    typer.echo(f"{name} is now {role.value}.")


@app.command()
def enable(name: str, data: Data = None, config: Config = None) -> None:
    """Let a disabled person sign in again; sessions and tokens that ended stay ended."""
    from console.services import accounts, people

    with tables(config, data) as deps:
        people.enable_user(deps, accounts.OPERATOR, name)
    typer.echo(f"{name} enabled.")


@app.command()
def password(
    name: str,
    password_stdin: Annotated[bool, typer.Option("--password-stdin", help="Read one line")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Give a person another password; their sessions end, their tokens go on."""
    from console.services import accounts, people

    given = _password(password_stdin)
    with tables(config, data) as deps:
        people.set_password(deps, accounts.OPERATOR, name, given)
    typer.echo(f"{name} has a new password.")


@app.command("sign-out")
def sign_out(name: str, data: Data = None, config: Config = None) -> None:
    """End every session of a person."""
    from console.services import accounts, sessions

    with tables(config, data) as deps:
        ended = sessions.revoke_all(deps, accounts.OPERATOR, name)
    typer.echo(f"{name}: {ended} sessions ended.")
