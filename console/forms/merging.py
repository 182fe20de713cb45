"""Two schemas that hold at once, as one that is drawn; refused unless it means the same.

What is merged here only decides which fields are drawn. Whether a value is valid is always asked of the
schema as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from console.forms.exact import same

# What says something about a field without restricting it: the outer word counts.
_SPOKEN = frozenset(
    ["title", "description", "default", "examples", "$comment", "format", "contentMediaType", "deprecated"]
)
_LARGER = frozenset(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"])
_SMALLER = frozenset(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"])
# Checked by the validator, never drawn: two of them need not become one.
_CHECKED = frozenset(
    [
        "pattern",
        "not",
        "contains",
        "multipleOf",
        "uniqueItems",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "dependentRequired",
        "discriminator",
        "contentEncoding",
    ]
)


class Undrawable(Exception):
    """The part is drawn as exact JSON text instead; the message says why."""


def both(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what fits `left` and `right`; `Undrawable` when that is no single form."""
    _refuse_closed(left, right)
    _refuse_closed(right, left)
    found = dict(left)
    for key, value in right.items():
        if key not in found or same(found[key], value):
            found[key] = value
        elif key in _SPOKEN or key in _CHECKED:
            continue
        elif key in _LARGER | _SMALLER:
            found[key] = _bound(key, found[key], value)
        elif key in _JOINED:
            found[key] = _JOINED[key](found[key], value)
        elif not key.startswith(("x-", "$")):
            raise Undrawable(f"its schema says {key} twice, and not the same")
    return found


def _refuse_closed(closed: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """A part that names all its keys forbids those that only its neighbour names."""
    if closed.get("additionalProperties", True) is True and "patternProperties" not in closed:
        return
    if not set(_mapping(other.get("properties"))) <= set(_mapping(closed.get("properties"))):
        raise Undrawable("one part of its schema closes the object that another part adds to")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _bound(key: str, left: Any, right: Any) -> Any:
    numbers = [each for each in (left, right) if isinstance(each, int | float)]
    if len(numbers) < 2:
        raise Undrawable("its schema is broken")
    return max(numbers) if key in _LARGER else min(numbers)


def _each_key(left: Any, right: Any) -> Any:
    found = dict(_mapping(left))
    for name, schema in _mapping(right).items():
        found[name] = _at_once(found[name], schema) if name in found else schema
    return found


def _at_once(left: Any, right: Any) -> Any:
    return {"allOf": [left, right]}


def _types(left: Any, right: Any) -> Any:
    ours, theirs = ([each] if isinstance(each, str) else list(each) for each in (left, right))
    shared = [each for each in ours if each in theirs or (each == "integer" and "number" in theirs)]
    shared += [each for each in theirs if each == "integer" and "number" in ours and each not in shared]
    if not shared:
        raise Undrawable("its schema asks for two types at once")
    return shared[0] if len(shared) == 1 else shared


def _options(left: Any, right: Any) -> Any:
    return [each for each in left if any(same(each, other) for other in right)]


def _required(left: Any, right: Any) -> Any:
    return [*left, *(each for each in right if each not in left)]


def _either(left: Any, right: Any) -> Any:
    return bool(left or right)


def _same_length(left: Any, right: Any) -> Any:
    if len(left) != len(right):
        raise Undrawable("its schema describes the list twice, with different lengths")
    return [_at_once(ours, theirs) for ours, theirs in zip(left, right, strict=True)]


_JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "properties": _each_key,
    "required": _required,
    "type": _types,
    "enum": _options,
    "items": _at_once,
    "additionalProperties": _at_once,
    "prefixItems": _same_length,
    "readOnly": _either,
    "writeOnly": _either,
}
