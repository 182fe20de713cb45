"""What each step of an edit makes of the arguments, at the field where it is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from console.domain.text import has_lone_surrogate
from console.forms import kinds, numbers, tokens
from console.forms.blank import NEEDED, adapted, blank
from console.forms.edits import (
    Edit,
    Refused,
    adopted,
    below,
    carried,
    dropped,
    index_of,
    moved,
    put,
    renamed,
    settled,
    steps_of,
    was_below,
)
from console.forms.exact import JsonProblem
from console.forms.shape import Shape, Shaper
from console.forms.unread import MISSING, Unread, is_read

_HALF = "holds half a character; type it again"
Choices = Mapping[str, int]


@dataclass(frozen=True)
class Place:
    """A field as a step finds it; `was` is what was proposed there."""

    schema: Any
    value: Any
    was: Any
    shape: Shape
    may_be_absent: bool


@dataclass(frozen=True)
class Step:
    """One edit with everything it is taken upon."""

    shaper: Shaper
    value: Any
    origin: Any
    read: Callable[[str], Any]
    edit: Edit
    steps: list[str]

    def put(self, new: Any) -> Any:
        return put(self.value, self.origin, self.steps, new)

    def above(self) -> tuple[Any, str, str]:
        """The container of the field, its pointer, and the last step."""
        if not self.steps:
            raise Refused("the whole cannot be moved, renamed or removed")
        container = self.value
        for step in self.steps[:-1]:
            container = below(container, step)
        return container, self.edit.pointer.rpartition("/")[0], self.steps[-1]


def taken(
    shaper: Shaper, value: Any, origin: Any, read: Callable[[str], Any], edit: Edit
) -> tuple[Any, Choices]:
    """The new arguments and chosen variants; `Refused` when the step has no place here."""
    step = Step(shaper, value, origin, read, edit, steps_of(edit.pointer))
    verb = _VERBS.get(edit.op)
    if verb is None:
        raise Refused(f"{edit.op[:20]!r} is no step of an edit")
    return verb(step)


def place(step: Step) -> Place:
    """Walks down the shapes, so that a step costs as much as its way and not as the whole tree."""
    schema, value, was, pointer = step.shaper.schema.root, step.value, step.origin, ""
    may_be_absent = False
    for each in step.steps:
        shape = step.shaper.shape(schema, value, pointer)
        inner, was = below(value, each), was_below(was, value, each)
        key: str | int = int(each) if isinstance(value, list) else each
        schema = step.shaper.child(shape, key)[0]
        may_be_absent = isinstance(value, dict) and each not in shape.wanted()
        value, pointer = inner, f"{pointer}/{each.replace('~', '~0').replace('/', '~1')}"
    return Place(schema, value, was, step.shaper.shape(schema, value, pointer), may_be_absent)


def _set(step: Step) -> tuple[Any, Choices]:
    at = place(step)
    kind, why = kinds.kind_of(at.shape, at.value)
    kind = "json" if why else kind
    text = step.edit.text
    if kind in ("object", "array"):
        raise Refused("this has fields of its own")
    if not isinstance(at.value, Unread) and text == kinds.text_of(at.value, kind):
        return step.value, step.shaper.choices
    return step.put(_restored(_read(step, at, kind, text), at.was)), step.shaper.choices


def _restored(new: Any, was: Any) -> Any:
    """Typing a text again that was there is no change, however its JSON was escaped."""
    return was if isinstance(new, str) and isinstance(was, str) and new == was else settled(new, was)


def _read(step: Step, at: Place, kind: str, text: str) -> Any:
    if kind in kinds.TEXTS:
        return Unread(text, _HALF) if has_lone_surrogate(text) else text
    if not text.strip():
        return MISSING if at.may_be_absent else Unread(text, NEEDED)
    try:
        new = step.read(text.strip())
    except JsonProblem as problem:
        if kind == "json":
            return Unread(text, _with_place(text, problem), is_json=True)
        return Unread(text, _why_not(kind, str(problem)))
    if kind == "enum":
        chosen = next((each for each in at.shape.options or [] if kinds.equals(each, new)), MISSING)
        return Unread(text, "choose one of the options") if chosen is MISSING else chosen
    if kind == "boolean" and not isinstance(new, bool):
        return Unread(text, "must be true or false")
    if kind in ("integer", "number"):
        # Where only the value told what it is, another number is as good.
        kind = kind if at.shape.types else "number"
        wrong = "" if kinds.fits_type(new, kind) else _why_not(kind, "")
        return Unread(text, wrong or numbers.too_large(new)) if wrong or numbers.too_large(new) else new
    return new


def _with_place(text: str, problem: JsonProblem) -> str:
    """In words with line and column, which only the reader of tokens knows of every problem."""
    try:
        tokens.read(text)
    except JsonProblem as found:
        return str(found)
    return str(problem)


def _why_not(kind: str, problem: str) -> str:
    if "exactly" in problem or "too many digits" in problem:
        return problem
    nouns = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}
    return f"must be {nouns[kind]}" if kind in nouns else "choose one of the options"


def _null(step: Step) -> tuple[Any, Choices]:
    return step.put(None), dropped(step.shaper.choices, step.edit.pointer)


def _empty(step: Step) -> tuple[Any, Choices]:
    return step.put(""), step.shaper.choices


def _unset(step: Step) -> tuple[Any, Choices]:
    if step.steps and not isinstance(step.above()[0], dict):
        raise Refused("an item of a list is removed, not left out")
    return step.put(MISSING), dropped(step.shaper.choices, step.edit.pointer)


def _json(step: Step) -> tuple[Any, Choices]:
    at = place(step)
    try:
        new = adopted(step.read(step.edit.text.strip()), at.was)
    except JsonProblem as problem:
        new = Unread(step.edit.text, _with_place(step.edit.text, problem), is_json=True)
    return step.put(new), dropped(step.shaper.choices, step.edit.pointer)


def _reset(step: Step) -> tuple[Any, Choices]:
    return step.put(place(step).was), dropped(step.shaper.choices, step.edit.pointer)


def _add(step: Step) -> tuple[Any, Choices]:
    at = place(step)
    kind = kinds.kind_of(at.shape, at.value)[0]
    if kind == "object" and not isinstance(at.value, dict):
        return step.put(blank(step.shaper, at.schema, step.edit.pointer)), step.shaper.choices
    if kind != "array" or not (isinstance(at.value, list) or at.value is MISSING or at.value is None):
        raise Refused("nothing can be added here")
    items = at.value if isinstance(at.value, list) else []
    if not step.shaper.takes_more_items(at.shape, len(items)):
        raise Refused("this list takes no more items")
    schema = step.shaper.child(at.shape, len(items))[0]
    new = blank(step.shaper, schema, f"{step.edit.pointer}/{len(items)}", items[-1] if items else MISSING)
    return step.put([*items, new]), step.shaper.choices


def _key(step: Step) -> tuple[Any, Choices]:
    at, key = place(step), step.edit.key
    if not isinstance(at.value, dict) or has_lone_surrogate(key):
        raise Refused("no key can be added here")
    if key in at.value:
        raise Refused(f"there is a key {key[:80]!r} already")
    if key not in at.shape.names() and not step.shaper.takes_more_keys(at.shape):
        raise Refused("the schema allows no other keys here")
    schema = step.shaper.child(at.shape, key)[0]
    like = list(at.value.values())[-1] if at.value else MISSING
    new = blank(step.shaper, schema, f"{step.edit.pointer}/{key}", like)
    return step.put({**at.value, key: new}), step.shaper.choices


def _remove(step: Step) -> tuple[Any, Choices]:
    container, parent, last = step.above()
    if isinstance(container, dict):
        if last not in container:
            raise Refused(f"there is no key {last[:80]!r}")
        return step.put(MISSING), dropped(step.shaper.choices, step.edit.pointer)
    below(container, last)
    at, length = int(last), len(container)
    places: dict[str, str | None] = {last: None}
    places |= {str(each): str(each - 1) for each in range(at + 1, length)}
    return step.put(MISSING), carried(step.shaper.choices, parent, places)


def _move(step: Step) -> tuple[Any, Choices]:
    container, parent, last = step.above()
    if not isinstance(container, list):
        raise Refused("only an item of a list can be moved")
    at = index_of(last, len(container))
    order = moved(range(len(container)), at, step.edit.to)
    new = [container[each] for each in order]
    places: dict[str, str | None] = {str(old): str(now) for now, old in enumerate(order)}
    value = put(step.value, step.origin, step.steps[:-1], new)
    return value, carried(step.shaper.choices, parent, places)


def _rename(step: Step) -> tuple[Any, Choices]:
    container, _, last = step.above()
    if not isinstance(container, dict) or has_lone_surrogate(step.edit.key):
        raise Refused("only a key of an object can be renamed")
    new = renamed(container, last, step.edit.key)
    value = put(step.value, step.origin, step.steps[:-1], new)
    return value, dropped(step.shaper.choices, step.edit.pointer)


def _variant(step: Step) -> tuple[Any, Choices]:
    at = place(step)
    if not 0 <= step.edit.to < len(at.shape.branches):
        raise Refused("there is no such form to choose")
    new = at.value
    if is_read(new):
        new = adapted(step.shaper, at.shape, step.edit.to, new, step.edit.pointer)
    choices = dropped(step.shaper.choices, step.edit.pointer)
    return step.put(new), {**choices, step.edit.pointer: step.edit.to}


_VERBS: dict[str, Callable[[Step], tuple[Any, Choices]]] = {
    "set": _set,
    "null": _null,
    "empty": _empty,
    "unset": _unset,
    "add": _add,
    "remove": _remove,
    "move": _move,
    "key": _key,
    "rename": _rename,
    "variant": _variant,
    "reset": _reset,
    "json": _json,
}
