"""Which widget a value gets, what its text is, and in words what it takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from console.domain.text import has_lone_surrogate
from console.forms import formats
from console.forms.limits import LONG_TEXT
from console.forms.tokens import raw_of, write
from console.forms.unread import MISSING, Unread, is_read

if TYPE_CHECKING:
    from console.forms.shape import Shape

TEXTS = frozenset(["text", "area", "date", "date-time", "time", "email", "uri", "uuid"])
_WIDGETS = frozenset(["date", "date-time", "time", "email", "uri", "uuid"])
_OF_TYPE = {name: name for name in ("integer", "number", "boolean", "object", "array")}
_NOUNS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "yes or no",
    "object": "an object",
    "array": "a list",
    "null": "no value",
}
# Keywords that only make sense for one type, for schemas that do not name it.
_TELLING = {
    "properties": "object",
    "additionalProperties": "object",
    "patternProperties": "object",
    "items": "array",
    "prefixItems": "array",
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "format": "string",
    "minimum": "number",
    "maximum": "number",
    "multipleOf": "number",
}


def type_of(value: Any) -> str:
    """The JSON type of a value; empty for what JSON does not know."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case dict():
            return "object"
        case list():
            return "array"
    return ""


def fits_type(value: Any, name: str) -> bool:
    """As JSON Schema has it: 1.0 is an integer, and every integer is a number."""
    found = type_of(value)
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return found == name or (name == "number" and found == "integer")


def equals(left: Any, right: Any) -> bool:
    """As JSON Schema compares: 1 and 1.0 are one number, 1 and true are not one value."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equals(each, right[key]) for key, each in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equals, left, right))
    return bool(left == right)


def in_words(name: str) -> str:
    return _NOUNS.get(name, "a value that JSON does not know")


def kind_of(shape: Shape, value: Any) -> tuple[str, str]:
    """The widget, and why it is JSON text where the schema says something else."""
    if shape.why:
        return "json", shape.why
    if isinstance(value, Unread) and value.is_json:
        return "json", "typed as JSON"
    wanted = shape.types[0] if len(shape.types) == 1 else _guessed(shape, value)
    if not is_read(value) or value is None:
        return _of_nothing(shape, wanted or ("null" if value is None else ""))
    if not is_json(value):
        return "json", "holds a value that JSON does not know"
    if shape.options is not None:
        return _of_options(shape, value)
    if shape.types and not any(fits_type(value, each) for each in shape.types):
        return "json", f"{in_words(type_of(value))} where {in_words(wanted)} is expected"
    if isinstance(value, str) and _changes_in_an_input(value):
        return "json", "holds characters that a text field would change"
    return _of_type(shape, wanted, value)


def _of_nothing(shape: Shape, wanted: str) -> tuple[str, str]:
    if shape.options:
        return _of_options(shape, None)
    return ("null", "") if wanted == "null" else _of_type(shape, wanted, "")


def _of_options(shape: Shape, value: Any) -> tuple[str, str]:
    options = shape.options or []
    if any(isinstance(each, dict | list) for each in [value, *options]):
        return "json", "is one of several whole values"
    return "enum", ""


def is_json(value: Any) -> bool:
    """Whether JSON knows the value; of containers only their own kind is asked."""
    if isinstance(value, dict):
        return "$t" not in value
    if isinstance(value, float) and raw_of(value) is None:
        return math.isfinite(value)
    return bool(type_of(value))


def _guessed(shape: Shape, value: Any) -> str:
    if is_read(value) and value is not None:
        return type_of(value)
    return next((name for key, name in _TELLING.items() if key in shape.schema), "")


def _of_type(shape: Shape, name: str, value: Any) -> tuple[str, str]:
    if name == "string":
        return _of_text(shape, value if isinstance(value, str) else ""), ""
    return (_OF_TYPE[name], "") if name in _OF_TYPE else ("json", "its schema does not say what it is")


def _of_text(shape: Shape, value: str) -> str:
    wanted = shape.schema.get("format")
    if wanted in _WIDGETS and (not value or not formats.warning(value, wanted)):
        return str(wanted)
    media = shape.schema.get("contentMediaType")
    is_long = len(value) > LONG_TEXT or "\n" in value or shape.count("maxLength") > 4 * LONG_TEXT
    return "area" if is_long or isinstance(media, str) else "text"


def _changes_in_an_input(text: str) -> bool:
    return "\r" in text or "\0" in text or has_lone_surrogate(text)


def text_of(value: Any, kind: str) -> str:
    """What stands in the widget: a text as it is, everything else as exact JSON."""
    if isinstance(value, Unread):
        return value.text
    if value is MISSING or (value is None and kind not in ("json", "null")):
        return ""
    return str(value) if kind in TEXTS and isinstance(value, str) else write(value)


def state_of(value: Any, shape: Shape) -> str:
    """missing, unread, null, empty, default or value: six things that look alike and are not."""
    if value is MISSING:
        return "missing"
    if isinstance(value, Unread):
        return "unread"
    if value is None:
        return "null"
    if "default" in shape.schema and write(value) == write(shape.schema["default"]):
        return "default"
    return "empty" if value == "" else "value"


def hint_of(shape: Shape, kind: str) -> str:
    """Such as "whole number, at least 1" or "one of 3"."""
    if kind == "enum":
        return f"one of {len(shape.options or [])}"
    if kind == "json":
        return "JSON"
    noun = {"area": "text", "text": "text", "integer": "whole number", "boolean": "yes or no"}.get(kind, kind)
    words = [{"object": "fields", "array": "list", "null": "no value"}.get(noun, noun)]
    for keyword, said in _BOUNDS:
        if keyword in shape.schema and kind not in ("object",):
            words.append(said.format(counted(shape.schema[keyword], _COUNTED.get(keyword, ""))))
    return ", ".join(words)


def counted(number: Any, noun: str = "") -> str:
    """The number as it is written, with its noun in the right form."""
    return f"{write(number)} {noun if number == 1 else noun + 's'}" if noun else write(number)


_BOUNDS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "more than {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "at least {}"),
    ("maxLength", "at most {}"),
    ("minItems", "at least {}"),
    ("maxItems", "at most {}"),
)
_COUNTED = {"minLength": "character", "maxLength": "character", "minItems": "item", "maxItems": "item"}
