"""What is wrong with a value, in words a person can act on, at the pointer where it can be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from console.domain.errors import Problem, pointer_of
from console.forms.kinds import counted, in_words, type_of
from console.forms.limits import MAX_ERRORS
from console.forms.tokens import write

_LONGEST = 300
_SHOWN_OPTIONS = 8


def problems(errors: Iterable[ValidationError]) -> list[Problem]:
    """Sorted by place, none twice."""
    found: dict[Problem, None] = {}
    for error in errors:
        for pointer, message in _said(error):
            found[Problem(message[:_LONGEST], pointer=pointer)] = None
    return sorted(found, key=lambda each: each.pointer)[:MAX_ERRORS]


def _said(error: ValidationError) -> Iterator[tuple[str, str]]:
    pointer = "".join(map(pointer_of, error.absolute_path))
    match error.validator:
        case "anyOf" | "oneOf":
            yield from _of_choice(error, pointer)
        case "required":
            missing = error.message.rsplit(" is a required", 1)[0]
            key = next((each for each in _wanted(error) if repr(each) == missing), "")
            yield pointer + pointer_of(key), "is needed"
        case "dependentRequired":
            yield from _of_dependents(error, pointer)
        case "additionalProperties" if isinstance(error.cause, KeyError):
            yield pointer + pointer_of(error.cause.args[0]), "the tool takes no such argument"
        case "propertyNames":
            yield pointer, f"the key {write(error.instance)[:80]} is not allowed: {error.message}"
        case name:
            yield pointer, _WORDS.get(str(name), _plainly)(error)


def _of_dependents(error: ValidationError, pointer: str) -> Iterator[tuple[str, str]]:
    given: Any = error.instance
    for key, wanted in _wanted(error).items():
        if key in given:
            for each in wanted:
                if each not in given:
                    yield pointer + pointer_of(each), f"is needed when {key} is given"


def _of_choice(error: ValidationError, pointer: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the form that the value was most likely meant for, rather than with all of them."""
    by_branch: dict[int, list[ValidationError]] = {}
    for each in error.context or ():
        by_branch.setdefault(int(each.schema_path[0]), []).append(each)
    if not by_branch:
        yield pointer, "fits more than one of the forms it may have"
        return
    likely = [found for found in by_branch.values() if not any(map(_is_elsewhere, found))]
    if len(likely) == 1:
        for each in likely[0]:
            yield from _said(each)
    elif not likely and all(_is_type(found) for found in by_branch.values()):
        names = [name for found in by_branch.values() for name in _types(found[0])]
        yield pointer, _of_type(list(dict.fromkeys(names)), error.instance)
    else:
        yield pointer, f"fits none of the {len(by_branch)} forms it may have"


def _is_elsewhere(error: ValidationError) -> bool:
    """A breach which shows that this form was not meant: another type, another fixed key."""
    own = not error.path and error.validator in ("type", "const", "enum")
    return own or (error.validator == "const" and len(error.path) == 1)


def _is_type(found: list[ValidationError]) -> bool:
    return len(found) == 1 and found[0].validator == "type" and not found[0].path


def _wanted(error: ValidationError) -> Any:
    """What the keyword says in the schema."""
    return error.validator_value


def _types(error: ValidationError) -> list[str]:
    found = _wanted(error)
    return [found] if isinstance(found, str) else list(found)


def _of_type(names: list[str], instance: Any) -> str:
    wanted = " or ".join(in_words(each) for each in names)
    return f"must be {wanted}, is {in_words(type_of(instance))}"


def _plainly(error: ValidationError) -> str:
    return error.message


def _size(words: str, noun: str) -> Callable[[ValidationError], str]:
    def said(error: ValidationError) -> str:
        return f"{words} {counted(error.validator_value, noun)}, has {_length(error):,}"

    return said


def _length(error: ValidationError) -> int:
    sized: Any = error.instance
    return len(sized)


def _too_long(error: ValidationError) -> str:
    return f"{_length(error):,} of {write(error.validator_value)} characters"


def _bound(words: str) -> Callable[[ValidationError], str]:
    return lambda error: f"{words} {write(error.validator_value)}"


def _one_of(error: ValidationError) -> str:
    options = [each if isinstance(each, str) else write(each) for each in _wanted(error)]
    more = len(options) - _SHOWN_OPTIONS
    listed = ", ".join(options[:_SHOWN_OPTIONS]) + (f" and {more} more" if more > 0 else "")
    return f"one of {listed}" if len(options) > 1 else f"must be {listed}"


def _constant(error: ValidationError) -> str:
    wanted = _wanted(error)
    return f"must be {wanted if isinstance(wanted, str) and wanted else write(wanted)}"


_WORDS: dict[str, Callable[[ValidationError], str]] = {
    "type": lambda error: _of_type(_types(error), error.instance),
    "enum": _one_of,
    "const": _constant,
    "minimum": _bound("at least"),
    "maximum": _bound("at most"),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "multipleOf": _bound("a multiple of"),
    "minLength": _size("at least", "character"),
    "maxLength": _too_long,
    "minItems": _size("at least", "item"),
    "maxItems": _size("at most", "item"),
    "minProperties": _size("at least", "key"),
    "maxProperties": _size("at most", "key"),
    "pattern": lambda error: f"does not match the pattern {error.validator_value}",
    "uniqueItems": lambda _: "two items are the same",
    "contains": lambda _: "none of the items is one that must be among them",
    "not": lambda _: "is a value that the schema rules out",
    "additionalProperties": lambda error: error.message,
    "unevaluatedProperties": lambda _: "holds an argument that the tool does not take",
    "unevaluatedItems": lambda _: "holds an item that the tool does not take",
}
