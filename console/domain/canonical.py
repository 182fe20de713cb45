"""Canonical JSON and digests.

In this domain (ASCII keys, strings, integers below 2**53, booleans, null, lists, objects; no floats)
sorted compact `json.dumps` is byte-equal to RFC 8785. Tool arguments, which may hold anything, enter
as exact text.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

_LARGEST = 2**53 - 1


def canonical(value: Any) -> bytes:
    """UTF-8 bytes of the one JSON form of `value`; ValueError outside the domain."""
    _check(value)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return escape_surrogates(text).encode()


def escape_surrogates(text: str) -> str:
    """Lone surrogates as JSON escapes: they have no UTF-8 form. For JSON texts only."""
    if text.isascii():
        return text
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def sha256(data: bytes) -> str:
    """Lower-case hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()


def _check(value: Any) -> None:
    match value:
        case None | bool() | str():
            return
        case int():
            if abs(value) > _LARGEST:
                raise ValueError("integers of 2**53 and more enter canonical JSON as text")
        case list() | tuple():
            for item in value:
                _check(item)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str) or not key.isascii():
                    raise ValueError("keys of canonical JSON are ASCII strings")
                _check(item)
        case _:
            raise ValueError(f"{type(value).__name__} has no canonical JSON form")
