"""Who holds a lease, and whether that process can still be alive."""

from __future__ import annotations

import os
import socket
import uuid
from pathlib import Path


def _started(pid: int) -> str:
    """The process's start in clock ticks since boot: a pid alone is used again."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except (OSError, IndexError):
        return ""


def own_name() -> str:
    """host/pid/start/random: the random part tells two workers of one process apart."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{pid}/{_started(pid)}/{uuid.uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """True only when it is certain: same host, and no process with that pid and start any more.

    Owners on other hosts, or where starts cannot be read, are given until their lease ends.
    """
    host, pid, started, _ = owner.split("/")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return bool(started) and _started(int(pid)) not in {"", started}
