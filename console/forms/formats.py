"""Formats of texts: what a value that is not of its format is warned of. They never decide."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any
from urllib.parse import urlsplit

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}:\d{2}(\.\d+)?([zZ]|[+-]\d{2}:\d{2})?", re.ASCII)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)*")
_LONGEST = 2_000


def warning(text: str, name: Any) -> str:
    """Such as "is not a date (2026-01-31)"; empty when it is one, or when the format is not known."""
    check, words = _FORMATS.get(name, (None, "")) if isinstance(name, str) else (None, "")
    if check is None:
        return ""
    try:
        fine = len(text) <= _LONGEST and check(text)
    except ValueError:
        fine = False
    return "" if fine else f"is not {words}"


def is_known(name: Any) -> bool:
    return isinstance(name, str) and name in _FORMATS


def _is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    return found is not None and time.fromisoformat(_python(text)) is not None


def _is_date_time(text: str) -> bool:
    day, sign, hour = text[:10], text[10:11], text[11:]
    found = _TIME.fullmatch(hour)
    if not _is_date(day) or sign not in ("T", "t") or not found or not found[2]:
        return False
    return bool(datetime.fromisoformat(_python(f"{day}T{hour}")))


def _python(text: str) -> str:
    """Fractions beyond microseconds are right, but more than Python reads."""
    return re.sub(r"(\.\d{6})\d+", r"\1", text.upper())


def _is_uri(text: str) -> bool:
    parts = urlsplit(text)
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"[\s<>\"{}|\\^`]", text)


def _is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None and bool(uuid.UUID(text))


_FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "date": (_is_date, "a date (2026-01-31)"),
    "time": (_is_time, "a time (09:30:00)"),
    "date-time": (_is_date_time, "a date and time with its zone (2026-01-31T09:30:00Z)"),
    "email": (lambda text: _EMAIL.fullmatch(text) is not None, "an e-mail address"),
    "uri": (_is_uri, "an address (https://…)"),
    "uuid": (_is_uuid, "a UUID"),
    "ipv4": (lambda text: bool(ipaddress.IPv4Address(text)), "an IPv4 address"),
    "ipv6": (lambda text: bool(ipaddress.IPv6Address(text)), "an IPv6 address"),
}
