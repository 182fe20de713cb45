"""Opaque cursors, page bounds, and thread ids as they stand in paths."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from console.domain.errors import BadRequest, Problem
from console.domain.errors import Invalid as InvalidInput
from console.domain.text import has_lone_surrogate

PAGE, MAX_PAGE, COUNT_CAP = 50, 200, 1000
_PLAIN_REF = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")


def bounded(limit: int) -> int:
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidInput([Problem(f"limit is 1 to {MAX_PAGE}", pointer="/limit")])
    return limit


def to_cursor(*parts: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def from_cursor(cursor: str, *types: type) -> list[Any]:
    """The parts of a cursor that `to_cursor` made; BadRequest for anything else."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = json.loads(raw)
    except (ValueError, binascii.Error, RecursionError):
        parts = None
    if (
        not isinstance(parts, list)
        or [type(part) for part in parts] != list(types)
        or not all(map(_fits, parts))
    ):
        raise BadRequest("The cursor is not one of ours. Start again without it.")
    return parts


def _fits(part: Any) -> bool:
    """What a database column can be compared with: 64-bit integers and texts that have a UTF-8 form."""
    if isinstance(part, int):
        return -(2**63) <= part < 2**63
    return not (isinstance(part, str) and has_lone_surrogate(part))


def thread_ref(thread_id: str) -> str:
    """The id itself where it is safe in a path, else `~` and base64url of its UTF-8."""
    if _PLAIN_REF.fullmatch(thread_id):
        return thread_id
    return "~" + base64.urlsafe_b64encode(thread_id.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def thread_id_of(ref: str) -> str | None:
    """The thread id behind a ref; None when it is no ref at all."""
    if not ref.startswith("~"):
        return ref if _PLAIN_REF.fullmatch(ref) else None
    try:
        raw = base64.b64decode(ref[1:] + "=" * (-len(ref[1:]) % 4), altchars=b"-_", validate=True)
        return raw.decode()
    except (ValueError, binascii.Error):
        return None
