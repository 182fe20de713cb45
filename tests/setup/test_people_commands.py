"""`console users` and `console tokens` in a data folder of their own, as an operator types them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from console.commands import tokens, users
from console.commands._options import Failure, WrongUse

Call = Callable[..., Any]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    def run(app: Any, *args: str, given: str | None = None) -> Any:
        return CliRunner().invoke(app, [*args, "--data", str(tmp_path)], input=given)

    return run


@pytest.fixture
def sam(call: Call) -> str:
    made = call(users.app, "add", "sam", "--role", "supervisor", "--password-stdin", given="a first one\n")
    assert made.output == "sam added as supervisor.\n"
    return "sam"


def test_a_person_is_added_changed_disabled_and_enabled(call: Call, sam: str) -> None:
    said = [
        call(users.app, "role", sam, "qa").output,
        call(users.app, "disable", sam).output,
        call(users.app, "list").output,
        call(users.app, "enable", sam).output,
        call(users.app, "password", sam, "--password-stdin", given="a second one\n").output,
        call(users.app, "sign-out", sam).output,
        call(users.app, "list").output,
    ]
    assert said == [
        "sam is now qa.\n",
        "sam disabled.\n",
        "sam\tqa\tdisabled\n",
        "sam enabled.\n",
        "sam has a new password.\n",
        "sam: 0 sessions ended.\n",
        "sam\tqa\tenabled\n",
    ]


@pytest.mark.parametrize(
    "args", [("role", "zoe", "qa"), ("disable", "zoe"), ("enable", "zoe"), ("sign-out", "zoe")]
)
def test_an_unknown_person_is_a_failure(call: Call, sam: str, args: tuple[str, ...]) -> None:
    ended = call(users.app, *args)
    assert isinstance(ended.exception, Failure)
    assert "zoe" in str(ended.exception)


def test_a_token_is_printed_once_listed_and_revoked(call: Call, sam: str) -> None:
    made = call(tokens.app, "create", sam, "--name", "report", "--scope", "read", "--days", "30")
    token, said = made.output.splitlines()
    token_id = said.split()[-1]
    assert token.startswith("rc_")
    (line,) = call(tokens.app, "list").output.splitlines()
    found = line.split("\t")
    assert (found[:3], found[5:]) == ([token_id, "sam", "read"], ["used never", "report"])
    assert token not in line
    assert call(tokens.app, "revoke", token_id).output == f"Token {token_id} revoked.\n"
    assert call(tokens.app, "list").output == ""
    assert "revoked" in call(tokens.app, "list", sam).output
    assert isinstance(call(tokens.app, "revoke", token_id).exception, Failure)


def test_without_a_scope_a_token_may_do_what_its_owner_may(call: Call, sam: str) -> None:
    call(tokens.app, "create", sam)
    assert call(tokens.app, "list").output.split("\t")[2] == "decide"


@pytest.mark.parametrize("days", ["0", "-1", "3661"])
def test_a_token_lasts_a_day_to_ten_years(call: Call, sam: str, days: str) -> None:
    assert isinstance(call(tokens.app, "create", sam, "--days", days).exception, WrongUse)
    assert call(tokens.app, "list").output == ""


def test_a_scope_that_is_none_makes_no_token(call: Call, sam: str) -> None:
    assert call(tokens.app, "create", sam, "--scope", "all").exit_code == 2
    assert call(tokens.app, "list").output == ""
