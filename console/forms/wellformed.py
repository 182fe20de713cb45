"""Whether a schema is one at all, as the metaschema of Draft 2020-12 says, in one pass.

jsonschema's own check takes a millisecond a property: six seconds for 5,000, while everybody waits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from console.forms.dialect import MANY, NAMED, ONE

# Schemas within one schema; a tool that needs more describes no arguments that a person could read.
MAX_NODES = 50_000
_TYPES = frozenset(["array", "boolean", "integer", "null", "number", "object", "string"])
_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")


def flaw(schema: Any) -> str:
    """What is wrong with it, in a few words with the place; empty when nothing is."""
    ahead, seen = [("", schema)], 0
    while ahead:
        place, node = ahead.pop()
        seen += 1
        if seen > MAX_NODES:
            return f"it holds more than {MAX_NODES:,} schemas"
        if isinstance(node, bool):
            continue
        if not isinstance(node, dict):
            return f"{place or 'the whole'} is neither an object nor true or false"
        for key, value in node.items():
            at = f"{place}/{key}"[:120]
            wanted = _WANTED.get(key)
            if wanted and not wanted(value):
                return f"{at} makes no sense"
            ahead += _below(at, key, value)
    return ""


def _below(at: str, key: str, value: Any) -> list[tuple[str, Any]]:
    if key in ONE and key != "additionalItems":
        return [(at, value)]
    if key in MANY:
        return [(f"{at}/{number}", each) for number, each in enumerate(value)]
    if key in NAMED:
        return [(f"{at}/{name}", each) for name, each in value.items()]
    if key == "dependencies":
        return [(f"{at}/{name}", each) for name, each in value.items() if not _texts(each)]
    return []


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value)) and len(set(value)) == len(value)


def _texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_texts, value.values()))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _positive(value: Any) -> bool:
    return _number(value) and value > 0


def _count(value: Any) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return whole and not isinstance(value, bool) and value >= 0


def _type(value: Any) -> bool:
    names = [value] if isinstance(value, str) else value
    return _texts(names) and bool(names) and set(names) <= _TYPES


def _anchor(value: Any) -> bool:
    return isinstance(value, str) and _ANCHOR.fullmatch(value) is not None


def _address(value: Any) -> bool:
    return isinstance(value, str) and "#" not in value[:-1]


def _each(words: str, check: Callable[[Any], bool]) -> dict[str, Callable[[Any], bool]]:
    return dict.fromkeys(words.split(), check)


_WANTED: dict[str, Callable[[Any], bool]] = {
    **_each("title description format pattern contentMediaType contentEncoding $comment $ref $schema", _text),
    **_each("$dynamicRef $recursiveRef", _text),
    **_each("uniqueItems readOnly writeOnly deprecated $recursiveAnchor", _flag),
    **_each("minLength maxLength minItems maxItems minProperties maxProperties minContains", _count),
    **_each("maxContains", _count),
    **_each("minimum maximum exclusiveMinimum exclusiveMaximum", _number),
    **_each("enum examples", _list),
    **_each("allOf anyOf oneOf prefixItems", _schemas),
    **_each(
        "properties patternProperties $defs definitions dependentSchemas dependencies $vocabulary", _object
    ),
    **_each("$anchor $dynamicAnchor", _anchor),
    "required": _texts,
    "dependentRequired": _texts_by_name,
    "multipleOf": _positive,
    "type": _type,
    "$id": _address,
}
