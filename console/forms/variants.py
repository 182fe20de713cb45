"""`anyOf`, `oneOf` and lists of types as a choice: what there is to choose from, and what the value is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from console.forms.kinds import equals, fits_type
from console.forms.limits import MAX_VARIANTS
from console.forms.merging import Undrawable, both
from console.forms.unread import MISSING, is_read

_CHOICES = ("anyOf", "oneOf")
# Branches that only say which keys belong together are checked, and there is nothing in them to draw.
_ONLY_CHECKED = frozenset(["required", "not", "title", "description", "minProperties", "maxProperties"])
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "object": "fields",
    "array": "list",
    "null": "no value",
}


class Asked(Protocol):
    """What the choice needs to know of its form."""

    def flat(self, schema: Any, value: Any, steps: int = 0) -> Mapping[str, Any]: ...

    def fits(self, value: Any, schema: Any) -> bool: ...


def branches(flat: Mapping[str, Any], form: Asked) -> tuple[list[Any] | None, bool]:
    """What may be chosen from, "no value" left out, and whether there is "no value"; None for no choice."""
    named = [key for key in _CHOICES if key in flat]
    if named:
        return _branches_of(flat, named, form)
    types = flat.get("type")
    if not isinstance(types, list):
        return None, _is_null(flat) or None in flat.get("enum", [])
    left = [each for each in types if each != "null"]
    nullable = "null" in types
    if "enum" in flat or "const" in flat or not left:
        return None, nullable
    typed: list[Mapping[str, Any]] = [{**flat, "type": each} for each in left]
    return (typed if len(typed) == 1 else [_named(each, {}) for each in typed]), nullable


def _branches_of(flat: Mapping[str, Any], named: list[str], form: Asked) -> tuple[list[Any] | None, bool]:
    if len(named) > 1:
        raise Undrawable("its schema holds two choices at once")
    given, base = flat[named[0]], {key: each for key, each in flat.items() if key != named[0]}
    if all(isinstance(each, dict) and set(each) <= _ONLY_CHECKED for each in given):
        return [base], False
    flats = [part for each in given for part in _opened(each, form)]
    left = [each for each in flats if not _is_null(each)]
    if len(left) > MAX_VARIANTS:
        raise Undrawable(f"its schema offers more than {MAX_VARIANTS} forms")
    if not left:
        return None, True
    nullable = len(left) < len(flats)
    if nullable and isinstance(base.get("type"), list):
        base["type"] = [each for each in base["type"] if each != "null"]
    merged = [both(base, each) for each in left]
    return (merged if len(merged) == 1 else list(map(_named, merged, left))), nullable


def _named(merged: Mapping[str, Any], branch: Mapping[str, Any]) -> dict[str, Any]:
    """By its own title: that of the choice names them all."""
    found = {key: each for key, each in merged.items() if key != "title"}
    return {**found, "title": branch["title"]} if "title" in branch else found


def _opened(branch: Any, form: Asked) -> list[Mapping[str, Any]]:
    """A branch that is nothing but a choice itself offers its own branches here."""
    flat = form.flat(branch, MISSING, 1)
    if isinstance(branch, dict) and not flat.keys() - {"anyOf", "title", "description"} and "anyOf" in flat:
        return [form.flat(each, MISSING, 1) for each in flat["anyOf"]]
    named = _name_of(branch)
    return [{**flat, "title": named} if named and "title" not in flat else flat]


def _name_of(branch: Any) -> str:
    reference = branch.get("$ref") if isinstance(branch, dict) else None
    return reference.rsplit("/", 1)[-1] if isinstance(reference, str) else ""


def _is_null(flat: Mapping[str, Any]) -> bool:
    options = [flat["const"]] if "const" in flat else flat.get("enum")
    return flat.get("type") in ("null", ["null"]) or options == [None]


def titles(given: Sequence[Any], flats: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A name for each, no two alike."""
    names = [_title(each, number) for number, each in enumerate(flats, 1)]
    often = Counter(names)
    return tuple(f"{name} ({number})" if often[name] > 1 else name for number, name in enumerate(names, 1))


def _title(flat: Mapping[str, Any], number: int) -> str:
    if isinstance(flat.get("title"), str):
        return str(flat["title"])
    fixed = [f"{key}: {each['const']}" for key, each in _properties(flat).items() if "const" in each]
    if fixed:
        return fixed[0]
    if isinstance(flat.get("const"), str):
        return str(flat["const"])
    return _WORDS.get(str(flat.get("type")), f"form {number}")


def _properties(flat: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found = flat.get("properties")
    known = found if isinstance(found, dict) else {}
    return {key: each for key, each in known.items() if isinstance(each, dict)}


def choose(flats: Sequence[Mapping[str, Any]], value: Any, form: Asked, wanted: int | None) -> int:
    """The form that the value is of: the one a person chose, else by fixed keys, else the first that fits."""
    chosen = wanted if wanted is not None and 0 <= wanted < len(flats) else 0
    if not is_read(value) or (wanted == chosen and could_be(value, flats[chosen])):
        return chosen
    likely = [number for number, each in enumerate(flats) if could_be(value, each)]
    if value is None or len(likely) == 1:
        return likely[0] if likely else 0
    for number in likely:
        if form.fits(value, flats[number]):
            return number
    return likely[0] if likely else -1


def could_be(value: Any, flat: Mapping[str, Any]) -> bool:
    """Whether the value has the type of this form, and the keys that are fixed in it."""
    types = flat.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(fits_type(value, each) for each in types):
        return False
    if "const" in flat and not equals(value, flat["const"]):
        return False
    if not isinstance(value, dict):
        return "properties" not in flat or bool(types)
    return all(
        key not in value or any(equals(value[key], each) for each in fixed)
        for key, fixed in fixed_keys(flat).items()
    )


def fixed_keys(flat: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Keys that can only have one value each, which tell one form from another."""
    found = {}
    for key, each in _properties(flat).items():
        options = [each["const"]] if "const" in each else each.get("enum")
        if isinstance(options, list) and ("const" in each or key in flat.get("required", [])):
            found[key] = options
    return found
