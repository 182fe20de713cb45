"""docs/security.md speaks of every threat, names tests that there are, and figures that are kept."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from console import server
from console.api import body, budget
from console.domain import verdict
from console.live import pace
from console.services import chat, redact, resolve, sources
from console.services.paging import MAX_PAGE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
THREATS = dict(re.findall(r"^### (T\d\d) [^\n]+\n(.*?)(?=^### |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BOUNDS = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE))


def named_in(text: str) -> list[str]:
    (line,) = re.findall(r"^Tests: (.+)$", text, re.MULTILINE)
    return re.findall(r"`([^`]+)`", line)


def test_every_threat_has_its_section_in_order() -> None:
    assert list(THREATS) == [f"T{number:02}" for number in range(1, 35)]


@pytest.mark.parametrize("threat", THREATS)
def test_each_promise_is_a_sentence_with_tests_that_there_are(threat: str) -> None:
    assert len(THREATS[threat].split("Tests:")[0].split()) > 5
    files = named_in(THREATS[threat])
    assert files
    for file in files:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        found = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        assert any(each.name.startswith("test_") for each in found), file


def rate(a_second: float, burst: float) -> str:
    return f"{a_second:g} a second, {burst:g} at once"


def test_the_bounds_are_those_that_are_kept() -> None:
    calls = budget.Budget()
    seconds = server.HEADER_MILLISECONDS / 1000
    assert BOUNDS.pop("what") == "bound"
    assert {
        "body of a call": f"{body.MAX_BYTES:,} bytes, within {body.BODY_SECONDS:g} seconds",
        "headers of a call": f"within {seconds:g} seconds",
        "calls of a session or token": rate(calls._rate, calls._burst),
        "events of a socket with a session": rate(pace.PERSON.a_second, pace.PERSON.burst),
        "events of a socket without one": rate(pace.STRANGER.a_second, pace.STRANGER.burst),
        "events of an address without a session": rate(pace.ADDRESS.a_second, pace.ADDRESS.burst),
        "connections": f"{server.MOST_CONNECTIONS:,}, or as many as the operating system allows",
        "page of a list": str(MAX_PAGE),
        "message to the agent, text with a decision": f"{chat.MAX_TEXT:,} characters",
        "reason of an act in the log": f"{redact.MAX_REASON:,} characters",
        "failed sign-ins": failures(),
    } == BOUNDS
    assert verdict.MAX_MESSAGE == chat.MAX_TEXT
    assert resolve.MAX_REASON == redact.MAX_REASON


def failures() -> str:
    """From the source, since tests of sign-ins put other buckets in their place."""
    text = (ROOT / "console" / "services" / "accounts.py").read_text("utf-8")
    (line,) = re.findall(r"^_by_user, _by_address = (.+)$", text, re.MULTILINE)
    user, address = re.findall(r"burst=(\d+)", line)
    return f"{user} by name, {address} by address, refilling"


def test_the_number_of_threads_that_are_checked_is_the_one_that_is_said() -> None:
    assert f"those of the {sources.THREADS:,} threads written last" in PAGE
