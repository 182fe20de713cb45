"""Regular expressions of a schema, matched in bounded time.

RE2 answers in time linear in the text, so almost every pattern of an agent is decided whatever it is. What
RE2 does not know (looking ahead or behind, back references) goes to a matcher that can be told when to give
up and lets others run meanwhile, so that no child process is needed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2  # type: ignore[import-untyped]
import regex

from console.domain.text import has_lone_surrogate

MAX_PATTERN_SECONDS = 0.1
# Memory of one compiled pattern: RE2 refuses a pattern that unfolds into more.
_MAX_BYTES = 8_000_000


class Broken(Exception):
    """Neither matcher can read the pattern."""


class TooSlow(Exception):
    """No answer within `MAX_PATTERN_SECONDS`."""


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    quick = _compiled(pattern)
    if quick is not None and not has_lone_surrogate(text):
        return quick.search(text) is not None
    try:
        return regex.search(pattern, text, timeout=MAX_PATTERN_SECONDS, concurrent=True) is not None
    except TimeoutError:
        raise TooSlow(pattern) from None
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise Broken(str(error)[:200]) from None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any | None:
    """None for what RE2 does not know."""
    if has_lone_surrogate(pattern):
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_BYTES
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
