"""The pages as a whole: they compile, and hold nothing that the CSP kills or that runs another's words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import console

ROOT = Path(console.__file__).parent
SOURCES = [file for part in ("ui", "features", "live") for file in sorted((ROOT / part).rglob("*.py"))]
# These run through eval in the browser when a handler returns them, and die without a word.
DEAD = {"toast", "call_script", "call_function", "scroll_to", "set_clipboard", "console_log", "alert"}
RAW = {"html", "markdown", "script"}


def test_every_page_compiles(pages: Any) -> None:
    """Evaluates and renders every page and checks the names and types of all variables, without Node."""
    pages._compile(dry_run=True, use_rich=False)
    assert {"index", "threads/[ref]", "audit", "login"} <= set(pages._pages)


def used(file: Path) -> Iterator[str]:
    """Every name taken from `rx` in the file."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rx":
            yield node.attr


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_is_used_that_dies_under_the_csp(file: Path) -> None:
    assert DEAD.isdisjoint(used(file))


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_text_becomes_markup(file: Path) -> None:
    assert RAW.isdisjoint(used(file))


def test_the_checks_would_see_a_breach(tmp_path: Path) -> None:
    planted = tmp_path / "page.py"
    planted.write_text("import reflex as rx\n\ndef f(x):\n    rx.html(x)\n    return rx.toast.error(x)\n")
    assert set(used(planted)) == {"html", "toast"}


def test_the_browser_components_build_no_markup_from_text() -> None:
    text = "".join(file.read_text() for file in ROOT.rglob("*.jsx"))
    assert "export function Tail" in text
    assert not re.search(r"dangerouslySetInnerHTML|innerHTML|\beval\b|new Function", text)


def test_only_the_agents_words_are_dashed() -> None:
    """DESIGN: no other thing in the console has a dashed line."""
    sheets = {file.name: file.read_text() for file in (ROOT / "ui" / "css").glob("*.css")}
    dashed = [
        line
        for text in sheets.values()
        for line in text.splitlines()
        if "dashed" in line and "/*" not in line
    ]
    assert [line.split("{")[0].strip() for line in dashed] == [".agent"]
