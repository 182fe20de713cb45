"""JSON Schema of Draft 7 said in the words of Draft 2020-12, so that one reader and one validator suffice."""

from __future__ import annotations

from typing import Any

LATEST = "https://json-schema.org/draft/2020-12/schema"
_OLDER = ("draft-06/schema", "draft-07/schema")
# Keywords whose value is one schema, a list of schemas, or schemas by name.
ONE = frozenset(
    [
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "additionalItems",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    ]
)
MANY = frozenset(["allOf", "anyOf", "oneOf", "prefixItems"])
NAMED = frozenset(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"])


def is_older(schema: Any) -> bool:
    """True for a schema that says so."""
    said = schema.get("$schema") if isinstance(schema, dict) else None
    return isinstance(said, str) and said.rstrip("#").endswith(_OLDER)


def modern(schema: Any) -> Any:
    """The same schema for Draft 2020-12; the very object when it is of that draft already.

    What makes no sense in either draft is left as it is, for the validator to name.
    """
    return {**_renamed(schema), "$schema": LATEST} if is_older(schema) else schema


def _renamed(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        # In Draft 7 whatever stands beside a reference is ignored, except what is referred to.
        kept = {key: schema[key] for key in ("$ref", "$defs", "definitions") if key in schema}
        return {key: _below(key, value) for key, value in kept.items()}
    found = {key: _below(key, value) for key, value in schema.items()}
    if isinstance(found.get("items"), list):
        found["prefixItems"] = [_renamed(each) for each in found.pop("items")]
        if "additionalItems" in found:
            found["items"] = found["additionalItems"]
    found.pop("additionalItems", None)
    _split_dependencies(found)
    return found


def _below(key: str, value: Any) -> Any:
    if key in ONE and isinstance(value, dict):
        return _renamed(value)
    if key in MANY and isinstance(value, list):
        return [_renamed(each) for each in value]
    if (key in NAMED or key == "dependencies") and isinstance(value, dict):
        return {name: _renamed(each) for name, each in value.items()}
    return value


def _split_dependencies(schema: dict[str, Any]) -> None:
    dependencies = schema.get("dependencies")
    if not isinstance(dependencies, dict):
        return
    del schema["dependencies"]
    keys = {name: each for name, each in dependencies.items() if isinstance(each, list)}
    schemas = {name: each for name, each in dependencies.items() if not isinstance(each, list)}
    if keys:
        schema["dependentRequired"] = keys
    if schemas:
        schema["dependentSchemas"] = schemas
