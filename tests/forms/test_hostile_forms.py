"""Schemas and arguments made to hurt: the form says what it could not draw, and JSON text still works."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError

from console.forms.edits import Edit
from console.forms.form import Form, open_form
from console.forms.limits import MAX_CHILDREN, MAX_FIELDS
from console.forms.wellformed import flaw
from tests.forms.pairs import ANY

DEEP: dict[str, Any] = {"type": "string"}
DEEP_ARGS: Any = "x"
for _ in range(10):
    DEEP, DEEP_ARGS = {"type": "object", "properties": {"d": DEEP}}, {"d": DEEP_ARGS}
WIDE = {"properties": {f"p{n}": {"type": "string"} for n in range(5_000)}}
BRANCHES = [{"properties": {f"p{n}": {"type": "integer", "not": {"const": n}}}} for n in range(30)]


@pytest.mark.timeout(30, method="thread")
@pytest.mark.parametrize(
    ("schema", "args", "pointer", "why"),
    [
        ({"type": 5}, {"a": 1}, "", "schema is broken"),
        ({"$ref": "#"}, {"a": 1}, "", "refers to itself"),
        ({"$ref": "https://example.com/s"}, {"a": 1}, "", "never fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, {"a": 1}, "/a", "never fetched"),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, {"a": 1}, "/a", "not there"),
        (DEEP, DEEP_ARGS, "/d/d/d/d/d/d/d/d", "levels deep"),
        (WIDE, {"p1": "x"}, "", "5,000 keys"),
        (None, {"a": list(range(10_000))}, "/a", "10,000 items"),
        (None, {"a": "x" * 1_000_000, "b": [[1] * 200] * 200}, "/b/4", "1,000 fields"),
    ],
)
def test_what_cannot_be_drawn_is_exact_text_with_the_reason(
    schema: Any, args: Any, pointer: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the schema made the console open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    form = open_form(args, schema)
    reasons = dict(form.drawn_as_text)
    assert why in reasons[pointer]
    assert sum(1 for _ in form.tree.walk()) <= MAX_FIELDS
    assert form.args is args
    edited = form.apply(Edit("json", "", '{"a": 2}'))
    assert edited.args == {"a": 2}


def test_the_bounds_are_what_is_drawn_and_one_more_is_not() -> None:
    def kinds(count: int) -> list[str]:
        form = open_form({"a": ["x"] * count}, None)
        return [form.tree.children[0].kind, "drawn" if form.tree.children[0].children else "text"]

    assert kinds(MAX_CHILDREN) == ["array", "drawn"]
    assert kinds(MAX_CHILDREN + 1) == ["json", "text"]


@pytest.mark.timeout(30, method="thread")
def test_a_choice_that_takes_too_long_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.forms.schema.MAX_TREE_SECONDS", -1.0)
    form = open_form({"a": {}}, {"properties": {"a": {"anyOf": BRANCHES}}})
    assert form.drawn_as_text == [("/a", "finding out which form fits takes too long")]


def test_a_value_that_json_does_not_know_is_text() -> None:
    form: Form = open_form({"a": float("nan"), "b": {"$t": "bytes", "v": ""}, "c": object()}, None)
    assert {pointer for pointer, _ in form.drawn_as_text} == {"/a", "/b", "/c"}


KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "enum",
        "items",
        "minimum",
        "minLength",
        "anyOf",
        "pattern",
        "$ref",
        "multipleOf",
        "prefixItems",
        "additionalProperties",
        "dependentRequired",
        "uniqueItems",
        "$anchor",
        "title",
    ]
)
ODD = [["string", "null"], "string", [], ["a", "a"], {"a": True}, [True], {"a": ["b"]}]
VALUES = ANY | st.sampled_from(ODD)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYWORDS, VALUES | st.dictionaries(KEYWORDS, VALUES, max_size=2), max_size=3))
def test_a_schema_is_one_exactly_when_the_metaschema_says_so(schema: dict[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
        fine = True
    except SchemaError:
        fine = False
    assert (flaw(schema) == "") == fine, flaw(schema)


@pytest.mark.parametrize("op", ["json", "set"])
def test_json_typed_for_a_stored_request_is_refused_with_its_place(op: str) -> None:
    stored = open_form({"a": {}}, {"properties": {"a": {"enum": [{}, {"b": 1}]}}})
    for text in ('{"b": 1,\n "b": 2}', "\n NaN"):
        (error,) = stored.apply(Edit(op, "/a", text)).errors
        assert "at line 2 column 2" in error.message
