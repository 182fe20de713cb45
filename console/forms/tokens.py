"""JSON text read so that every value remembers how it was written.

`0.10`, `1e400`, `-0` and `"\\u00e9"` are numbers and texts like any other to whoever checks them, and go back
byte for byte where nobody edited them. An edit replaces the objects on the way to it, and those alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from console.domain.canonical import escape_surrogates
from console.forms.exact import MAX_DEPTH, JsonProblem, dumps
from console.forms.limits import MAX_EXPONENT

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_SPACE = re.compile(r"[ \t\n\r]*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_FOREIGN = ("NaN", "Infinity", "-Infinity")
# Python's own limit for reading a whole number in decimal.
_MAX_DIGITS = 4_300


Span = tuple[str, int, int]


class IntToken(int):
    span: Span


class FloatToken(float):
    span: Span


class TextToken(str):
    span: Span


class ObjectToken(dict[str, Any]):
    span: Span


class ListToken(list[Any]):
    span: Span


Token = IntToken | FloatToken | TextToken | ObjectToken | ListToken
_PLAIN: dict[type, Callable[[Any], Any]] = {IntToken: int, FloatToken: float, TextToken: str}


def read(text: str) -> Any:
    """The value of a JSON text; `JsonProblem` with line and column for what is none."""
    reader = _Reader(text := escape_surrogates(text))
    value, end = reader.value(_after_space(text, 0), 0)
    if (end := _after_space(text, end)) != len(text):
        raise reader.problem("something follows the value", end)
    return value


def write(value: Any) -> str:
    """Exact text: as it was written where it is as it was read, else as `exact.dumps` writes it."""
    if (raw := raw_of(value)) is not None:
        return raw
    if type(value) is dict and not any(_tagged(key) for key in value):
        return "{" + ", ".join(f"{write(key)}: {write(item)}" for key, item in value.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(write, value)) + "]"
    return dumps(value)


def raw_of(value: Any) -> str | None:
    """The text a value was read from; None when it was not read here."""
    span = getattr(value, "span", None)
    return span[0][span[1] : span[2]] if span else None


def _tagged(key: object) -> bool:
    return not isinstance(key, str) or (key.startswith("$t") and not isinstance(key, TextToken))


def plain(value: Any) -> Any:
    """The same value without memory of its text. Objects that hold no token stay the very objects."""
    match value:
        case IntToken() | FloatToken() | TextToken():
            return _PLAIN[type(value)](value)
        case dict():
            items = {plain(key): plain(item) for key, item in value.items()}
            changed = type(value) is not dict or any(
                left is not right for left, right in zip(items.values(), value.values(), strict=True)
            )
            return items if changed else value
        case list():
            listed = [plain(item) for item in value]
            changed = type(value) is not list or any(
                left is not right for left, right in zip(listed, value, strict=True)
            )
            return listed if changed else value
    return value


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def problem(self, why: str, at: int) -> JsonProblem:
        line = self.text.count("\n", 0, at) + 1
        return JsonProblem(f"{why} at line {line} column {at - self.text.rfind(chr(10), 0, at)}")

    def value(self, at: int, level: int) -> tuple[Any, int]:
        """The value that begins at `at`, and where it ends."""
        if level > MAX_DEPTH:
            raise self.problem(f"nested deeper than {MAX_DEPTH} levels", at)
        match self.text[at : at + 1]:
            case "{":
                return self._object(at, level)
            case "[":
                return self._list(at, level)
            case '"':
                return self._string(at)
        for word, value in _WORDS.items():
            if self.text.startswith(word, at):
                return value, at + len(word)
        return self._number(at)

    def _string(self, at: int) -> tuple[TextToken, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            raise self.problem(f"not JSON: {error.msg}", error.pos) from None
        token = TextToken(text)
        token.span = (self.text, at, end)
        return token, end

    def _number(self, at: int) -> tuple[Token, int]:
        found = _NUMBER.match(self.text, at)
        if not found:
            word = next((each for each in _FOREIGN if self.text.startswith(each, at)), "")
            raise self.problem(f"{word} is not JSON" if word else "not JSON: a value is missing", at)
        raw, (fraction, exponent) = found.group(), found.groups()
        if len(raw) > _MAX_DIGITS or (exponent and abs(int(exponent[1:])) > MAX_EXPONENT):
            raise self.problem("a number with too many digits", at)
        token: IntToken | FloatToken = FloatToken(raw) if fraction or exponent else IntToken(raw)
        token.span = (self.text, at, found.end())
        return token, found.end()

    def _list(self, at: int, level: int) -> tuple[ListToken, int]:
        found, start = ListToken(), at
        at = _after_space(self.text, at + 1)
        while self.text[at : at + 1] != "]" or found:
            value, at = self.value(at, level + 1)
            found.append(value)
            at = _after_space(self.text, at)
            if self.text[at : at + 1] == "]":
                break
            at = self._expect(",", at, "a comma or ] is missing")
        found.span = (self.text, start, at + 1)
        return found, at + 1

    def _object(self, at: int, level: int) -> tuple[ObjectToken, int]:
        found, start = ObjectToken(), at
        at = _after_space(self.text, at + 1)
        while self.text[at : at + 1] != "}" or found:
            if self.text[at : at + 1] != '"':
                raise self.problem("not JSON: a key in double quotes is missing", at)
            where = at
            key, at = self._string(at)
            if key in found:
                raise self.problem(f"the key {str(key)[:80]!r} stands twice in one object", where)
            at = self._expect(":", _after_space(self.text, at), "a colon is missing")
            found[key], at = self.value(at, level + 1)
            at = _after_space(self.text, at)
            if self.text[at : at + 1] == "}":
                break
            at = self._expect(",", at, "a comma or } is missing")
        found.span = (self.text, start, at + 1)
        return found, at + 1

    def _expect(self, sign: str, at: int, why: str) -> int:
        if self.text[at : at + 1] != sign:
            raise self.problem(f"not JSON: {why}", at)
        return _after_space(self.text, at + 1)
