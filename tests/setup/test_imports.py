"""Imports point one way."""

from pathlib import Path

import pytest

from tests.serving import ROOT
from tests.setup.imports import LAYERS, breaches


def test_no_module_imports_against_the_layers() -> None:
    assert breaches(ROOT) == []


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("domain/review.py", "import pydantic", "domain is pure"),
        ("domain/review.py", "from console.forms import diff", "domain may not import forms"),
        ("forms/tree.py", "import sqlalchemy.orm", "forms may not import sqlalchemy"),
        ("sources/local.py", "from console.store import reviews", "sources may not import store"),
        ("sources/local.py", "from console import store", "sources may not import store"),
        ("store/reviews.py", "from ..sources import local", "store may not import sources"),
        ("store/deep/reviews.py", "from ...sources import local", "store may not import sources"),
        ("services/decide.py", "import reflex as rx", "services may not import reflex"),
        ("services/decide.py", "from langgraph.types import Command", "services may not import langgraph"),
        (
            "services/decide.py",
            "from langchain_core.messages import AIMessage",
            "may not import langchain_core",
        ),
        ("api/reviews.py", "from sqlmodel import select", "api may not import sqlmodel"),
        ("api/reviews.py", "def f():\n    from console.store import reviews", "api may not import store"),
        ("ui/layout.py", "from console.services import inbox", "ui may not import services"),
        ("features/queue/page.py", "from console.store import reviews", "features may not import store"),
        ("live/bus.py", "from console.features import queue", "live may not import features"),
        ("compose.py", "import reflex_base", "compose may not import reflex_base"),
        (
            "store/x.py",
            "if TYPE_CHECKING:\n    from console.services import y",
            "store may not import services",
        ),
        ("helpers/x.py", "import os", "helpers is no part of the design"),
    ],
)
def test_a_planted_breach_is_found(file: str, line: str, said: str, tmp_path: Path) -> None:
    planted = tmp_path / "console" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line + "\n")
    (found,) = breaches(tmp_path)
    assert said in found


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("domain/review.py", "import json\nfrom console.domain.verdict import Verdict"),
        ("forms/check.py", "import jsonschema\nfrom console.domain import canonical"),
        ("store/reviews.py", "from sqlmodel import select\nfrom . import engine"),
        ("sources/local.py", "from langgraph.types import Command\nfrom console.forms import diff"),
        ("services/decide.py", "from console import sources, store"),
        ("live/bus.py", "import reflex as rx\nfrom console.services import inbox"),
    ],
)
def test_what_the_layers_allow_is_no_breach(file: str, line: str, tmp_path: Path) -> None:
    planted = tmp_path / "console" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(line + "\n")
    assert breaches(tmp_path) == []


def test_the_layers_have_no_circle() -> None:
    done: set[str] = set()
    waiting = set(LAYERS)
    while ready := {part for part in waiting if LAYERS[part] <= done}:
        done |= ready
        waiting -= ready
    assert waiting == set()
