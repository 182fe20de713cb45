"""DESIGN's layers as data, and a walk over the syntax tree of every module that compares it with them."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

# For each part of console/: the other parts it may import. A module directly in console/ is its own part.
LAYERS: dict[str, frozenset[str]] = {
    part: frozenset(allowed.split())
    for part, allowed in {
        "domain": "",
        "forms": "domain",
        "demo": "domain",
        "sources": "domain forms settings settings_file",
        "store": "domain forms settings settings_file",
        "services": "domain forms sources store settings",
        "live": "domain forms services",
        "api": "domain forms services live settings",
        # The shell shows who is signed in, and that is a state of live/; a service it still may not call.
        "ui": "domain forms live",
        "features": "domain forms services live ui",
        "commands": "domain forms services settings settings_file compose server doctor",
        "settings_file": "",
        "settings": "settings_file",
        "webconfig": "settings plugin",
        "plugin": "",
        "build": "webconfig",
        "compose": "domain forms demo sources store services settings settings_file",
        "seed": "demo domain sources services settings settings_file",
        "exposure": "settings settings_file",
        "doctor": "domain exposure services settings settings_file webconfig",
        "server": "api compose console exposure seed settings settings_file webconfig",
        "console": "api compose features live services settings ui webconfig",
        "cli": "commands server doctor services settings settings_file",
        "__main__": "cli",
        "__init__": "",
    }.items()
}

# Outside packages that only some parts may import, by the beginning of the name.
RESERVED: dict[str, frozenset[str]] = {
    "reflex": frozenset({"console", "webconfig", "plugin", "ui", "features", "live"}),
    "sqlalchemy": frozenset({"store"}),
    "sqlmodel": frozenset({"store"}),
    "alembic": frozenset({"store"}),
    "langchain": frozenset({"sources", "demo"}),
    "langgraph": frozenset({"sources", "demo"}),
    "typer": frozenset({"cli", "commands"}),
}

# Parts that import nothing from outside but what is named here.
PURE: dict[str, frozenset[str]] = {"domain": frozenset(), "forms": frozenset({"jsonschema", "re2", "regex"})}


def part_of(module: str) -> str:
    """console.store.reviews -> store; console itself (its __version__) -> __init__."""
    return [*module.split("."), "__init__"][1]


def module_name(file: Path, root: Path) -> str:
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def imported(tree: ast.AST, file: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute name, also inside functions and under TYPE_CHECKING: both are dependencies."""
    package = file.relative_to(root).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            if start == "console":
                yield from ((node.lineno, f"console.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, start


def breach(part: str, name: str) -> str | None:
    top = name.split(".")[0]
    if top == "console":
        other = part_of(name)
        fine = other in ("__version__", "__init__", part) or other in LAYERS.get(part, frozenset())
        return None if fine else f"{part} may not import {other}"
    for prefix, parts in RESERVED.items():
        if top.startswith(prefix) and part not in parts:
            return f"{part} may not import {top}: only {', '.join(sorted(parts))} may"
    if part in PURE and top not in sys.stdlib_module_names and top not in PURE[part]:
        return f"{part} is pure and may not import {top}"
    return None


def breaches(root: Path) -> list[str]:
    """One line each, for every module below root/console; an unknown part is a breach, too."""
    found = []
    for file in sorted((root / "console").rglob("*.py")):
        part = part_of(module_name(file, root))
        place = file.relative_to(root)
        if part not in LAYERS:
            found.append(
                f"{place}: {part} is no part of the design; give it its place in tests/setup/imports.py"
            )
            continue
        for line, name in imported(ast.parse(file.read_text("utf-8")), file, root):
            if wrong := breach(part, name):
                found.append(f"{place}:{line}: {wrong}")
    return found
