"""Values that are not shown to everyone who may look: by patterns over where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from console.domain.errors import pointer_of

HIDDEN = "••••"
_NOWHERE = object()


@dataclass(frozen=True)
class Masks:
    """Each pattern is the end of a JSON pointer in steps, `*` standing for any one step."""

    patterns: tuple[tuple[str, ...], ...]

    def hides(self, path: Sequence[str]) -> bool:
        return any(
            len(path) >= len(pattern)
            and all(
                want in {"*", step} for want, step in zip(reversed(pattern), reversed(path), strict=False)
            )
            for pattern in self.patterns
        )


def read(patterns: Sequence[str]) -> Masks:
    """Of `/card` or `/customer/*/phone`; a `/` in a key is written `~1`, a `~` `~0` (RFC 6901)."""
    return Masks(
        tuple(
            tuple(step.replace("~1", "/").replace("~0", "~") for step in each.removeprefix("/").split("/"))
            for each in patterns
        )
    )


def hidden(masks: Masks, value: Any, beside: Sequence[Any] = ()) -> tuple[Any, list[str]]:
    """The value with a text in place of each part that is hidden, and the pointers of these.

    `beside` are values that this one is compared with by whoever looks. What is hidden in them has the same
    text where it is the same, and a number where it is another.
    """
    found: list[str] = []
    return _hidden(masks, value, (), list(beside), found), found


def _hidden(masks: Masks, value: Any, path: tuple[str, ...], beside: list[Any], found: list[str]) -> Any:
    if path and masks.hides(path):
        found.append("".join(map(pointer_of, path)))
        return _text(value, beside)
    if isinstance(value, dict):
        return {
            key: _hidden(masks, item, (*path, str(key)), [_at(each, key) for each in beside], found)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _hidden(masks, item, (*path, str(at)), [_at(each, at) for each in beside], found)
            for at, item in enumerate(value)
        ]
    return value


def _at(value: Any, step: Any) -> Any:
    if isinstance(value, dict):
        return value.get(step, _NOWHERE)
    return (
        value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else _NOWHERE
    )


def _text(value: Any, beside: Sequence[Any]) -> str:
    # By their text, since 1, 1.0 and True are equal to Python and are not the same argument.
    texts = dict.fromkeys(repr(each) for each in (*beside, value) if each is not _NOWHERE)
    number = list(texts).index(repr(value)) + 1
    return HIDDEN if number == 1 else f"{HIDDEN} {number}"
