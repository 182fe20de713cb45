"""Edit forms, tried without an agent."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from console.commands._options import WrongUse, show_json

app = typer.Typer(help="Edit forms, tried without an agent.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Edit forms, tried without an agent."""


@app.command()
def preview(
    schema: Annotated[Path, typer.Option(help="JSON Schema of the arguments")],
    args: Annotated[Path, typer.Option(help="The arguments as JSON")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="POINTER=JSON", help="Edit a field")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False,
) -> None:
    """Show the form for these arguments, with edits put in and every error."""
    from console.forms.exact import JsonProblem, dumps, loads
    from console.forms.fields import fields, merge

    try:
        known, values = loads(schema.read_bytes()), loads(args.read_bytes())
        edits = dict(_edit(each) for each in set_ or ())
        texts = {
            pointer: value if isinstance(value, str) else dumps(value) for pointer, value in edits.items()
        }
    except (OSError, JsonProblem) as unread:
        raise WrongUse(f"cannot be read: {unread}") from None
    if not isinstance(known, dict) or not isinstance(values, dict):
        raise WrongUse("schema and arguments are JSON objects")
    form = fields(values, known)
    merged, problems = merge(values, known, texts)
    if as_json:
        drawn_as_text = [field.pointer for field in form if field.kind == "json"]
        shown = {
            "fields": form,
            "args_text": dumps(merged),
            "errors": problems,
            "drawn_as_text": drawn_as_text,
        }
        show_json({key: _rows(value) for key, value in shown.items()})
        return
    for field in form:
        typer.echo(f"{field.pointer}\t{field.kind}\t{texts.get(field.pointer, field.text)}")
    for problem in problems:
        typer.echo(f"{problem.pointer}: {problem.message}", err=True)


def _rows(value: object) -> object:
    if isinstance(value, list):
        return [dataclasses.asdict(each) if dataclasses.is_dataclass(each) else each for each in value]  # type: ignore[arg-type]
    return value


def _edit(text: str) -> tuple[str, object]:
    from console.forms.exact import loads

    pointer, equals, value = text.partition("=")
    if not equals or not pointer.startswith("/"):
        raise WrongUse(f"--set {text} is not of the form /pointer=JSON")
    return pointer, loads(value)
