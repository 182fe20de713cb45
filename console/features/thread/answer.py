"""The answer to an interrupt that is no approval: by a form where it brought a schema, else text or JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from console.forms.edits import Edit, Refused
from console.forms.exact import JsonProblem, loads
from console.forms.form import Form, open_form
from console.forms.schema import prepare_text
from console.forms.unread import MISSING

# The slot of its form.
ANSWER = "answer"


def form_of(schema_text: str) -> Form | None:
    """Begun where it has fields: an object that is not there has none to fill in."""
    if not schema_text:
        return None
    form = replace(open_form(MISSING, prepare_text(schema_text)), schema_origin="from the request")
    if form.tree.kind not in ("object", "array"):
        return form
    try:
        return replace(form.apply(Edit("add")), edits=(), before=None)
    except Refused:
        return form


def wanting(form: Form) -> str:
    """What keeps a form's answer from being sent; empty when nothing does."""
    if form.value is MISSING:
        return "The answer is empty"
    return "The answer is not complete" if form.errors else ""


def missing(text: str, as_json: bool) -> str:
    if not as_json:
        return "" if text.strip() else "The answer is empty"
    try:
        loads(text.strip())
    except JsonProblem as problem:
        return f"The answer is no JSON: {problem}" if text.strip() else "The answer is empty"
    return ""


def read(text: str, as_json: bool) -> Any:
    return loads(text.strip()) if as_json else text
