"""Values of others made drawable: exact texts cut into segments, arguments into rows, times into RFC 3339."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from console.domain.errors import pointer_of
from console.domain.text import Segment, count_hazards, mixed_scripts, odd_name, visible
from console.forms.exact import JsonProblem, dumps, loads


@dataclass(frozen=True)
class ArgRow:
    """One argument in full. `json`: drawn as JSON; `quoted`: a string that could be taken for a number."""

    pointer: str
    key: str
    parts: list[Segment]
    json: bool
    quoted: bool
    warning: str


def stamp(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat() if at else ""


def read_args(args_text: str) -> Mapping[str, Any] | None:
    """The arguments as exact values in stored order; None when the text is no JSON object."""
    try:
        value = loads(args_text)
    except JsonProblem:
        return None
    return value if isinstance(value, dict) else None


def arg_rows(args_text: str) -> list[ArgRow]:
    """Every argument, none cut and in stored order; what is no object is one row with its exact text."""
    args = read_args(args_text)
    if args is None:
        return [ArgRow("", "", visible(args_text), True, False, warning(args_text))] if args_text else []
    return [_row(key, value) for key, value in args.items()]


def _row(key: str, value: Any) -> ArgRow:
    text = value if isinstance(value, str) else dumps(value)
    quoted = isinstance(value, str) and (_reads_as_scalar(value) or value != value.strip())
    told = " ".join(filter(None, (odd_name(key), warning(text))))
    nested = isinstance(value, dict | list)
    return ArgRow(pointer_of(key), shown_key(key), visible(text), nested, quoted, told)


def _reads_as_scalar(text: str) -> bool:
    """The string "699" looks like the number 699, and a tool may treat them differently."""
    try:
        return not isinstance(loads(text.strip()), str | dict | list)
    except JsonProblem:
        return False


def shown_key(key: str) -> str:
    """An ordinary name as it is, else as JSON in ASCII: two that look alike must not be drawn alike."""
    return json.dumps(key) if odd_name(key) else "".join(part.text for part in visible(key))


def warning(text: str) -> str:
    """What a reader would not have seen, in a sentence or two; empty when there is nothing of the kind."""
    return " ".join(filter(None, (_hidden_in(text), mixed_scripts(text), _padded(text))))


def _padded(text: str) -> str:
    inner = text.strip("\n")
    return "Begins or ends with a space." if inner != inner.strip() else ""


def _hidden_in(text: str) -> str:
    names = list(dict.fromkeys(f"{part.text} is a {part.hazard}" for part in visible(text) if part.hazard))
    if not names:
        return ""
    more = f", and {len(names) - 3} more kinds" if len(names) > 3 else ""
    return f"Hidden in this text: {', '.join(names[:3])}{more}."


def texts_of(args_text: str) -> list[str]:
    """Every name and value as its own characters, before anything is made visible."""
    args = read_args(args_text)
    if args is None:
        return [args_text]
    return [*args, *(value if isinstance(value, str) else dumps(value) for value in args.values())]


def hazards_in(*texts: str) -> int:
    return sum(map(count_hazards, texts))


def brief(args_text: str, cap: int = 48) -> str:
    """A hint to tell calls apart by: the scalar arguments in a row. A decision is never made from it."""
    args = read_args(args_text) or {}
    scalars = [value for value in args.values() if not isinstance(value, dict | list) and value != ""]
    line = " · ".join(value if isinstance(value, str) else dumps(value) for value in scalars)
    line = "".join(part.text for part in visible(line[: cap * 2].replace("\n", " ")))
    return line if len(line) <= cap else f"{line[: cap - 1]}…"


def number_of(args_text: str) -> tuple[str, str]:
    """Pointer and exact text of the first number, which stands large in the head; else two empty texts."""
    for key, value in (read_args(args_text) or {}).items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            return pointer_of(key), dumps(value)
    return "", ""
