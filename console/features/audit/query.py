"""What the address of the log asks for. Everything that narrows the log stands in the URL, so that an address
can be sent to somebody and Back goes back. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from console.domain.errors import BadRequest
from console.features import parse

ROUTE = "/audit"
CAP = 400
# How a service and REST call what the address calls otherwise.
SERVICE_NAMES = {"actor": "actor_name"}
TIMES = ("since", "until")
PICKED = ("actor", "kind", "tool", "verdict", "outcome")


@dataclass(frozen=True)
class Asked:
    """Texts as they stand in the address, empty where nothing is asked; times are RFC 3339."""

    q: str = ""
    since: str = ""
    until: str = ""
    actor: str = ""
    kind: str = ""
    tool: str = ""
    verdict: str = ""
    outcome: str = ""
    review: str = ""
    thread: str = ""
    cursor: str = ""
    entry: str = ""


NARROWING = tuple(field.name for field in fields(Asked) if field.name not in ("cursor", "entry"))


def read(parameters: Mapping[str, Any]) -> Asked:
    """From an address somebody may have typed; `BadRequest` names what cannot be read."""
    texts = {field.name: parse.text(parameters.get(field.name, ""), CAP).strip() for field in fields(Asked)}
    asked = Asked(**texts)
    for name in TIMES:
        moment(getattr(asked, name))
    number(asked)
    return asked


def moment(text: str) -> datetime | None:
    """A time with its zone, or None for an empty text."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"{text} is no time.") from None
    if found.tzinfo is None:
        raise BadRequest(f"{text} names no time zone.")
    return found.astimezone(UTC)


def number(asked: Asked) -> int:
    """The entry that is to be open, 0 for none."""
    if not asked.entry:
        return 0
    if not (asked.entry.isascii() and asked.entry.isdigit() and len(asked.entry) <= 15):
        raise BadRequest(f"{asked.entry} is no number of an entry.")
    return int(asked.entry)


def filters(asked: Asked) -> dict[str, Any]:
    """Arguments for the services, only those that narrow."""
    found: dict[str, Any] = {
        SERVICE_NAMES.get(name, name): getattr(asked, name) for name in NARROWING if getattr(asked, name)
    }
    return found | {name: moment(found[name]) for name in TIMES if name in found}


def narrows(asked: Asked) -> bool:
    return any(getattr(asked, name) for name in NARROWING)


def address(asked: Asked, route: str = ROUTE, **more: str) -> str:
    texts = {field.name: getattr(asked, field.name) for field in fields(Asked)} | more
    told = urlencode({name: text for name, text in texts.items() if text})
    return f"{route}?{told}" if told else route


def opening(asked: Asked, seq: int) -> str:
    return address(replace(asked, entry=str(seq)))


def closing(asked: Asked) -> str:
    return address(replace(asked, entry=""))


def narrowed(asked: Asked, **changes: str) -> Asked:
    """The first page of a narrower or wider question, nothing open."""
    return replace(asked, **changes, cursor="", entry="")


def export(asked: Asked, form: str) -> str:
    """The file of all entries that match, not only those of the page."""
    return address(narrowed(asked), route="/api/v1/audit/export", format=form)
