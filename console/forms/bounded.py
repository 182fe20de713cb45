"""JSON Schema validation with an end: what an agent wrote must not be able to stop the console.

A pattern can take exponential time, a chain of references can double with every link, and Python's own
matcher gives nobody else a turn meanwhile. So every keyword counts against a budget, and patterns go through
a matcher that can be told when to give up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema import exceptions as failures
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import SPECIFICATIONS, extend  # type: ignore[attr-defined]

_BrokenReference: Any = failures._WrappedReferencingError  # type: ignore[attr-defined]
MAX_STEPS, MAX_SECONDS, MAX_PATTERN_SECONDS = 50_000, 0.5, 0.05
MAX_UNIQUE_ITEMS, MAX_SCHEMA = 2_000, 200_000
_PATTERNED = ("patternProperties", "unevaluatedProperties")


class Unusable(Exception):
    """The schema cannot be applied: it is broken, or applying it takes too long. A sentence says which."""


class _Budget:
    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.until = time.monotonic() + MAX_SECONDS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0 or time.monotonic() > self.until:
            raise Unusable("checking the arguments against the tool's schema takes too long")


_budget: ContextVar[_Budget] = ContextVar("budget")


def errors(value: Any, schema: Mapping[str, Any]) -> list[ValidationError]:
    """Every breach, in no particular order; `Unusable` when the schema cannot be applied in time.

    References are followed within the schema only.
    """
    token = _budget.set(_Budget())
    try:
        if len(repr(schema)) > MAX_SCHEMA:
            raise Unusable("the tool's schema is too large")
        _Bounded.check_schema(schema)
        _refuse_both_patterned(schema)
        return list(_Bounded(schema, registry=SPECIFICATIONS).iter_errors(value))
    except SchemaError as error:
        raise Unusable(f"the tool's schema is broken: {error.message[:200]}") from None
    except (_BrokenReference, RecursionError, regex.error) as error:
        raise Unusable(f"the tool's schema is broken: {str(error)[:200]}") from None
    finally:
        _budget.reset(token)


def _refuse_both_patterned(schema: Any) -> None:
    """Together these two match patterns where no budget reaches; alone each is bounded."""
    text = repr(schema)
    if all(name in text for name in _PATTERNED):
        raise Unusable("the tool's schema combines patternProperties and unevaluatedProperties")


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found anywhere in the text; `Unusable` when that takes too long."""
    try:
        return regex.search(pattern, text, timeout=MAX_PATTERN_SECONDS) is not None
    except TimeoutError:
        raise Unusable("a pattern of the tool's schema takes too long on this text") from None


Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


def _counted(keyword: Keyword) -> Keyword:
    def bounded(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        _budget.get().spend()
        yield from keyword(validator, wanted, instance, schema) or ()

    return bounded


def _pattern(_: Any, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not matches(wanted, instance):
        yield ValidationError(f"does not match {wanted!r}")


def _pattern_properties(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, below in wanted.items():
            for key, value in instance.items():
                if matches(pattern, key):
                    yield from validator.descend(value, below, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in instance if key not in named and not any(matches(each, key) for each in patterns)]
    for key in extra:
        if isinstance(wanted, dict):
            yield from validator.descend(instance[key], wanted, path=key)
        elif not wanted:
            yield ValidationError(f"there is no argument {key[:80]!r}")


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list) and len(instance) > MAX_UNIQUE_ITEMS:
        raise Unusable(f"more than {MAX_UNIQUE_ITEMS:,} items cannot be compared with one another")
    yield from Draft202012Validator.VALIDATORS["uniqueItems"](validator, wanted, instance, schema) or ()


_OWN: dict[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Bounded: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        name: _counted(_OWN.get(name) or keyword)
        for name, keyword in Draft202012Validator.VALIDATORS.items()
        if keyword is not None
    },
)
