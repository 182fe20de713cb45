"""JSON that loses nothing: strict reading, exact writing.

Reading refuses what Python or a browser would silently change (duplicate keys, NaN, numbers with more
digits than a float keeps). Writing gives every Python value an agent may propose one text; what JSON
does not know is tagged `{"$t": kind, "v": …}`.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from collections.abc import Iterator
from typing import Any

from console.domain.canonical import escape_surrogates
from console.domain.text import has_lone_surrogate

MAX_DEPTH = 100
_TAG = "$t"
# What stands for everything below MAX_DEPTH. In a text it cannot mean anything else: a key of that name is
# tagged itself, and inside a string the quotes are escaped.
_CUT = {_TAG: "deep"}
_CUT_TEXT = json.dumps(_CUT)
# Python refuses to print longer integers in decimal (sys.get_int_max_str_digits).
_PRINTABLE_BITS = 14_000


class JsonProblem(ValueError):
    """The text is not JSON, or not JSON that can be kept exactly; the message is for a person."""


def loads(text: str | bytes) -> Any:
    """Parse JSON (RFC 8259); raise `JsonProblem` for what could not be kept digit for digit."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JsonProblem(f"not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise JsonProblem(f"not JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels") from None
    if depth(value) > MAX_DEPTH:
        raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels")
    return value


def depth(value: Any) -> int:
    """How many containers deep `value` goes; 0 for a scalar. Iterative, so depth itself cannot overflow."""
    deepest, level = 0, [value]
    while True:
        below = [item for node in level if isinstance(node, dict | list) for item in _children(node)]
        if not any(isinstance(node, dict | list) for node in level):
            return deepest
        deepest, level = deepest + 1, below


def _children(node: dict[str, Any] | list[Any]) -> Any:
    return node.values() if isinstance(node, dict) else node


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise JsonProblem(f"the key {key[:80]!r} stands twice in one object")
        found[key] = value
    return found


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise JsonProblem("a number with too many digits") from None


def _float(text: str) -> float:
    value = float(text)
    try:
        same = math.isfinite(value) and decimal.Decimal(text) == decimal.Decimal(repr(value))
    except decimal.DecimalException:
        same = False
    if not same:
        raise JsonProblem(f"the number {text[:60]} cannot be kept exactly; the nearest is {value!r}")
    return value


def _constant(text: str) -> Any:
    raise JsonProblem(f"{text} is not JSON")


def dumps(value: Any) -> str:
    """The exact JSON text of any Python value: ints in full, floats by repr, keys in stored order.

    Exact down to MAX_DEPTH levels; `is_cut` tells whether something lay deeper.
    """
    return escape_surrogates(json.dumps(tagged(value), ensure_ascii=False, allow_nan=False))


def is_cut(text: str) -> bool:
    """True for a text of `dumps` that leaves out what was nested too deep."""
    return _CUT_TEXT in text


def tagged(value: Any, level: int = 0) -> Any:
    """`value` with everything JSON does not know in its tagged form (facts: datetimes, sets, NaN, …)."""
    match value:
        case enum.Enum():
            return {_TAG: "enum", "v": repr(value)}
        case None | bool() | str():
            return value
        case int():
            return value if value.bit_length() < _PRINTABLE_BITS else {_TAG: "int", "v": hex(value)}
        case float():
            return value if math.isfinite(value) else {_TAG: "float", "v": repr(value)}
        case _ if level > MAX_DEPTH:
            return _CUT
        case dict():
            return _tagged_dict(value, level + 1)
        case list() | tuple():
            return [tagged(item, level + 1) for item in value]
        case set() | frozenset():
            return {_TAG: "set", "v": sorted((tagged(item, level + 1) for item in value), key=repr)}
        case bytes() | bytearray():
            return {_TAG: "bytes", "v": base64.b64encode(value).decode()}
        case datetime.datetime() | datetime.date() | datetime.time():
            return {_TAG: type(value).__name__, "v": value.isoformat()}
        case decimal.Decimal() | uuid.UUID():
            return {_TAG: type(value).__name__.lower(), "v": str(value)}
    return _tagged_object(value, level + 1)


def _tagged_dict(value: dict[Any, Any], level: int) -> Any:
    if all(isinstance(key, str) and not key.startswith(_TAG) for key in value):
        return {key: tagged(item, level) for key, item in value.items()}
    return {_TAG: "map", "v": [[tagged(key, level), tagged(item, level)] for key, item in value.items()]}


def _tagged_object(value: Any, level: int) -> Any:
    name = type(value).__name__
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {_TAG: "dataclass", "cls": name, "v": tagged(fields, level)}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return {_TAG: "model", "cls": name, "v": tagged(dump(), level)}
    return {_TAG: "repr", "cls": name, "v": repr(value)[:10_000]}


def untagged(value: Any) -> Any:
    """What `loads` read of a text of `dumps`, with objects again that have keys like a tag's.

    What JSON does not know stays tagged: it has no value here.
    """
    match value:
        case list():
            return [untagged(item) for item in value]
        case {"$t": "map", "v": list(pairs)}:
            if all(isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is str for pair in pairs):
                return {key: untagged(item) for key, item in pairs}
            return value
        case dict():
            return value if _TAG in value else {key: untagged(item) for key, item in value.items()}
    return value


def stand_ins(value: Any) -> Iterator[tuple[object, ...]]:
    """The paths of objects that stand for something JSON does not know, such as NaN or a set."""
    match value:
        case dict():
            if _TAG in value:
                yield ()
                return
            for key, item in value.items():
                yield from ((key, *path) for path in stand_ins(item))
        case list():
            for at, item in enumerate(value):
                yield from ((at, *path) for path in stand_ins(item))


def plain(value: Any) -> str:
    """The text of a value without `flaws`, as JSON has it: nothing in it is tagged."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def flaws(value: Any) -> Iterator[tuple[tuple[object, ...], str]]:
    """(path, why) of everything that a stored answer could not keep exactly as a person gave it."""
    match value:
        case None | bool():
            return
        case int():
            if value.bit_length() > _PRINTABLE_BITS:
                yield (), "a number of thousands of digits cannot be kept"
        case str():
            if has_lone_surrogate(value):
                yield (), "holds half a character; type it again"
        case float():
            if not math.isfinite(value):
                yield (), f"{value!r} is not JSON"
        case dict():
            for key, item in value.items():
                if not isinstance(key, str) or has_lone_surrogate(key):
                    yield (key,), "the key is not one that JSON can keep"
                yield from (((key, *path), why) for path, why in flaws(item))
        case list():
            for at, item in enumerate(value):
                yield from (((at, *path), why) for path, why in flaws(item))
        case _:
            yield (), f"a {type(value).__name__} is not JSON"


def is_plain_json(value: Any) -> bool:
    """True when `loads(dumps(value))` gives `value` back, so that a person may edit it as JSON text."""
    try:
        return same(loads(dumps(value)), value)
    except (JsonProblem, RecursionError):
        return False


def same(left: Any, right: Any) -> bool:
    """Equality that keeps types apart (1, 1.0, True and "1" differ) and lets NaN equal NaN."""
    if type(left) is not type(right):
        return False
    match left:
        case dict():
            return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
        case list():
            return len(left) == len(right) and all(map(same, left, right))
        case float():
            return repr(left) == repr(right)
    return bool(left == right)
