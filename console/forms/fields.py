"""A flat edit form: one typed field per scalar argument, exact JSON text for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.domain.errors import Problem
from console.domain.errors import pointer_of as pointer_of
from console.domain.text import has_lone_surrogate
from console.forms import checking
from console.forms.exact import JsonProblem, dumps, loads
from console.forms.schema import prepare

_SCALARS = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}
_HINTS = {
    "text": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "json": "JSON",
}


@dataclass(frozen=True)
class Field:
    """`kind`: text, integer, number, boolean, enum or json; `text` is what the input starts with.

    `options` holds the texts of an enum; `present` says whether the agent gave the argument at all.
    """

    pointer: str
    key: str
    kind: str
    text: str
    hint: str
    options: tuple[str, ...] = ()
    required: bool = False
    present: bool = True


def fields(args: Mapping[str, Any], schema: Mapping[str, Any] | None) -> list[Field]:
    """Arguments in stored order, then those the schema knows and the agent left out."""
    known = _properties(schema)
    wanted = (schema or {}).get("required")
    required = set(wanted) if isinstance(wanted, list) else set()
    keys = [*args, *(key for key in known if key not in args)]
    return [_field(key, args, known.get(key), key in required) for key in keys]


def _field(key: str, args: Mapping[str, Any], known: Any, required: bool) -> Field:
    present = key in args
    value = args.get(key)
    kind, options = _kind(value, known if isinstance(known, dict) else {}, present)
    text = _text(value, kind) if present else ""
    hint = f"one of {len(options)}" if options else _HINTS[kind]
    return Field(pointer_of(key), key, kind, text, hint, options, required, present)


def _kind(value: Any, known: Mapping[str, Any], present: bool) -> tuple[str, tuple[str, ...]]:
    choices = known.get("enum")
    texts = isinstance(choices, list) and choices and all(isinstance(choice, str) for choice in choices)
    if choices and texts and (not present or value in choices):
        return "enum", tuple(choices)
    kind = _SCALARS.get(str(known.get("type", "")), "") or _kind_of_value(value)
    return (kind if not present or _fits(value, kind) else "json"), ()


def _kind_of_value(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "text"
        case int():
            return "integer"
        case float():
            return "number"
    return "json"


def _fits(value: Any, kind: str) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0
    return False


def _text(value: Any, kind: str) -> str:
    return value if kind in {"text", "enum"} else dumps(value)


def merge(
    args: Mapping[str, Any], schema: Mapping[str, Any] | None, edits: Mapping[str, str]
) -> tuple[dict[str, Any], list[Problem]]:
    """Arguments with the edited texts put in; a text left as it was keeps its value untouched.

    Returns the new arguments and every problem by pointer, those of the schema included.
    """
    merged, problems = dict(args), []
    for field in fields(args, schema):
        text = edits.get(field.pointer)
        if text is None or (text == field.text and (field.present or not text)):
            continue
        if field.kind != "text" and not text.strip() and not field.required:
            merged.pop(field.key, None)
            continue
        try:
            merged[field.key] = read(text, field)
        except JsonProblem as problem:
            problems.append(Problem(str(problem), pointer=field.pointer))
    if not problems:
        problems = validate(merged, schema)
    return merged, problems


def read(text: str, field: Field) -> Any:
    """The value a person meant by `text` in this field; `JsonProblem` with the cure otherwise."""
    if field.kind in {"text", "enum"}:
        if has_lone_surrogate(text):
            raise JsonProblem("holds half a character; type it again")
        if field.kind == "enum" and text not in field.options:
            raise JsonProblem("choose one of the options")
        return text
    try:
        value = loads(text.strip())
    except JsonProblem as problem:
        if field.kind == "json" or "exactly" in str(problem):
            raise
        raise JsonProblem(f"must be a {_HINTS[field.kind]}") from None
    if field.kind != "json" and not _fits(value, field.kind):
        raise JsonProblem(
            "must be true or false" if field.kind == "boolean" else f"must be a {_HINTS[field.kind]}"
        )
    return value


def validate(args: Any, schema: Mapping[str, Any] | None) -> list[Problem]:
    """Every breach of the tool's schema by pointer; an argument the tool does not have is one, too."""
    if not isinstance(args, dict):
        return [Problem("arguments must be a JSON object")]
    if schema is None:
        return []
    found = breaches(args, schema)
    known = _properties(schema)
    if known and not schema.get("additionalProperties") and not schema.get("patternProperties"):
        found += [
            Problem(f"the tool has no argument {str(key)[:80]!r}", pointer=pointer_of(key))
            for key in args
            if key not in known
        ]
    return found


def breaches(value: Any, schema: Mapping[str, Any]) -> list[Problem]:
    """Where `value` breaks the schema; one that cannot be applied lets nothing pass."""
    return checking.breaches(prepare(schema), value)[0]


def _properties(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    found = (schema or {}).get("properties")
    return found if isinstance(found, dict) else {}
