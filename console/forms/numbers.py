"""Numbers as the decimals they are written as: 19.99 is a multiple of 0.01, 2^53 + 1 is more than 2^53."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from console.forms.limits import MAX_INT, MIN_INT
from console.forms.tokens import FloatToken, raw_of


def exact(value: float) -> Decimal | int | float:
    """The number that its text means; what has no finite decimal form stays the float it is."""
    if isinstance(value, int):
        return value
    if isinstance(value, FloatToken):
        return Decimal(raw_of(value) or repr(value))
    return Decimal(repr(value)) if math.isfinite(value) else value


def at_least(value: Any, bound: Any) -> bool:
    return bool(exact(value) >= exact(bound))


def at_most(value: Any, bound: Any) -> bool:
    return bool(exact(value) <= exact(bound))


def more_than(value: Any, bound: Any) -> bool:
    return bool(exact(value) > exact(bound))


def less_than(value: Any, bound: Any) -> bool:
    return bool(exact(value) < exact(bound))


def multiple_of(value: Any, step: Any) -> bool:
    number, of = exact(value), exact(step)
    if isinstance(number, float) or isinstance(of, float):
        return False
    return (Fraction(number) / Fraction(of)).denominator == 1


def too_large(value: Any) -> str:
    """Why what carries the answer could not keep this number; empty when it can."""
    if isinstance(value, bool):
        return ""
    if isinstance(value, int) and not MIN_INT <= value <= MAX_INT:
        return "too large: whole numbers have at most 64 bits"
    if isinstance(value, float) and math.isinf(value):
        return "too large to be kept"
    if isinstance(value, FloatToken) and Decimal(raw_of(value) or "0") != Decimal(repr(float(value))):
        return f"cannot be kept exactly; the nearest is {float(value)!r}"
    return ""
