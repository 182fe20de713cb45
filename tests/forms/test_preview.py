"""`console forms preview` shows, edits and checks the form of any schema without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from console.commands._options import WrongUse
from console.commands.forms import app
from tests.forms.zoo import ZOO_ARGS, zoo_schema


def preview(folder: Path, schema: Any, args_text: str, *more: str) -> Any:
    (folder / "schema.json").write_text(json.dumps(schema), "utf-8")
    (folder / "args.json").write_text(args_text, "utf-8")
    files = ["--schema", str(folder / "schema.json"), "--args", str(folder / "args.json")]
    return CliRunner().invoke(app, ["preview", *files, *more], catch_exceptions=True)


def test_it_returns_the_arguments_byte_for_byte(tmp_path: Path) -> None:
    text = '{"n":  0.10, "big": 9007199254740993, "far": 1e400, "zero": -0, "t": "\\u00e9"}'
    shown = json.loads(preview(tmp_path, {}, text, "--json").stdout)
    assert (shown["args_text"], shown["errors"], shown["drawn_as_text"]) == (text, [], [])
    assert [each["text"] for each in shown["fields"]] == ["0.10", "9007199254740993", "1e400", "-0", "é"]


def test_an_edit_changes_its_own_token_alone(tmp_path: Path) -> None:
    text = '{"a": [0.10, {"b": 1e2}], "c": 1}'
    schema = {"properties": {"c": {"type": "integer", "maximum": 1}}}
    shown = json.loads(
        preview(tmp_path, schema, text, "--set", "/a/1/b=2.50", "--set", "/c=2", "--json").stdout
    )
    assert shown["args_text"] == '{"a": [0.10, {"b": 2.50}], "c": 2}'
    assert shown["errors"] == [{"pointer": "/c", "message": "at most 1"}]


def test_nested_fields_are_children_with_pointers_of_their_own(tmp_path: Path) -> None:
    shown = json.loads(preview(tmp_path, zoo_schema(), json.dumps(ZOO_ARGS), "--json").stdout)
    fields = {each["pointer"]: each for each in shown["fields"]}
    assert (fields["/pay"]["title"], fields["/pay"]["variants"]) == ("Pay", ["Card", "Cash", "Voucher"])
    assert [each["pointer"] for each in fields["/homes"]["children"]] == ["/homes/0", "/homes/1"]
    assert (shown["errors"], shown["drawn_as_text"]) == ([], [])


def test_a_number_that_cannot_be_kept_is_an_error_at_its_pointer(tmp_path: Path) -> None:
    shown = json.loads(preview(tmp_path, {}, '{"n": 1}', "--set", "/n=1e400", "--json").stdout)
    assert [each["pointer"] for each in shown["errors"]] == ["/n"]


@pytest.mark.parametrize("edit", ["n=1", "/n", "/n=abc", "/gone/x=1", '/n={"a":1,"a":2}', "/n=NaN"])
def test_an_edit_that_is_none_is_wrong_use(tmp_path: Path, edit: str) -> None:
    assert isinstance(preview(tmp_path, {}, '{"n": 1}', "--set", edit).exception, WrongUse)


def test_without_json_it_lists_fields_and_errors(tmp_path: Path) -> None:
    done = preview(tmp_path, {"properties": {"n": {"type": "integer"}}}, '{"n": "x"}')
    assert '/n\tjson\t"x"' in done.output
    assert "/n: must be a whole number, is text" in done.output
