"""What an edit changed, pointer by pointer, in exact texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from console.domain.errors import pointer_of
from console.forms.tokens import write
from console.forms.tree import origins, same_values
from console.forms.unread import MISSING, Unread


@dataclass(frozen=True)
class Change:
    """`kind`: added, removed, changed or order. `was` and `now` are exact JSON, empty where nothing is.

    The pointer of what was removed is the one it had as proposed.
    """

    pointer: str
    kind: str
    was: str
    now: str


def differences(was: Any, now: Any) -> list[Change]:
    """The smallest parts that differ, in the order of the new arguments."""
    return list(_between(was, now, ""))


def _between(was: Any, now: Any, pointer: str) -> Iterator[Change]:
    if was is now or same_values(was, now):
        return
    if isinstance(was, dict) and isinstance(now, dict):
        yield from _of_objects(was, now, pointer)
    elif isinstance(was, list) and isinstance(now, list):
        yield from _of_lists(was, now, pointer)
    else:
        kind = "added" if was is MISSING else "removed" if now is MISSING else "changed"
        yield Change(pointer, kind, _text(was), _text(now))


def _of_objects(was: dict[str, Any], now: dict[str, Any], pointer: str) -> Iterator[Change]:
    for key in now:
        yield from _between(was.get(key, MISSING), now[key], pointer + pointer_of(key))
    for key in was:
        if key not in now:
            yield from _between(was[key], MISSING, pointer + pointer_of(key))
    kept = [key for key in was if key in now]
    if kept != [key for key in now if key in was]:
        yield Change(pointer, "order", write(list(map(str, was))), write(list(map(str, now))))


def _of_lists(was: list[Any], now: list[Any], pointer: str) -> Iterator[Change]:
    before = origins(was, now)
    for at, (old, new) in enumerate(zip(before, now, strict=True)):
        yield from _between(MISSING if old is None else was[old], new, f"{pointer}/{at}")
    for at, item in enumerate(was):
        if at not in before:
            yield Change(f"{pointer}/{at}", "removed", write(item), "")


def _text(value: Any) -> str:
    if isinstance(value, Unread):
        return value.text
    return "" if value is MISSING else write(value)
