"""Reviews, read from the command line."""

from typing import Annotated

import typer

from console.commands._options import Config, Data, composed, show_json, tables

app = typer.Typer(help="Reviews, read from the command line.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="For scripts")]
Unmask = Annotated[bool, typer.Option("--unmask", help="With masked values; an entry of the log says so")]


@app.command("list")
def list_reviews(
    status: Annotated[str | None, typer.Option(help="One status; else what needs a person")] = None,
    as_json: Json = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """The queue: alarms first, then the longest waiting, at most 200."""
    from console.domain.text import escape
    from console.services import accounts, inbox

    with tables(config, data) as deps:
        page = inbox.queue(deps, accounts.OPERATOR, status=status, limit=200)
    if as_json:
        show_json(page)
        return
    for row in page.items:
        tools = ", ".join(map(escape, row.tools)) or row.kind
        typer.echo(
            f"{row.id}  {row.status:<9}  {row.opened_at:%Y-%m-%d %H:%M:%S}  {tools}  {escape(row.headline)}"
        )
    more = f", more than {page.total}" if page.total_capped else ""
    typer.echo(f"{page.total} in all{more}.", err=True)


@app.command()
def show(
    review_id: Annotated[str, typer.Argument(metavar="ID")],
    as_json: Json = False,
    masked: Unmask = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """One review in full: every action, its arguments, and what was decided."""
    from console.domain.text import escape
    from console.services import accounts, inbox, unmask

    with tables(config, data) as deps:
        found = (unmask if masked else inbox).review(deps, accounts.OPERATOR, review_id)
    if as_json:
        show_json(found)
        return
    typer.echo(f"{found.id}  {found.status}  version {found.version}  thread {escape(found.thread_id)}")
    for action in found.actions:
        typer.echo(f"{action.position + 1}  {escape(action.name)}  {escape(action.args_text)}")
        typer.echo(f"   allowed: {', '.join(action.allowed_decisions)}")
        if action.decision_text:
            outcome = escape(action.outcome or "not settled yet")
            typer.echo(f"   {action.decision_text} by {found.decided_by}: {outcome}")


@app.command()
def repair(
    review_id: Annotated[str, typer.Argument(metavar="ID")],
    demo: Annotated[bool, typer.Option("--demo", help="The review is of the demo's source")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Have a thread that takes no answer any more ask again; a running worker then does it."""
    from console.services import accounts, resolve

    with composed(config, data, **({"demo": True} if demo else {})) as deps:
        thread = resolve.repair(deps, accounts.OPERATOR, review_id)
    typer.echo(f"Thread {thread.thread_ref} is being repaired; its new review appears in the queue.")


@app.command()
def close(
    review_id: Annotated[str, typer.Argument(metavar="ID")],
    reason: Annotated[str, typer.Option(help="Why the alarm is over; it goes into the log")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Take the alarm of a mismatch off the queue; the review stays a mismatch."""
    from console.services import accounts, alarms

    with tables(config, data) as deps:
        closed = alarms.close_mismatch(deps, accounts.OPERATOR, review_id, reason)
    typer.echo(f"The alarm of review {closed.id} is closed, and on record with its reason.")
