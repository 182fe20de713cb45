"""The audit log, read, checked and exported from the command line."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands._audit_filters import (
    Kind,
    Outcome,
    Person,
    Review,
    Since,
    Text,
    Thread,
    Tool,
    Until,
    Verdict,
    filters,
)
from console.commands._options import Config, Data, Failure, WrongUse, read_settings, show_json, tables

if TYPE_CHECKING:
    from console.services.notes import Head
    from console.services.views import AuditRow
    from console.settings import Settings

HELP = "The audit log, read, checked and exported from the command line."
app = typer.Typer(help=HELP, no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="For scripts")]
Unmask = Annotated[bool, typer.Option("--unmask", help="With masked values; an entry says so")]


@app.callback(help=HELP)
def group() -> None:
    """Without it a single command would lose its name."""


@app.command()
def verify(
    fast: Annotated[bool, typer.Option("--fast", help="Chain and signed roots (the default)")] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Also parse and cross-check every entry")] = False,
    since: Annotated[
        str | None,
        typer.Option(metavar="HEAD", help="Only what follows a head: its size, or a file that holds it"),
    ] = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Exit 0 intact, 1 broken, 2 not readable, 3 cut or rolled back, 4 intact with an unsigned tail."""
    from console.services import head_files
    from console.services.report_lines import in_lines
    from console.services.verify import verify as check
    from console.settings_file import sqlite_path

    if fast and deep:
        raise WrongUse("--fast and --deep exclude each other: give one")
    settings = read_settings(config, data)
    database = sqlite_path(settings.database.url)
    if database is None:
        raise WrongUse(f"database.url {settings.database.url!r} is no SQLite file: correct it")
    key = head_files.public_key_file(settings)
    begin = _head(since, settings) if since is not None else None
    with _progress("Checking") as progress:
        report = check(database, head_files.files(settings), key, deep=deep, since=begin, progress=progress)
    for line in in_lines(report):
        typer.echo(line)
    raise typer.Exit(report.status)


def _head(given: str, settings: "Settings") -> "int | Head":
    """A size, or the largest head in a file that this log's key signed."""
    from console.services import head_files, notes

    if given.isdecimal() and len(given) < 19:
        return int(given)
    try:
        keys = head_files.public_keys(settings)
        found = [head for head in notes.read_heads(Path(given).read_text(), keys, None) if head.valid]
    except (OSError, ValueError) as wrong:
        raise WrongUse(f"--since {given}: {wrong}") from None
    if not found:
        raise WrongUse(f"--since {given}: no head in it was signed by this log's key")
    return max(found, key=lambda head: head.size)


