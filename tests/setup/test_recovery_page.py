"""docs/recovery.md has a section for every status of a thread, and names only what there is."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from console.domain.ledger import Kind
from console.domain.review import ThreadStatus
from console.services.resolve import CHOICES

PAGE = (Path(__file__).parents[2] / "docs" / "recovery.md").read_text("utf-8")


def test_every_status_has_its_section() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert [each for each in headings if each in list(ThreadStatus)] == list(ThreadStatus)


def test_every_choice_has_its_line() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(CHOICES)


def test_every_route_that_is_named_exists() -> None:
    from console.api.app import make_rest

    known = {
        (method.upper(), re.sub(r"\{.*?\}", "*", path))
        for path, methods in make_rest().openapi()["paths"].items()
        for method in methods
    }
    named = re.findall(r"`(GET|POST) (/[\w/]+)", PAGE)
    assert len(named) > 5
    assert {(verb, "/v1" + re.sub(r"/(ID|REF)\b", "/*", path)) for verb, path in named} <= known


def test_every_command_that_is_named_exists() -> None:
    from console.cli import app

    named = re.findall(r"`console (\w+) (\w+)", PAGE)
    assert len(named) >= 3
    for group, command in named:
        assert CliRunner().invoke(app, [group, command, "--help"]).exit_code == 0, (group, command)


def test_every_entry_that_is_named_can_be_written() -> None:
    named = set(re.findall(r"`([a-z_]+)`", PAGE)) - set(CHOICES) - {"result"}
    assert {"opened", "external_resume", "retried"} <= named <= set(Kind)
