"""Answers as exact JSON: numbers keep every digit, times are RFC 3339 UTC with six decimals and `Z`.

Python's own encoder writes NaN, which is not JSON, and FastAPI's turns dates and numbers by rules of its
own. So views are written here, field by field, and texts that are exact JSON already go in as they are.
"""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from console.forms import exact
from console.services.views import ActionView, ReviewView, ToolCallView


@dataclasses.dataclass(frozen=True)
class Verbatim:
    """JSON text that is put into the answer unchanged."""

    json_text: str


def rfc3339(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text(value: Any) -> str:
    """The JSON text of a view, of a sequence of views, or of any other value."""
    match value:
        case Verbatim():
            return value.json_text
        case datetime():
            return f'"{rfc3339(value)}"'
        case list() | tuple() if any(map(_is_view, value)):
            return "[" + ",".join(map(text, value)) + "]"
    if _is_view(value):
        return "{" + ",".join(f'"{name}":{text(item)}' for name, item in _fields(value).items()) + "}"
    return _plain(value)


def _plain(value: Any) -> str:
    """Values in views are JSON-safe, with tags where needed; a second tagging would change them."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        return exact.dumps(value)


def _is_view(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _fields(view: Any) -> dict[str, Any]:
    """Values with an exact text beside them are that text: the digest covers it, and nothing may differ."""
    found = {field.name: getattr(view, field.name) for field in dataclasses.fields(view)}
    match view:
        case ActionView() | ToolCallView():
            found["args"] = Verbatim(view.args_text)
        case ReviewView() if view.value_text:
            found["value"] = Verbatim(view.value_text)
    return found


class Answer(Response):
    """`application/json`, written by `text`."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        # Lone surrogates have no UTF-8 form; their backslash form happens to be the JSON escape.
        return text(content).encode("utf-8", "backslashreplace")
