"""What a schema lets pass: nothing where it is broken, and nothing is ever fetched to find out."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from console.forms.checking import breaches
from console.forms.edits import Edit
from console.forms.form import open_form
from console.forms.schema import prepare


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "odd"},
        {"type": 5},
        {"properties": []},
        {"required": "order_id"},
        {"required": 5},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "#"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"$ref": "https://example.com/x"}}},
        {"properties": {"a": {"pattern": "("}}},
        {"properties": {"a": {"allOf": [{"$ref": "#/properties/a"}]}}},
    ],
)
def test_a_broken_schema_lets_nothing_pass_and_fetches_nothing(
    schema: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the schema made the console open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    form = open_form({"a": "x"}, schema)
    assert [problem.message for problem in form.errors if "schema is broken" in problem.message]
    assert form.tree


@pytest.mark.parametrize("answer", [True, 5, "yes", None, ["a"], {"a": 1}])
def test_an_answer_may_be_any_json_that_its_schema_takes(answer: Any) -> None:
    assert breaches(prepare({}), answer)[0] == []
    kind = {bool: "boolean", int: "integer", str: "string", type(None): "null", list: "array", dict: "object"}
    assert breaches(prepare({"type": kind[type(answer)]}), answer)[0] == []
    assert breaches(prepare({"not": {}}), answer)[0]


@pytest.mark.parametrize("key", ["a/b", "a~b", "", "~1", "\u00e9"])
def test_odd_keys_have_pointers_of_their_own(key: str) -> None:
    form = open_form({key: 1, "other": 1}, None)
    edited = form.apply(Edit("set", form.tree.children[0].pointer, "2"))
    assert (edited.args, edited.errors) == ({key: 2, "other": 1}, [])


def test_values_that_stand_in_place_of_all_others_keep_the_objects_they_repeat() -> None:
    kept, big = {"deep": [1.5, "x"]}, 9007199254740993
    form = open_form({"kept": kept, "n": 1, "big": big}, None)
    held = form.holding({"kept": {"deep": [1.5, "x"]}, "n": 2, "big": 9007199254740993})
    assert held.args["kept"] is kept
    assert [change.pointer for change in held.changes] == ["/n"]
    assert form.holding({"kept": {"deep": [1.5, "x"]}, "n": 1, "big": big}).args is form.args
    other = form.holding({"kept": True, "n": 1.0})
    assert [each.pointer for each in other.changes] == ["/kept", "/n", "/big"]