@app.command("list")
def list_entries(
    q: Text = None,
    kind: Kind = None,
    actor: Person = None,
    tool: Tool = None,
    thread: Thread = None,
    review: Review = None,
    verdict: Verdict = None,
    outcome: Outcome = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="At most so many")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended")] = None,
    as_json: Json = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Entries, newest first."""
    from console.services import accounts, audit

    chosen = filters(q, kind, actor, tool, thread, review, verdict, outcome, since, until)
    with tables(config, data) as deps:
        page = audit.log(deps, accounts.OPERATOR, **chosen, limit=limit, cursor=cursor)
    if as_json:
        show_json(page)
        return
    for row in page.items:
        typer.echo(_line(row))
    more = f"; older ones with --cursor {page.next_cursor}" if page.next_cursor else ""
    total = f"more than {page.total}" if page.total_capped else str(page.total)
    typer.echo(f"{total} in all{more}.", err=True)


@app.command()
def show(
    seq: Annotated[int, typer.Argument(metavar="NUMBER")],
    as_json: Json = False,
    masked: Unmask = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """One entry in full: what was proposed, decided and executed, and the story it belongs to."""
    from console.domain.text import escape
    from console.services import accounts, audit, unmask

    with tables(config, data) as deps:
        found = (unmask if masked else audit).entry(deps, accounts.OPERATOR, seq)
    if as_json:
        show_json(found)
        return
    typer.echo(_line(found.row))
    for side in found.sides:
        typer.echo(f"{side.position + 1}  {escape(side.tool)}: {escape(side.outcome or side.decision)}")
        for name in ("proposed", "decided", "executed"):
            typer.echo(f"   {name:<9} {escape(getattr(side, name + '_args')) or '-'}")
    for row in found.timeline:
        typer.echo(f"  {_line(row)}")


@app.command()
def head(as_json: Json = False, data: Data = None, config: Config = None) -> None:
    """The newest signed head, with eight words to compare."""
    from console.services import accounts, audit

    with tables(config, data) as deps:
        found = audit.head(deps, accounts.OPERATOR)
    if found is None:
        raise Failure("nothing is signed yet: heads are signed while `console serve` runs")
    if as_json:
        show_json(found)
        return
    typer.echo(found.note.rstrip("\n"))
    typer.echo(f"{found.fingerprint}  ({found.size} entries, {found.unsigned} since)")


@app.command()
def export(
    file_format: Annotated[
        str, typer.Option("--format", help="jsonl (verifies without the database) or csv")
    ] = "jsonl",
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="A new file; else standard output")
    ] = None,
    q: Text = None,
    kind: Kind = None,
    actor: Person = None,
    tool: Tool = None,
    thread: Thread = None,
    review: Review = None,
    verdict: Verdict = None,
    outcome: Outcome = None,
    since: Since = None,
    until: Until = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """The log as a file, oldest entry first; the export itself becomes an entry."""
    from console.services import accounts
    from console.services.export import FORMATS, stream

    if file_format not in FORMATS:
        raise WrongUse(f"--format {file_format} is not one of {', '.join(FORMATS)}")
    chosen = filters(q, kind, actor, tool, thread, review, verdict, outcome, since, until)
    with tables(config, data) as deps, _progress("Exporting") as progress:
        pieces = stream(deps, accounts.OPERATOR, format=file_format, **chosen, progress=progress)
        if output is None:
            for piece in pieces:
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        else:
            _write(output, pieces)


def _write(output: Path, pieces: Iterator[bytes]) -> None:
    """Never over a file that is there, and never half a file under its name."""
    if output.exists():
        raise WrongUse(f"{output} exists already: name a new file")
    part = output.with_name(output.name + ".part")
    try:
        with part.open("xb") as file:
            file.writelines(pieces)
        part.rename(output)
    except OSError as wrong:
        raise Failure(f"{output} cannot be written ({wrong.strerror}): choose another --output") from None


@app.command()
def erase(
    seq: Annotated[int, typer.Argument(metavar="NUMBER")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Delete the arguments and messages an entry only commits to; the log stays whole and says so."""
    from console.services import accounts, redact

    with tables(config, data) as deps:
        recorded = redact.erase(deps, accounts.OPERATOR, seq, reason)
    typer.echo(f"The payload of entry {seq} is erased; entry {recorded} says so.")


@app.command("rotate-key")
def rotate_key(
    reason: Annotated[str, typer.Option(help="Why; it is recorded")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Replace the signing key by a new one; both sign the head that says so."""
    from console.services import accounts, head_files, heads

    with tables(config, data) as deps:
        recorded = heads.rotate(deps, accounts.OPERATOR, reason)
        public = head_files.public_key_file(deps.settings)
    typer.echo(f"A new key signs from now on; entry {recorded} says so.")
    typer.echo(f"Give {public} anew to whoever checks exports: it names both keys.")


def _line(row: "AuditRow") -> str:
    from console.domain.text import escape

    about = escape(row.tool or "")
    return (
        f"{row.seq:>7}  {row.at:%Y-%m-%d %H:%M:%S}  {escape(row.actor):<12}  {row.kind:<16}"
        f"  {escape(row.what)}{f'  {about}' if about else ''}"
    )


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's standard error; nothing where a script reads it."""
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
