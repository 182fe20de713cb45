"""From schema and arguments to the tree of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from console.domain.errors import Problem, pointer_of
from console.forms import formats, kinds
from console.forms.exact import same
from console.forms.field import Field, Option
from console.forms.limits import MAX_CHILDREN, MAX_FIELDS, MAX_LEVELS
from console.forms.shape import Shape, Shaper, is_option
from console.forms.tokens import write
from console.forms.unread import MISSING, Unread, is_read

_TOO_DEEP = f"more than {MAX_LEVELS} levels deep"
_TOO_MANY = f"more than {MAX_FIELDS:,} fields"


@dataclass(frozen=True)
class Spot:
    """Where a value stands: what it is called there, what may be done with it, and what it was."""

    pointer: str
    key: str
    was: Any
    level: int = 0
    required: bool = False
    note: str = ""
    can_remove: bool = False
    can_move: bool = False
    can_rename: bool = False
    read_only: bool = False


class Builder:
    """Draws one form once; counts what it has drawn."""

    def __init__(self, shaper: Shaper, problems: Sequence[Problem]) -> None:
        self.shaper, self.left = shaper, MAX_FIELDS - 1
        self.problems: dict[str, list[str]] = {}
        for each in problems:
            self.problems.setdefault(each.pointer, []).append(each.message)

    def draw(self, schema: Any, value: Any, spot: Spot) -> Field:
        shape = self.shaper.shape(schema, value, spot.pointer)
        kind, why = kinds.kind_of(shape, value)
        why = why or self._too_much(kind, value, shape, spot)
        if why:
            kind, spot = "json", replace(spot, note="; ".join(filter(None, (spot.note, why))))
        drawn = self._field(shape, value, spot, kind)
        if drawn.kind in ("object", "array") and is_read(value) and value is not None:
            children = (
                self._keys(shape, value, spot) if drawn.kind == "object" else self._items(shape, value, spot)
            )
            drawn = replace(drawn, children=children)
        return self._marked(drawn) if self.problems else drawn

    def _too_much(self, kind: str, value: Any, shape: Shape, spot: Spot) -> str:
        if kind not in ("object", "array") or not isinstance(value, dict | list):
            return ""
        names = shape.names() if kind == "object" else {}
        count = len(value) + sum(name not in value for name in names)
        if count > MAX_CHILDREN:
            return f"{count:,} {'keys' if kind == 'object' else 'items'} are more than {MAX_CHILDREN} fields"
        if spot.level >= MAX_LEVELS and value:
            return _TOO_DEEP
        if self.left < count:
            return _TOO_MANY
        # Reserved at once: what stands beside must be drawn before what stands below.
        self.left -= count
        return ""

    def _field(self, shape: Shape, value: Any, spot: Spot, kind: str) -> Field:
        text = "" if kind in ("object", "array") else kinds.text_of(value, kind)
        changed = spot.was is not value and not same_values(spot.was, value)
        said = shape.schema
        wanted = said.get("format")
        note = spot.note
        if not note and not self.shaper.schema.given and spot.pointer == "":
            note = "inferred from the arguments"
        return Field(
            pointer=spot.pointer,
            key=spot.key,
            title=shape.title if shape.variants else _text(said.get("title")),
            kind=kind,
            state=kinds.state_of(value, shape),
            text=text,
            hint=kinds.hint_of(shape, kind),
            description=_text(said.get("description")),
            examples=[write(each) for each in said.get("examples", []) if isinstance(said["examples"], list)],
            default=write(said["default"]) if "default" in said else "",
            format=wanted if isinstance(wanted, str) else "",
            at_most=shape.count("maxLength"),
            options=_options(shape, value) if kind in ("enum", "boolean") else [],
            variants=list(shape.variants),
            variant=shape.chosen,
            required=spot.required,
            nullable=shape.nullable or "null" in shape.types,
            read_only=spot.read_only or said.get("readOnly") is True,
            deprecated=said.get("deprecated") is True,
            can_add=kind == "array" and self._may_grow(shape, value),
            can_add_key=kind == "object" and value is not MISSING and self.shaper.takes_more_keys(shape),
            can_remove=spot.can_remove and value is not MISSING,
            can_move=spot.can_move,
            can_rename=spot.can_rename,
            changed=changed,
            was=_was(spot.was, kind) if changed else "",
            warnings=_warnings(value, wanted),
            note=note,
        )

    def _may_grow(self, shape: Shape, value: Any) -> bool:
        length = len(value) if isinstance(value, list) else 0
        return self.shaper.takes_more_items(shape, length)

    def _keys(self, shape: Shape, value: Mapping[str, Any], spot: Spot) -> list[Field]:
        """Keys in stored order, then those that the schema names and nobody gave."""
        named, wanted = shape.names(), shape.wanted()
        absent = [key for key in dict.fromkeys([*named, *wanted]) if key not in value]
        found = []
        for key in [*value, *absent]:
            schema, note = self.shaper.child(shape, key)
            required = key in wanted
            found.append(
                self.draw(
                    schema,
                    value.get(key, MISSING),
                    Spot(
                        pointer=spot.pointer + pointer_of(key),
                        key=key,
                        was=_at(spot.was, key),
                        level=spot.level + 1,
                        required=required,
                        note=note,
                        can_remove=True,
                        can_rename=key in value and key not in named and self.shaper.takes_more_keys(shape),
                        read_only=spot.read_only,
                    ),
                )
            )
        return found

    def _items(self, shape: Shape, value: Sequence[Any], spot: Spot) -> list[Field]:
        fixed = len(shape.schema.get("prefixItems", []))
        before = aligned(spot.was, value)
        found = []
        for at, item in enumerate(value):
            schema, note = self.shaper.child(shape, at)
            found.append(
                self.draw(
                    schema,
                    item,
                    Spot(
                        pointer=f"{spot.pointer}/{at}",
                        key=str(at),
                        was=before[at],
                        level=spot.level + 1,
                        required=at < fixed,
                        note=note,
                        can_remove=True,
                        can_move=at >= fixed and len(value) - fixed > 1,
                        read_only=spot.read_only,
                    ),
                )
            )
        return found

    def _marked(self, drawn: Field) -> Field:
        """With every problem of its own, and with those below it that no drawn field stands for."""
        inside = [each.pointer for each in drawn.children]
        errors = list(self.problems.get(drawn.pointer, []))
        for pointer, messages in self.problems.items():
            below = pointer[len(drawn.pointer) :]
            if not pointer.startswith(drawn.pointer) or not below.startswith("/"):
                continue
            if not any(pointer == each or pointer.startswith(each + "/") for each in inside):
                errors += [f"{below[1:]}: {message}" for message in messages]
        return replace(drawn, errors=errors) if errors else drawn


def origins(was: Any, now: Sequence[Any]) -> list[int | None]:
    """For every item the place it had: items that only moved up because others left are no changed ones."""
    if not isinstance(was, list):
        return [None] * len(now)
    shorter, head, tail = min(len(was), len(now)), 0, 0
    while head < shorter and same_values(was[head], now[head]):
        head += 1
    while tail < shorter - head and same_values(was[-1 - tail], now[-1 - tail]):
        tail += 1
    last = len(was) - tail
    middle = [at if at < last else None for at in range(head, len(now) - tail)]
    return [*range(head), *middle, *range(last, len(was))]


def aligned(was: Any, now: Sequence[Any]) -> list[Any]:
    """For every item what it was as proposed, MISSING for a new one."""
    return [MISSING if at is None else was[at] for at in origins(was, now)]


def same_values(left: Any, right: Any) -> bool:
    """Equal in text, too: 0.10 is not the text 0.1."""
    if left is right:
        return True
    if left is MISSING or right is MISSING or isinstance(left, Unread) or isinstance(right, Unread):
        return bool(left == right)
    if isinstance(left, dict) and isinstance(right, dict):
        pairs = zip(left.items(), right.items(), strict=False)
        return len(left) == len(right) and all(
            mine[0] == other[0] and same_values(mine[1], other[1]) for mine, other in pairs
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_values, left, right))
    if type(left) is type(right) and not hasattr(left, "span"):
        return same(left, right)
    return write(left) == write(right)


def _at(container: Any, key: str) -> Any:
    return container.get(key, MISSING) if isinstance(container, dict) else MISSING


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _was(value: Any, kind: str) -> str:
    return "not given" if value is MISSING else kinds.text_of(value, kind if value is not None else "json")


def _options(shape: Shape, value: Any) -> list[Option]:
    given = shape.options if shape.options is not None else [True, False]
    found = [Option(write(each), each if isinstance(each, str) else write(each)) for each in given]
    if is_read(value) and value is not None and shape.options is not None and not is_option(shape, value):
        label = value if isinstance(value, str) else write(value)
        found.insert(0, Option(write(value), label, fits=False))
    return found


def _warnings(value: Any, wanted: Any) -> list[str]:
    found = formats.warning(value, wanted) if isinstance(value, str) and value else ""
    return [found] if found else []
