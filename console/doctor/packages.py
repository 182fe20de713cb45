"""Which versions run here, and whether any of them is one that an advisory warns of."""

import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version

from packaging.version import Version

from console import __version__
from console.doctor.finding import Finding
from console.webconfig import CLIENT

SHOWN = ("langchain", "granian", "sqlmodel", "authlib")
# The first version without the advisories named; a data set made by anyone may be loaded by the others.
FLOORS = {
    "langgraph": ("1.0.10", "CVE-2026-28277"),
    "langgraph-checkpoint": ("4.1.1", "CVE-2025-64439, CVE-2026-48775"),
    "langgraph-checkpoint-sqlite": ("3.0.1", "CVE-2025-67644"),
    "reflex": ("0.8.15", "CVE-2025-62379"),
}


def answers(installed: Callable[[str], str] = version) -> Iterator[Finding]:
    yield Finding("ok", "console", f"{__version__} on Python {platform.python_version()}")
    for name in (*FLOORS, *SHOWN):
        yield _package(name, installed)
    yield _pages()
    yield _strict_loading()


def _package(name: str, installed: Callable[[str], str]) -> Finding:
    try:
        found = installed(name)
    except PackageNotFoundError:
        return Finding("bad", name, "is not installed: install requirements.lock")
    floor, advisories = FLOORS.get(name, ("0", ""))
    if Version(found) < Version(floor):
        return Finding(
            "bad",
            name,
            f"{found} has known holes ({advisories}): install {floor} or newer, as requirements.lock",
        )
    return Finding("ok", name, found)


def _pages() -> Finding:
    if (CLIENT / "index.html").is_file():
        return Finding("ok", "pages", "built")
    return Finding("bad", "pages", "are not built: run `make run`, or `python -m console.build`")


def _strict_loading() -> Finding:
    if os.environ.get("LANGGRAPH_STRICT_MSGPACK", "").lower() in ("1", "true", "yes"):
        return Finding("ok", "checkpoint loading", "takes only allowed types")
    return Finding(
        "bad", "checkpoint loading", "takes any type: unset LANGGRAPH_STRICT_MSGPACK or set it to true"
    )
