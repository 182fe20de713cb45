"""Edit forms, tried without an agent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands._options import WrongUse, show_json

if TYPE_CHECKING:
    from console.forms.form import Form

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
    form = _edited(_opened(schema, args), set_ or [])
    if as_json:
        show_json(_document(form))
        return
    for field in form.tree.walk():
        if field.pointer:
            typer.echo(f"{field.pointer}\t{field.kind}\t{field.text or field.state}")
    for problem in form.errors:
        typer.echo(f"{problem.pointer}: {problem.message}", err=True)


def _opened(schema: Path, args: Path) -> "Form":
    from console.forms.exact import JsonProblem, loads
    from console.forms.form import open_text

    try:
        known, text = loads(schema.read_bytes()), args.read_bytes().decode()
        form = open_text(text, known)
    except (OSError, UnicodeDecodeError, JsonProblem) as unread:
        raise WrongUse(f"cannot be read: {unread}") from None
    if not isinstance(known, dict) or not isinstance(form.value, dict):
        raise WrongUse("schema and arguments are JSON objects")
    return form


def _edited(form: "Form", edits: list[str]) -> "Form":
    from console.forms.edits import Edit, Refused
    from console.forms.exact import JsonProblem, loads

    for each in edits:
        pointer, equals, value = each.partition("=")
        if not equals or not pointer.startswith("/"):
            raise WrongUse(f"--set {each} is not of the form /pointer=JSON")
        try:
            loads(value)
        except JsonProblem as problem:
            # A number that cannot be kept is the form's to name, at its pointer; what is no JSON is not.
            if "exactly" not in str(problem):
                raise WrongUse(f"cannot be read: {problem}") from None
        try:
            form = form.apply(Edit("json", pointer, value))
        except Refused as refused:
            raise WrongUse(f"--set {each}: {refused}") from None
    return form


def _document(form: "Form") -> dict[str, object]:
    """`fields` are the arguments, each with its `children`; the notes of those drawn as text say why."""
    from console.forms.field import as_json

    problems = [{"pointer": each.pointer, "message": each.message} for each in form.errors]
    warnings = [{"pointer": each.pointer, "message": each.message} for each in form.warnings]
    fields = form.tree.children if form.tree.kind == "object" else [form.tree]
    return {
        "fields": [as_json(each) for each in fields],
        "args_text": form.args_text,
        "errors": problems,
        "warnings": warnings,
        "drawn_as_text": [pointer for pointer, _ in form.drawn_as_text],
    }
