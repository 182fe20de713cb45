"""What stands in the arguments where there is no value: nothing at all, or a text that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from console.domain.errors import pointer_of


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING: Final[Any] = _Missing()


@dataclass(frozen=True)
class Unread:
    """What a person typed, and why it is no value here. It moves with the item it was typed into.

    `is_json` when it was typed as JSON text for a whole part, which then stays drawn as JSON text.
    """

    text: str
    why: str
    is_json: bool = False


def is_read(value: Any) -> bool:
    return value is not MISSING and not isinstance(value, Unread)


def unread_in(value: Any, pointer: str = "") -> Iterator[tuple[str, Unread]]:
    """Every unread text within, with its pointer."""
    match value:
        case Unread():
            yield pointer, value
        case dict():
            for key, item in value.items():
                yield from unread_in(item, pointer + pointer_of(key))
        case list():
            for at, item in enumerate(value):
                yield from unread_in(item, f"{pointer}/{at}")
