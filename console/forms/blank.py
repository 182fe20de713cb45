"""What a new item, key or form begins with: nothing that a person did not choose, and no default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.forms.kinds import TEXTS, kind_of, type_of
from console.forms.shape import Shape, Shaper
from console.forms.unread import MISSING, Unread, is_read
from console.forms.variants import fixed_keys

NEEDED = "needs a value"


def blank(shaper: Shaper, schema: Any, pointer: str, like: Any = MISSING) -> Any:
    """An empty value for this schema; where it has none, such as a number, a text that is still to come.

    `like` is a neighbour, whose type counts where the schema does not say any.
    """
    shape = shaper.shape(schema, MISSING, pointer)
    if len(shape.options or []) == 1:
        return (shape.options or [None])[0]
    return _of_kind(shaper, shape, kind_of(shape, MISSING)[0], pointer, like)


def _of_kind(shaper: Shaper, shape: Shape, kind: str, pointer: str, like: Any) -> Any:
    if kind in TEXTS:
        return ""
    if kind == "object":
        return fixed(shape.schema)
    if kind == "array":
        return _items(shaper, shape, pointer)
    if kind == "null":
        return None
    if kind == "json" and is_read(like):
        return {"string": "", "object": {}, "array": []}.get(type_of(like), Unread("", NEEDED))
    return Unread("", NEEDED)


def _items(shaper: Shaper, shape: Shape, pointer: str) -> list[Any]:
    """The places that the schema names must all be there; others are added one by one."""
    places = shape.schema.get("prefixItems", [])
    return [blank(shaper, each, f"{pointer}/{at}") for at, each in enumerate(places)]


def fixed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that are needed and can have one value only, such as the one that names the form."""
    wanted = schema.get("required", [])
    return {key: each[0] for key, each in fixed_keys(schema).items() if key in wanted and len(each) == 1}


def adapted(shaper: Shaper, shape: Shape, to: int, value: Any, pointer: str) -> Any:
    """The value under another form: what both know stays, what tells the forms apart is set."""
    branch = shape.branches[to]
    if isinstance(value, dict) and ("properties" in branch or branch.get("type") == "object"):
        names = branch.get("properties", {})
        told = fixed(branch)
        stays = {key: each for key, each in value.items() if key in names and key not in fixed_keys(branch)}
        return {**{key: told.get(key, each) for key, each in stays.items()}, **told}
    kept = shaper.shape(branch, value, pointer + "\0")
    if is_read(value) and value is not None and not kind_of(kept, value)[1]:
        return value
    return blank(shaper, branch, pointer + "\0")
