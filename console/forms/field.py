"""One node of the tree that is drawn: plain data, small, and the same in Python, JSON and the browser."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Option:
    """`text` is what a `set` sends back, the option's exact JSON; `label` is for people."""

    text: str
    label: str
    fits: bool = True


@dataclass(frozen=True)
class Field:
    """One value of the arguments and the widget it gets.

    `kind`: text, area, date, date-time, time, email, uri, uuid (`text` is the text itself); integer, number,
    boolean, enum, null, json (`text` is exact JSON); object, array (they have `children`, no text).
    `state`: missing, null, empty, default, value, unread. `variant` is an index into `variants`, or -1.
    `default` is the exact JSON of the default, empty without one. `note` says "not in the schema",
    "inferred from the arguments", or why this is drawn as text. `at_most` is maxLength, 0 without one.
    """

    pointer: str
    key: str
    title: str
    kind: str
    state: str
    text: str = ""
    hint: str = ""
    description: str = ""
    examples: list[str] = field(default_factory=list)
    default: str = ""
    format: str = ""
    at_most: int = 0
    options: list[Option] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    variant: int = -1
    required: bool = False
    nullable: bool = False
    read_only: bool = False
    deprecated: bool = False
    can_add: bool = False
    can_add_key: bool = False
    can_remove: bool = False
    can_move: bool = False
    can_rename: bool = False
    changed: bool = False
    was: str = ""
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    note: str = ""
    children: list[Field] = field(default_factory=list)

    def walk(self) -> Iterator[Field]:
        """This field and all below it, in the order in which they are drawn."""
        yield self
        for child in self.children:
            yield from child.walk()


_DEFAULTS: dict[str, Any] = {
    each.name: each.default if each.default is not dataclasses.MISSING else []
    for each in dataclasses.fields(Field)
}
_ALWAYS = ("pointer", "key", "kind", "state")


def as_json(node: Field) -> dict[str, Any]:
    """What JSON needs of it: everything that differs from the empty field."""
    found: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(node, name)
        if name in _ALWAYS or value != default:
            found[name] = value
    if node.options:
        found["options"] = [dataclasses.asdict(each) for each in node.options]
    if node.children:
        found["children"] = [as_json(each) for each in node.children]
    return found
