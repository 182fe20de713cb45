"""Schemas with values for them, drawn together: valid ones, and ones that an agent got wrong."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "order_id", "kind", "é", "a/b", "~", ""])
WORDS = st.sampled_from(["", "x", "A-2048", "two\nlines", "é", "2026-01-31", "nobody@example.com", "x" * 90])
NUMBERS = st.sampled_from([0, -1, 3, 2**53 + 1, 0.1, -0.0, 1e21, 699.0])
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
Pair = tuple[Any, Any]


@st.composite
def scalars(draw: st.DrawFn) -> Pair:
    kind = draw(
        st.sampled_from(["string", "integer", "number", "boolean", "null", "enum", "const", "any", "types"])
    )
    match kind:
        case "string":
            extra = draw(
                st.sampled_from(
                    [
                        {},
                        {"minLength": 1},
                        {"maxLength": 20},
                        {"format": "date"},
                        {"pattern": "^[A-Z]-[0-9]{4}$"},
                    ]
                )
            )
            return {"type": "string", "title": "T", **extra}, draw(WORDS)
        case "integer":
            extra = draw(st.sampled_from([{}, {"minimum": 0}, {"maximum": 2**60}, {"multipleOf": 3}]))
            return {"type": "integer", **extra}, draw(st.integers(-5, 5) | st.integers())
        case "number":
            extra = draw(st.sampled_from([{}, {"exclusiveMinimum": 0}, {"default": 0.1}, {"maximum": 200}]))
            return {"type": "number", **extra}, draw(NUMBERS)
        case "boolean":
            return {"type": "boolean"}, draw(st.booleans())
        case "null":
            return {"type": "null"}, None
        case "enum":
            options = draw(
                st.lists(st.sampled_from(["card", "cash", 1, 2.5, None, True]), min_size=1, unique_by=repr)
            )
            return {"enum": options}, draw(st.sampled_from(options))
        case "const":
            value = draw(st.sampled_from(["card", 1, None]))
            return {"const": value}, value
        case "types":
            return {"type": ["string", "integer", "null"]}, draw(WORDS | st.integers(-3, 3) | st.none())
    return draw(st.sampled_from([True, {}, {"description": "anything"}])), draw(ANY)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    found = draw(st.dictionaries(KEYS, inner, max_size=4))
    schema: dict[str, Any] = {"type": "object", "properties": {key: each[0] for key, each in found.items()}}
    given = [key for key in found if draw(st.integers(0, 3))]
    schema["required"] = [key for key in given if draw(st.booleans())]
    value = {key: found[key][1] for key in draw(st.permutations(given))}
    match draw(st.sampled_from(["open", "closed", "more", "patterns", "dependent", "if"])):
        case "closed":
            schema["additionalProperties"] = False
        case "more":
            more, item = draw(inner)
            schema["additionalProperties"] = more
            value["more"] = item
        case "patterns":
            more, item = draw(inner)
            schema["patternProperties"] = {"^x-": more}
            value["x-1"] = item
        case "dependent" if found:
            schema["dependentRequired"] = {next(iter(found)): [draw(KEYS)]}
        case "if" if found:
            key = draw(st.sampled_from(list(found)))
            schema |= {"if": {"required": [key]}, "then": {"minProperties": 2}, "else": {"required": [key]}}
    return schema, value


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    schema, item = draw(inner)
    count = draw(st.integers(0, 3))
    match draw(st.sampled_from(["items", "bounds", "prefix", "unique"])):
        case "bounds":
            return {"type": "array", "items": schema, "minItems": 1, "maxItems": 2}, [item] * count
        case "prefix":
            first, value = draw(inner)
            return {"type": "array", "prefixItems": [first], "items": schema}, [value, *[item] * count]
        case "unique":
            return {"type": "array", "items": schema, "uniqueItems": True}, [item] * count
    return {"type": "array", "items": schema}, [item] * count


@st.composite
def combined(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    pairs = draw(st.lists(inner, min_size=1, max_size=3))
    schemas, (_, value) = [each[0] for each in pairs], draw(st.sampled_from(pairs))
    match draw(st.sampled_from(["anyOf", "oneOf", "nullable", "allOf", "not", "ref", "self"])):
        case "nullable":
            return {"anyOf": [schemas[0], {"type": "null"}], "default": None}, draw(
                st.sampled_from([pairs[0][1], None])
            )
        case "allOf":
            return {"allOf": [*schemas[:2], {"description": "both"}]}, value
        case "not":
            return {"not": schemas[0]}, value
        case "ref":
            return {"$ref": "#/$defs/shared"}, value
        case "self":
            return {"type": "object", "properties": {"next": {"$ref": "#"}}}, {"next": value}
        case name:
            return {name: schemas}, value
    raise AssertionError


NODES = st.recursive(scalars(), lambda inner: objects(inner) | lists(inner) | combined(inner), max_leaves=6)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Arguments are an object; the schema holds what its references name; one value in four is foreign."""
    schema, value = draw(objects(NODES))
    schema["$defs"] = {"shared": draw(scalars() | objects(scalars()))[0]}
    if not draw(st.integers(0, 3)):
        value = draw(st.dictionaries(KEYS, ANY, max_size=4))
    return schema, value


@st.composite
def texts(draw: st.DrawFn, value: Any) -> str:
    """One of the many JSON texts of a value."""
    indent, ascii_only = draw(st.sampled_from([None, None, 1, 2])), draw(st.booleans())
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " :  ")]))
    return json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=separators)
