"""The one rule for keys that a schema does not name: refused where it closes the object, else only noted.

A tool whose arguments are a Python class drops what the class does not name, without a word, and its schema
does not say so. What was shown must be what runs, so such a schema is closed here before anybody sees it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

_SAYS = ("additionalProperties", "unevaluatedProperties", "patternProperties")
# Beside these, `additionalProperties` would not see what the other part names.
_BESIDE = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")


def closed(schema: Mapping[str, Any], *, but_open: bool = False) -> dict[str, Any]:
    """The schema of a Python class as the class keeps it: no object takes keys that nobody named.

    An object that says itself what else it takes is left as it is. `but_open`: the outermost takes all.
    """
    found = _closed(schema)
    return {**found, "additionalProperties": True} if but_open else found


def closed_around(schema: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """A schema that people wrote for such a class: beside what it names, only the class's own `names`.

    One that says itself what else it takes, or names more in another part of it, is left as it is.
    """
    if "properties" not in schema or any(key in schema for key in (*_SAYS, *_BESIDE)):
        return dict(schema)
    others = sorted(name for name in names if name not in schema["properties"])
    found = dict(schema)
    if others:
        found["patternProperties"] = {f"^(?:{'|'.join(map(re.escape, others))})$": {}}
    return {**found, "additionalProperties": False}


def _closed(schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return schema
    found = dict(schema)
    for key in ("properties", "$defs"):
        if isinstance(schema.get(key), Mapping):
            found[key] = {name: _closed(each) for name, each in schema[key].items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            found[key] = _closed(schema[key])
    # Beside properties a choice only narrows them, and each of its parts names but a few.
    for key in ("prefixItems", *(() if "properties" in schema else ("anyOf", "oneOf"))):
        if isinstance(schema.get(key), list):
            found[key] = [_closed(each) for each in schema[key]]
    if isinstance(schema.get("properties"), Mapping) and not any(key in schema for key in _SAYS):
        beside = any(key in schema for key in _BESIDE)
        found["unevaluatedProperties" if beside else "additionalProperties"] = False
    return found
