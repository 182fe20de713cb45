"""Python imports this at its start when the folder is on its path: writes down every call to the outside."""

import os
import sys
from typing import Any

INSIDE = ("localhost", "127.", "::1", "0.0.0.0", "/")


def note(line: str) -> None:
    with open(os.environ["WATCHED_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(line + "\n")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit events come before the call is made, and from every user of Python's own sockets."""
    if event == "socket.getaddrinfo":
        host: Any = arguments[0]
    elif event in ("socket.connect", "socket.sendto"):
        host = arguments[1][0] if isinstance(arguments[1], tuple) else arguments[1]
    elif event == "socket.gethostbyname":
        host = arguments[0]
    else:
        return
    name = host.decode(errors="replace") if isinstance(host, bytes) else str(host)
    if not name.startswith(INSIDE):
        note(f"{event} {name}")


if "WATCHED_CALLS" in os.environ:
    note("watching")
    sys.addaudithook(watch)
