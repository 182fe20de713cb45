"""The verdict on arguments: that of their schema, and whether what carries them can keep them exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jsonschema.exceptions import ValidationError

from console.domain.errors import Problem, pointer_of
from console.forms import bounded, words
from console.forms.numbers import too_large
from console.forms.schema import Schema
from console.forms.tree import aligned, same_values
from console.forms.unread import MISSING, Unread, unread_in

_CHOICES = frozenset(["anyOf", "oneOf", "not", "if", "contains", "propertyNames", "uniqueItems"])


@dataclass(frozen=True)
class Judged:
    """Problems by pointer; `unread` are the texts that are no values yet, and among the errors, too."""

    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    unread: dict[str, Unread] = field(default_factory=dict)


def judge(schema: Schema, value: Any, origin: Any) -> Judged:
    """What is wrong with `value`. A number too large is an error where a person wrote it, else a warning."""
    if value is MISSING:
        return Judged([Problem("needs a value")])
    unread = dict(unread_in(value))
    large = [(Problem(why, pointer=at), edited) for at, why, edited in _unkept(value, origin, "")]
    errors = [Problem(each.why, pointer=at) for at, each in unread.items()]
    errors += [problem for problem, edited in large if edited]
    found, warnings = breaches(schema, value, unread)
    warnings += [problem for problem, edited in large if not edited]
    return Judged(sorted([*errors, *found], key=_place), sorted(warnings, key=_place), unread)


def breaches(
    schema: Schema, value: Any, unread: dict[str, Unread] | None = None
) -> tuple[list[Problem], list[Problem]]:
    """Errors and warnings of the schema alone; one that cannot be applied lets nothing pass."""
    if schema.broken:
        return [Problem(schema.broken)], []
    if not schema.given:
        return [], []
    try:
        found, unchecked = schema.checker.errors(value)
    except bounded.Unusable as problem:
        return [Problem(str(problem))], []
    if unread:
        found = [each for each in found if not _about(each, unread)]
    return words.problems(found), [_unchecked(*each, value) for each in unchecked]


def _about(error: ValidationError, unread: dict[str, Unread]) -> bool:
    """Whether it only says of an unread text that it is no value, or compares with one."""
    pointer = "".join(map(pointer_of, error.absolute_path))
    if pointer in unread:
        return True
    return error.validator in _CHOICES and any(at.startswith(pointer + "/") for at in unread)


def _unchecked(pattern: str, text: str, value: Any) -> Problem:
    pointer = next((at for at, each in _texts(value, "") if each == text), "")
    return Problem(f"the pattern {pattern[:80]} takes too long on this text: not checked", pointer=pointer)


def _texts(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, item in value.items():
                yield from _texts(item, pointer + pointer_of(key))
        case list():
            for at, item in enumerate(value):
                yield from _texts(item, f"{pointer}/{at}")


def unkept(value: Any) -> list[Problem]:
    """Every number that a stored answer could not keep, of a value that nobody proposed."""
    return [Problem(why, pointer=at) for at, why, _ in _unkept(value, MISSING, "")]


def _unkept(value: Any, was: Any, pointer: str) -> Iterator[tuple[str, str, bool]]:
    """Pointer, reason and "edited" of every number that a stored answer could not keep."""
    if isinstance(value, dict):
        old = was if isinstance(was, dict) else {}
        for key, item in value.items():
            yield from _unkept(item, old.get(key, MISSING), pointer + pointer_of(key))
    elif isinstance(value, list):
        for at, (item, old_item) in enumerate(zip(value, aligned(was, value), strict=True)):
            yield from _unkept(item, old_item, f"{pointer}/{at}")
    elif isinstance(value, int | float) and (why := too_large(value)):
        yield pointer, why, not same_values(value, was)


def _place(problem: Problem) -> str:
    return problem.pointer
