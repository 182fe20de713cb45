"""What one value looks like under its schema: references followed, conditions decided, choices laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from console.forms import bounded, kinds, patterns, variants
from console.forms.limits import MAX_OPTIONS, MAX_STEPS_TO_A_SCHEMA
from console.forms.merging import Undrawable, both
from console.forms.schema import Clock, Schema
from console.forms.unread import MISSING, is_read

_FOREIGN = ("$dynamicRef", "$recursiveRef")
_APPLIED = frozenset(["$ref", "allOf", "if", "then", "else", "dependentSchemas", "dependentRequired"])
_NOT_THERE = "not in the schema"


@dataclass(frozen=True)
class Shape:
    """`schema` draws the value: no references, conditions or choices are left in it.

    `types` are the types it allows, empty for any. `variants` are titles, `branches` their schemas, `chosen`
    an index into both or -1, `title` that of the whole choice. `why` says why the value must be drawn as
    JSON text instead.
    """

    schema: Mapping[str, Any] = field(default_factory=dict)
    types: tuple[str, ...] = ()
    nullable: bool = False
    variants: tuple[str, ...] = ()
    branches: tuple[Mapping[str, Any], ...] = ()
    chosen: int = -1
    why: str = ""
    title: str = ""

    @property
    def options(self) -> list[Any] | None:
        """What may be chosen from; None where the value is free."""
        if "const" in self.schema:
            return [self.schema["const"]]
        found = self.schema.get("enum")
        if not isinstance(found, list) or len(found) > MAX_OPTIONS:
            return None
        return [each for each in found if each is not None] if self.nullable else found

    def count(self, keyword: str) -> int:
        """A bound such as maxItems; 0 when there is none."""
        found = self.schema.get(keyword)
        return int(found) if isinstance(found, int | float) else 0

    def names(self) -> dict[str, Any]:
        found = self.schema.get("properties")
        return found if isinstance(found, dict) else {}

    def wanted(self) -> list[str]:
        found = self.schema.get("required")
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


class Shaper:
    """Answers for one form. `choices` are the variants a person chose, by pointer."""

    def __init__(self, schema: Schema, choices: Mapping[str, int]) -> None:
        self.schema, self.choices, self.clock = schema, choices, Clock()

    def shape(self, schema: Any, value: Any, pointer: str) -> Shape:
        if self.schema.broken:
            return Shape(why=self.schema.broken)
        try:
            return self._shape(self.flat(schema, value), value, pointer)
        except Undrawable as reason:
            return Shape(why=str(reason))
        except (bounded.Unusable, patterns.TooSlow, patterns.Broken) as problem:
            return Shape(why=str(problem))

    def flat(self, schema: Any, value: Any, steps: int = 0) -> Mapping[str, Any]:
        """One schema of plain keywords, and at most one choice, that holds for this value."""
        if schema is True:
            return {}
        if schema is False:
            raise Undrawable("its schema allows no value here")
        if not isinstance(schema, dict) or steps > MAX_STEPS_TO_A_SCHEMA:
            raise Undrawable("its schema refers to itself without end" if steps else "its schema is broken")
        if not schema.keys() & _APPLIED and not any(key in schema for key in _FOREIGN):
            return schema
        if any(key in schema for key in _FOREIGN):
            raise Undrawable("its schema refers to something that is only known from where it is used")
        own = {key: each for key, each in schema.items() if key not in _APPLIED}
        parts = [self.flat(part, value, steps + 1) for part in self._parts(schema, value)]
        return reduce(both, [own, *parts, self._needed(schema, value)])

    def _parts(self, schema: Mapping[str, Any], value: Any) -> list[Any]:
        parts: list[Any] = [self.schema.target(schema["$ref"])] if "$ref" in schema else []
        parts += schema.get("allOf", [])
        if "if" in schema and value is not MISSING:
            branch = "then" if self.fits(value, schema["if"]) else "else"
            parts.append(schema.get(branch, True))
        if isinstance(value, dict):
            parts += [each for key, each in schema.get("dependentSchemas", {}).items() if key in value]
        return parts

    def _needed(self, schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            return {}
        needed = [each for key, each in schema.get("dependentRequired", {}).items() if key in value]
        return {"required": [key for each in needed for key in each]} if needed else {}

    def fits(self, value: Any, schema: Any) -> bool:
        if self.clock.left() <= 0:
            raise Undrawable("finding out which form fits takes too long")
        return self.schema.checker.fits(value, schema, self.clock.left())

    def _shape(self, flat: Mapping[str, Any], value: Any, pointer: str) -> Shape:
        branches, nullable = variants.branches(flat, self)
        if branches is None:
            kinds = _types(flat)
            return Shape(flat, tuple(each for each in kinds if each != "null" or len(kinds) == 1), nullable)
        if len(branches) == 1:
            inner = self._shape(self.flat(branches[0], value), value, pointer)
            return _nullable(inner) if nullable else inner
        flats = [self.flat(each, value) for each in branches]
        titles = variants.titles(branches, flats)
        chosen = variants.choose(flats, value, self, self.choices.get(pointer))
        if chosen < 0:
            kept = {key: flat[key] for key in ("title", "description", "default") if key in flat}
            return Shape(kept, (), nullable, titles, tuple(flats), -1, f"fits none of {len(flats)} forms")
        inner = self._shape(flats[chosen], value, pointer + "\0")
        if inner.variants:
            raise Undrawable("its schema holds a choice within a choice")
        nullable = nullable or inner.nullable
        title = str(flat.get("title", ""))
        return Shape(inner.schema, inner.types, nullable, titles, tuple(flats), chosen, title=title)

    def child(self, shape: Shape, key: str | int) -> tuple[Any, str]:
        """The schema of what stands at `key`, and a note about it."""
        if isinstance(key, int):
            fixed = shape.schema.get("prefixItems", [])
            return (fixed[key] if key < len(fixed) else shape.schema.get("items", True)), ""
        parts = [shape.names()[key]] if key in shape.names() else []
        for pattern, each in shape.schema.get("patternProperties", {}).items():
            if patterns.matches(pattern, key):
                parts.append(each)
        if parts:
            return (parts[0] if len(parts) == 1 else {"allOf": parts}), ""
        more = shape.schema.get("additionalProperties", True)
        if more is False or (more is True and self.schema.given and shape.names()):
            return True, _NOT_THERE
        return more, ""

    def takes_more_keys(self, shape: Shape) -> bool:
        closed = (
            shape.schema.get("additionalProperties", True) is False
            or shape.schema.get("unevaluatedProperties", True) is False
        )
        return not closed or bool(shape.schema.get("patternProperties"))

    def takes_more_items(self, shape: Shape, length: int) -> bool:
        if shape.count("maxItems") and length >= shape.count("maxItems"):
            return False
        return self.child(shape, length)[0] is not False


def _nullable(shape: Shape) -> Shape:
    return replace(shape, nullable=True)


def _types(flat: Mapping[str, Any]) -> list[str]:
    found = flat.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def is_option(shape: Shape, value: Any) -> bool:
    return is_read(value) and any(kinds.equals(value, each) for each in shape.options or [])
