"""Steps of editing as data, and what each makes of the arguments. Nothing is changed in place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from console.forms.limits import MAX_TEXT
from console.forms.tree import aligned, same_values
from console.forms.unread import MISSING, is_read

OPS = frozenset(
    ["set", "null", "empty", "unset", "add", "remove", "move", "key", "rename", "variant", "reset", "json"]
)
_PARTS = frozenset(["op", "pointer", "text", "key", "to"])
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


class Refused(ValueError):
    """The step cannot be taken here; the message is for a person. Nothing was changed."""


@dataclass(frozen=True)
class Edit:
    """One step at `pointer`.

    set (`text` as typed into the widget), null, empty (the text ""), unset (leave out), reset (as proposed),
    json (`text` is JSON for the whole subtree; at "" for everything), add (an item, or a missing object),
    remove (an item or a key), move (an item to index `to`), key (add `key`), rename (to `key`),
    variant (choose the form of index `to`).
    """

    op: str
    pointer: str = ""
    text: str = ""
    key: str = ""
    to: int = -1

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ("", -1)}


def read_edit(raw: Any) -> Edit:
    """An edit from JSON of unknown origin; `Refused` for what is none."""
    if not isinstance(raw, dict) or not raw.keys() <= _PARTS:
        raise Refused("this is no step of an edit")
    texts, to = [raw.get(name, "") for name in ("op", "pointer", "text", "key")], raw.get("to", -1)
    if not all(isinstance(each, str) and len(each) <= MAX_TEXT for each in texts) or type(to) is not int:
        raise Refused("this is no step of an edit")
    op, pointer, text, key = texts
    if op not in OPS:
        raise Refused("this is no step of an edit")
    return Edit(op, pointer, text, key, to)


def steps_of(pointer: str) -> list[str]:
    if pointer and not pointer.startswith("/"):
        raise Refused(f"{pointer[:80]!r} is no JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def index_of(step: str, length: int) -> int:
    if not _INDEX.fullmatch(step) or int(step) >= length:
        raise Refused(f"there is no item {step[:20]}")
    return int(step)


def below(container: Any, step: str) -> Any:
    """What stands at one step, which may be nothing in an object and must be something in a list."""
    if isinstance(container, dict):
        return container.get(step, MISSING)
    if isinstance(container, list):
        return container[index_of(step, len(container))]
    raise Refused(f"there is nothing below which {step[:80]!r} could stand")


def was_below(was: Any, now: Any, step: str) -> Any:
    """What stood there as proposed, found again although items before it came or went."""
    if isinstance(now, dict):
        return was.get(step, MISSING) if isinstance(was, dict) else MISSING
    return aligned(was, now)[index_of(step, len(now))]


def put(value: Any, was: Any, steps: Sequence[str], new: Any) -> Any:
    """`value` with `new` at the place (MISSING removes it); everything beside the way keeps its object.

    A container that became again what it was as proposed is the proposed one.
    """
    if not steps:
        return settled(new, was)
    step, rest = steps[0], steps[1:]
    inner = put(below(value, step), was_below(was, value, step), rest, new)
    return settled(_with(value, was, step, inner), was)


def _with(container: Any, was: Any, step: str, new: Any) -> Any:
    if isinstance(container, list):
        at = index_of(step, len(container))
        return [*container[:at], *([] if new is MISSING else [new]), *container[at + 1 :]]
    if new is MISSING:
        return {key: each for key, each in container.items() if key != step}
    if step in container or not isinstance(was, dict) or step not in was:
        return {**container, step: new}
    found = {**container, step: new}
    order = {key: found[key] for key in was if key in found}
    return {**order, **{key: each for key, each in found.items() if key not in was}}


def settled(new: Any, was: Any) -> Any:
    """The proposed object where the new one says exactly the same."""
    if isinstance(new, dict) and isinstance(was, dict):
        if list(new) == list(was) and all(new[key] is was[key] for key in new):
            return was
    elif isinstance(new, list) and isinstance(was, list):
        if len(new) == len(was) and all(left is right for left, right in zip(new, was, strict=True)):
            return was
    elif is_read(new) and is_read(was) and not isinstance(new, dict | list) and same_values(new, was):
        return was
    return new


def adopted(new: Any, was: Any) -> Any:
    """`new` made of the objects of `was` wherever the two say the same."""
    if isinstance(new, dict) and isinstance(was, dict):
        new = {key: adopted(each, was.get(key, MISSING)) for key, each in new.items()}
    elif isinstance(new, list) and isinstance(was, list):
        before = aligned(was, new)
        new = [adopted(each, old) for each, old in zip(new, before, strict=True)]
    return settled(new, was)


def renamed(container: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    if old not in container:
        raise Refused(f"there is no key {old[:80]!r}")
    if new in container:
        raise Refused(f"there is a key {new[:80]!r} already")
    return {new if key == old else key: each for key, each in container.items()}


def moved(items: Sequence[Any], at: int, to: int) -> list[Any]:
    if not 0 <= to < len(items):
        raise Refused("an item can only be moved within its list")
    left = [*items[:at], *items[at + 1 :]]
    return [*left[:to], items[at], *left[to:]]


def carried(choices: Mapping[str, int], parent: str, places: Mapping[str, str | None]) -> dict[str, int]:
    """Chosen variants by pointer after the children of `parent` went elsewhere; None is gone."""
    found = {}
    for pointer, chosen in choices.items():
        head, _, rest = pointer[len(parent) + 1 :].partition("/")
        if not pointer.startswith(parent + "/") or head not in places:
            found[pointer] = chosen
        elif (place := places[head]) is not None:
            found[f"{parent}/{place}" + (f"/{rest}" if rest else "")] = chosen
    return found


def dropped(choices: Mapping[str, int], pointer: str) -> dict[str, int]:
    """Without those at the pointer and below it."""
    return {
        key: each for key, each in choices.items() if key != pointer and not key.startswith(pointer + "/")
    }
