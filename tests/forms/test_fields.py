"""The form changes what a person edited, and nothing else."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from console.forms.exact import dumps, same
from console.forms.fields import Field, breaches, fields, merge, validate
from tests.forms.test_exact import ANYTHING, PLAIN

REFUND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "reason": {"type": "string", "default": ""},
        "count": {"type": "integer"},
        "urgent": {"type": "boolean"},
        "how": {"enum": ["card", "cash"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["order_id", "amount"],
}
TYPES = st.sampled_from(["string", "number", "integer", "boolean", "array", "object", "null", "odd"])
SCHEMAS = st.none() | st.fixed_dictionaries(
    {"properties": st.dictionaries(st.text(max_size=3), st.fixed_dictionaries({"type": TYPES}), max_size=4)}
)
ARGUMENTS = st.dictionaries(st.text(max_size=3), ANYTHING, max_size=5)


@given(ARGUMENTS, SCHEMAS)
def test_a_form_sent_back_untouched_changes_nothing(args: dict[str, Any], schema: Any) -> None:
    """Every field's own text comes back, as a browser sends it."""
    edits = {field.pointer: field.text for field in fields(args, schema)}
    merged, _ = merge(args, schema, edits)
    assert list(merged) == list(args)
    assert all(merged[key] is args[key] for key in args)


@given(ARGUMENTS, st.data())
def test_an_edit_changes_its_own_argument_alone(args: dict[str, Any], data: Any) -> None:
    if not args:
        return
    key = data.draw(st.sampled_from(sorted(args)))
    value = data.draw(PLAIN)
    field = next(each for each in fields(args, None) if each.key == key)
    if field.kind != "json":
        return
    merged, problems = merge(args, None, {field.pointer: dumps(value)})
    assert problems == []
    assert list(merged) == list(args)
    assert all(merged[other] is args[other] for other in args if other != key)
    assert same(merged[key], value) or dumps(value) == field.text


@given(st.integers())
def test_an_integer_keeps_every_digit(value: int) -> None:
    merged, problems = merge({"n": 0}, None, {"/n": str(value)})
    assert (merged, problems) == ({"n": value}, [])


@pytest.mark.parametrize(
    ("pointer", "text", "key", "value"),
    [
        ("/amount", "499", "amount", 499),
        ("/amount", "499.0", "amount", 499.0),
        ("/amount", " 499.50 ", "amount", 499.5),
        ("/order_id", " A ", "order_id", " A "),
        ("/order_id", "", "order_id", ""),
        ("/order_id", "true", "order_id", "true"),
        ("/reason", "late", "reason", "late"),
        ("/count", "9007199254740993", "count", 9007199254740993),
        ("/urgent", "true", "urgent", True),
        ("/how", "cash", "how", "cash"),
        ("/tags", '["a"]', "tags", ["a"]),
    ],
)
def test_a_text_becomes_the_value_that_was_meant(pointer: str, text: str, key: str, value: Any) -> None:
    merged, problems = merge({"order_id": "A-1", "amount": 699}, REFUND, {pointer: text})
    assert problems == []
    assert same(merged[key], value)
    assert set(merged) == {"order_id", "amount", key}


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/amount", "abc"),
        ("/amount", ""),
        ("/amount", "NaN"),
        ("/amount", "1e400"),
        ("/amount", "0.1000000000000000055511151231257827"),
        ("/amount", "true"),
        ("/amount", '"699"'),
        ("/amount", "1,5"),
        ("/count", "1.5"),
        ("/count", "1.0"),
        ("/urgent", "yes"),
        ("/urgent", "1"),
        ("/how", "gold"),
        ("/tags", "a, b"),
        ("/tags", "[1]"),
        ("/tags", '{"a": 1, "a": 2}'),
        ("/order_id", "\ud800"),
    ],
)
def test_a_text_that_means_nothing_here_is_complained_about_at_its_field(pointer: str, text: str) -> None:
    _, problems = merge({"order_id": "A-1", "amount": 699}, REFUND, {pointer: text})
    assert problems
    assert problems[0].pointer.startswith(pointer)
    assert problems[0].message


def test_an_optional_argument_that_is_emptied_is_left_out() -> None:
    merged, problems = merge({"order_id": "A-1", "amount": 1, "count": 3}, REFUND, {"/count": ""})
    assert (merged, problems) == ({"order_id": "A-1", "amount": 1}, [])


def test_a_value_of_another_type_than_the_schema_says_is_shown_as_what_it_is() -> None:
    found = {field.key: field for field in fields({"amount": "699", "order_id": 5}, REFUND)}
    assert (found["amount"].kind, found["amount"].text) == ("json", '"699"')
    assert (found["order_id"].kind, found["order_id"].text) == ("json", "5")


def test_fields_stand_in_the_agents_order_and_then_in_the_schemas() -> None:
    found = fields({"extra": 1, "amount": 2}, REFUND)
    assert [field.key for field in found[:3]] == ["extra", "amount", "order_id"]
    assert [field.key for field in found if field.required] == ["amount", "order_id"]
    assert [field.present for field in found[:3]] == [True, True, False]


@pytest.mark.parametrize("key", ["a/b", "a~b", "", "~1", "é", "\ud800"])
def test_odd_keys_have_pointers_of_their_own(key: str) -> None:
    (field,) = fields({key: 1}, None)
    merged, problems = merge({key: 1}, None, {field.pointer: "2"})
    assert (merged, problems) == ({key: 2}, [])


@given(
    st.dictionaries(st.sampled_from(["order_id", "amount", "count", "how", "tags"]), PLAIN, max_size=5),
)
def test_the_verdict_on_arguments_is_the_validators(args: dict[str, Any]) -> None:
    assert (validate(args, REFUND) == []) == Draft202012Validator(REFUND).is_valid(args)


def test_an_argument_that_the_tool_does_not_have_is_a_problem() -> None:
    (problem,) = validate({"order_id": "A", "amount": 1, "approved": True}, REFUND)
    assert problem.pointer == "/approved"
    assert validate({"x": 1}, {"properties": {"a": {}}, "additionalProperties": True}) == []
    assert validate({"x": 1}, None) == []


@pytest.mark.parametrize("args", [None, [], "x", 5])
def test_arguments_are_an_object(args: Any) -> None:
    assert validate(args, None)


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
    problems = validate({"a": "x"}, schema)
    assert [problem.message for problem in problems if "schema is broken" in problem.message]
    assert fields({"a": "x"}, schema)


@pytest.mark.parametrize("answer", [True, 5, "yes", None, ["a"], {"a": 1}])
def test_an_answer_may_be_any_json_that_its_schema_takes(answer: Any) -> None:
    assert breaches(answer, {}) == []
    kind = {bool: "boolean", int: "integer", str: "string", type(None): "null", list: "array", dict: "object"}
    assert breaches(answer, {"type": kind[type(answer)]}) == []
    assert breaches(answer, {"not": {}})


def test_a_field_says_what_it_takes() -> None:
    hints = {field.key: field.hint for field in fields({}, REFUND)}
    assert hints == {
        "order_id": "text",
        "amount": "number",
        "reason": "text",
        "count": "whole number",
        "urgent": "yes or no",
        "how": "one of 2",
        "tags": "JSON",
    }
    assert all(isinstance(field, Field) and not field.present for field in fields({}, REFUND))
