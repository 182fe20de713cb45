"""docs/audit.md has a section for every kind of entry and names only what there is; every kind has words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from console.domain.ledger import Kind
from console.services.audit_words import WORDS, in_words

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "audit.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_every_kind_of_entry_has_its_section_and_no_other() -> None:
    assert re.findall(r"^### (.+)$", PAGE, re.MULTILINE) == [kind.value for kind in Kind]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_words_of_its_own(kind: Kind) -> None:
    assert in_words({"kind": kind.value}) == re.sub(r"\{\w+\}", "–", WORDS[kind])
    assert list(WORDS.values()).count(WORDS[kind]) == 1


def test_exactly_the_kinds_that_nothing_writes_are_called_reserved() -> None:
    """By name: a kind that no service mentions cannot be written."""
    folder = ROOT / "console" / "services"
    services = [path for path in folder.glob("*.py") if path.name != "audit_words.py"]
    written = {name for path in services for name in kinds_in(ast.parse(path.read_text("utf-8")))}
    reserved = {name for name, text in SECTIONS.items() if "Reserved" in text}
    assert reserved == {kind.value for kind in Kind if kind.name not in written}


def kinds_in(tree: ast.AST) -> Iterator[str]:
    """Members of the enum that a module names, whatever it calls the enum."""
    called = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "console.domain.ledger"
        for alias in node.names
        if alias.name == "Kind"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
            yield node.attr


def test_every_route_of_the_log_is_named_and_no_other() -> None:
    from console.api.app import make_rest

    known = {
        (method.upper(), path.removeprefix("/v1").replace("{seq}", "NUMBER"))
        for path, methods in make_rest().openapi()["paths"].items()
        for method in methods
        if path.startswith("/v1/audit")
    }
    assert set(re.findall(r"`(GET|POST) (/[\w/]+)", PAGE)) == known


def test_every_command_of_the_log_is_named_and_no_other() -> None:
    from console.cli import app

    named = set(re.findall(r"`console audit ([\w-]+)", PAGE))
    assert named == {"list", "show", "head", "verify", "export", "erase", "rotate-key"}
    for command in named:
        assert CliRunner().invoke(app, ["audit", command, "--help"]).exit_code == 0, command
