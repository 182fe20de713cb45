"""What a browser sent, read strictly. Reflex's type hints do not validate: anything may arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.domain.errors import BadRequest
from console.domain.text import has_lone_surrogate

ID_CAP = 400
TEXT_CAP = 8_000
JSON_CAP = 200_000


def text(value: Any, cap: int = TEXT_CAP) -> str:
    """A string of at most `cap` characters that has a UTF-8 form, else `BadRequest`."""
    if not isinstance(value, str):
        raise BadRequest("A text was expected.")
    if len(value) > cap:
        raise BadRequest(f"The text is too long: {len(value):,} characters, at most {cap:,}.")
    if has_lone_surrogate(value):
        raise BadRequest("The text holds half a character; type it again.")
    return value


def identifier(value: Any) -> str:
    return text(value, ID_CAP)


def whole(value: Any, low: int = 0, high: int = 2**53) -> int:
    """An integer in bounds. Browsers have one number type, so 2.0 is 2; true is not 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise BadRequest("A whole number was expected.")
    if not low <= value <= high:
        raise BadRequest("The number is out of bounds.")
    return int(value)


def one_of(value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise BadRequest("That choice is not offered here.")
    return str(value)


def form_text(form: Any, name: str, cap: int = TEXT_CAP) -> str:
    """One text of a submitted form; a field that was not sent is empty."""
    if not isinstance(form, Mapping):
        raise BadRequest("A form was expected.")
    return text(form.get(name, ""), cap)
