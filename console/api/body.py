"""Request bodies: bounded, exact, and checked key by key with a pointer to what is wrong.

FastAPI's own reading would let duplicate keys, NaN, and numbers that lose digits through, and would
answer shape errors before anybody asked whether the caller may know that the object exists.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request

from console.api.problem import NotJson, TooLarge, TooSlow
from console.domain.errors import BadRequest, Invalid, Problem
from console.domain.text import has_lone_surrogate
from console.forms import exact, tokens
from console.forms.checking import unkept

MAX_BYTES = 1_000_000
# A body of that length over a poor line; a client that takes longer only holds a connection.
BODY_SECONDS = 30.0


@dataclass(frozen=True)
class Field:
    """`kind`: text, integer, list or any. Texts have at most `longest` characters."""

    kind: str
    required: bool = True
    longest: int = 10_000


Shape = Mapping[str, Field]
_TYPES: dict[str, tuple[type, str]] = {
    "text": (str, "a text"),
    "integer": (int, "a whole number"),
    "list": (list, "a list"),
    "any": (object, "a value"),
}


async def read_bytes(request: Request) -> bytes:
    """The raw body; `TooLarge` as soon as it is known to be, `TooSlow` when it does not come."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(request)
    except TimeoutError:
        raise TooSlow(f"The body did not come within {BODY_SECONDS:g} seconds.") from None


async def _read(request: Request) -> bytes:
    announced = request.headers.get("content-length", "0")
    found = bytearray()
    if not announced.isdecimal() or int(announced[:20]) <= MAX_BYTES:
        async for chunk in request.stream():
            found += chunk
            if len(found) > MAX_BYTES:
                break
        else:
            return bytes(found)
    raise TooLarge(f"A body has at most {MAX_BYTES:,} bytes.")


async def read_json(request: Request) -> Any:
    """Any JSON value, exact. `BadRequest` when it is not JSON, or not JSON that can be kept exactly."""
    raw = await read_bytes(request)
    try:
        return exact.loads(raw)
    except exact.JsonProblem as problem:
        raise BadRequest(f"The body cannot be read: {problem}.") from None


async def read_numbers(request: Request) -> tuple[Any, list[Problem]]:
    """The same, but a number that cannot be kept is a problem at its pointer and no end to the reading."""
    raw = await read_bytes(request)
    try:
        return exact.loads(raw), []
    except exact.JsonProblem as problem:
        why = f"The body cannot be read: {problem}."
    # Token by token takes longer, and the loop has others to serve meanwhile.
    value, found = await asyncio.to_thread(_by_tokens, raw, why)
    return value, found


def _by_tokens(raw: bytes, why: str) -> tuple[Any, list[Problem]]:
    try:
        value = tokens.read(raw.decode("utf-8"))
    except (exact.JsonProblem, UnicodeDecodeError):
        raise BadRequest(why) from None
    if not (found := unkept(value)):
        raise BadRequest(why)
    return tokens.plain(value), [replace(each, position=_position(each.pointer)) for each in found]


def _position(pointer: str) -> int | None:
    at = re.match(r"/decisions/([0-9]+)/", pointer)
    return int(at[1]) if at else None


async def nothing_said(request: Request) -> None:
    """The address says it all: no body, or an empty object."""
    if (await read_bytes(request)).strip() not in (b"", b"{}"):
        raise Invalid([Problem("This call takes no body, or an empty object.")])


def is_json(request: Request) -> bool:
    media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    return media_type == "application/json"


def require_json(request: Request) -> None:
    """A form can be sent by any page in the world; a JSON body needs a preflight that we never answer."""
    if not is_json(request):
        raise NotJson("Send the body as JSON, with `Content-Type: application/json`.")


def problems(value: Any, shape: Shape) -> list[Problem]:
    """Everything that is wrong with the form of a body, in the order of the shape, unknown keys last."""
    if not isinstance(value, dict):
        return [Problem("The body must be a JSON object.")]
    found = [problem for name, field in shape.items() if (problem := _problem(value, name, field))]
    found += [
        Problem(f"There is no field {name[:60]!r} here.", pointer=_pointer(name))
        for name in value
        if name not in shape
    ]
    return found or _unstorable(value)


def checked(value: Any, shape: Shape) -> dict[str, Any]:
    """The body when its form is right; `Invalid` with all problems when not."""
    if found := problems(value, shape):
        raise Invalid(found)
    assert isinstance(value, dict)  # noqa: S101 - `problems` has seen to it
    return value


def _problem(value: dict[str, Any], name: str, field: Field) -> Problem | None:
    if name not in value:
        return Problem(f"{name!r} is missing.", pointer=_pointer(name)) if field.required else None
    item = value[name]
    kind, words = _TYPES[field.kind]
    if not isinstance(item, kind) or (field.kind == "integer" and isinstance(item, bool)):
        return Problem(f"{name!r} must be {words}.", pointer=_pointer(name))
    if isinstance(item, str) and len(item) > field.longest and field.kind == "text":
        return Problem(f"{name!r} has more than {field.longest:,} characters.", pointer=_pointer(name))
    return None


def _unstorable(value: Any) -> list[Problem]:
    """Lone surrogates have no UTF-8 form: neither the database nor an agent would get what was sent."""
    found, todo = [], [("", value)]
    while todo:
        pointer, item = todo.pop()
        match item:
            case str() if has_lone_surrogate(item):
                found.append(Problem("This text holds half of a character pair.", pointer=pointer))
            case dict():
                todo += [(pointer + _pointer(key), below) for key, below in item.items()]
                found += [
                    Problem("A key holds half of a character pair.", pointer=pointer)
                    for key in item
                    if has_lone_surrogate(key)
                ]
            case list():
                todo += [(f"{pointer}/{index}", below) for index, below in enumerate(item)]
    return found


def _pointer(name: str) -> str:
    """RFC 6901."""
    return "/" + name.replace("~", "~0").replace("/", "~1")
