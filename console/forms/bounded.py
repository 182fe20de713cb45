"""JSON Schema validation with an end: what an agent wrote must not be able to stop the console.

A pattern can take exponential time, a chain of references can double with every link, and Python's own
matcher gives nobody else a turn meanwhile. So every keyword counts against a budget, and patterns go through
matchers that end. Numbers are compared as the decimals they are written as.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from jsonschema import Draft202012Validator
from jsonschema import exceptions as failures
from jsonschema.exceptions import ValidationError
from jsonschema.validators import SPECIFICATIONS, extend  # type: ignore[attr-defined]

from console.forms import numbers, patterns
from console.forms.wellformed import flaw

_BrokenReference: Any = failures._WrappedReferencingError  # type: ignore[attr-defined]
MAX_STEPS, MAX_SECONDS, MAX_UNIQUE_ITEMS = 50_000, 0.5, 2_000
# Keywords within keywords, well before Python's own limit on the stack: jsonschema keeps its references in a
# compiled library that panics there, past every `except Exception`.
MAX_NESTED = 100
_PATTERNED = ("patternProperties", "unevaluatedProperties")
_TOO_DEEP = (
    "the tool's schema is broken: it refers to itself without end, or the arguments are nested too deeply"
)
TOO_LONG = "checking the arguments against the tool's schema takes too long"


_T = TypeVar("_T")


class Unusable(Exception):
    """The schema cannot be applied: it is broken, or applying it takes too long. A sentence says which."""


class _Budget:
    def __init__(self, seconds: float) -> None:
        self.left = MAX_STEPS
        # Of this thread's own work: waiting behind others on a busy machine is not the schema's fault.
        self.until = time.thread_time() + seconds
        self.nested = 0
        self.unchecked: list[tuple[str, str]] = []

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0 or time.thread_time() > self.until:
            raise Unusable(TOO_LONG)
        if self.nested > MAX_NESTED:
            raise Unusable(_TOO_DEEP)


_budget: ContextVar[_Budget] = ContextVar("budget")


class Checker:
    """One schema of Draft 2020-12, applied as often as needed. References are followed within it only."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._validator = _Bounded(schema, registry=SPECIFICATIONS)

    def check(self) -> None:
        """`Unusable` for what is no schema."""
        if wrong := flaw(self._schema):
            raise Unusable(f"the tool's schema is broken: {wrong}")
        text = repr(self._schema)
        # Together these two match patterns where no budget reaches; alone each is bounded.
        if all(name in text for name in _PATTERNED):
            raise Unusable("the tool's schema combines patternProperties and unevaluatedProperties")

    def errors(self, value: Any) -> tuple[list[ValidationError], list[tuple[str, str]]]:
        """Every breach, in no particular order, and (pattern, text) for what could not be told in time."""
        return self._bounded(lambda: list(self._validator.iter_errors(value)), MAX_SECONDS)

    def fits(self, value: Any, schema: Any, seconds: float) -> bool:
        """Whether the value fits this part of the schema."""
        part = self._validator.evolve(schema=schema)
        return self._bounded(lambda: bool(part.is_valid(value)), min(seconds, MAX_SECONDS))[0]

    def _bounded(self, ask: Callable[[], _T], seconds: float) -> tuple[_T, list[tuple[str, str]]]:
        token = _budget.set(budget := _Budget(seconds))
        try:
            return ask(), budget.unchecked
        except (_BrokenReference, RecursionError, patterns.Broken) as error:
            raise Unusable(f"the tool's schema is broken: {str(error)[:200]}") from None
        except patterns.TooSlow:
            raise Unusable("a pattern of the tool's schema takes too long on this text") from None
        finally:
            _budget.reset(token)


Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


def _counted(keyword: Keyword) -> Keyword:
    def bounded(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        budget = _budget.get()
        budget.spend()
        budget.nested += 1
        try:
            yield from keyword(validator, wanted, instance, schema) or ()
        finally:
            budget.nested -= 1

    return bounded


def _pattern(_: Any, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, str):
        return
    try:
        found = patterns.matches(wanted, instance)
    except patterns.TooSlow:
        _budget.get().unchecked.append((wanted, instance))
        return
    if not found:
        yield ValidationError(f"does not match {wanted!r}")


def _pattern_properties(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, below in wanted.items():
            for key, value in instance.items():
                if patterns.matches(pattern, key):
                    yield from validator.descend(value, below, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    named, patterned = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in instance:
        if key in named or any(patterns.matches(each, key) for each in patterned):
            continue
        if isinstance(wanted, dict):
            yield from validator.descend(instance[key], wanted, path=key)
        elif not wanted:
            yield ValidationError(f"there is no argument {key[:80]!r}", cause=KeyError(key))


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list) and len(instance) > MAX_UNIQUE_ITEMS:
        raise Unusable(f"more than {MAX_UNIQUE_ITEMS:,} items cannot be compared with one another")
    yield from Draft202012Validator.VALIDATORS["uniqueItems"](validator, wanted, instance, schema) or ()


def _comparing(right: Callable[[Any, Any], bool]) -> Keyword:
    def compared(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        if validator.is_type(instance, "number") and not right(instance, wanted):
            yield ValidationError(f"{instance!r} is out of bounds")

    return compared


_OWN: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "minimum": _comparing(numbers.at_least),
    "maximum": _comparing(numbers.at_most),
    "exclusiveMinimum": _comparing(numbers.more_than),
    "exclusiveMaximum": _comparing(numbers.less_than),
    "multipleOf": _comparing(numbers.multiple_of),
}
_Bounded: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        name: _counted(_OWN.get(name) or keyword)
        for name, keyword in Draft202012Validator.VALIDATORS.items()
        if keyword is not None
    },
)
