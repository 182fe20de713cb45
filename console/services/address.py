"""Network addresses as they are written down: what a peer says of itself may be anything."""

from __future__ import annotations

LONGEST = 64


def short(address: str) -> str:
    """At most 64 characters, each of them printable."""
    return "".join(char if char.isprintable() else "?" for char in address[:LONGEST])
