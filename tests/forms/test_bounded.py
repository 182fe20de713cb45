"""A schema may be hostile: it is refused, and the others are not kept waiting."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from console.forms import bounded
from console.forms.bounded import Unusable, errors
from console.forms.fields import breaches
from console.forms.form import open_form


def doubling(links: int) -> dict[str, Any]:
    steps = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(links)}
    return {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{links}": {"type": "object"}}}


# `re` takes longer than anyone can wait for each of these, and lets nobody else run meanwhile.
SLOW, LONG = "^(a|aa)+$", "a" * 60 + "b"
# What RE2 does not know; looking behind at every step is as slow in any other matcher.
SLOWER = "^(a|aa)+(?<!b)$"
DECIDED: list[tuple[Any, dict[str, Any], list[str]]] = [
    (LONG, {"pattern": SLOW}, ["pattern"]),
    ({LONG: 1}, {"patternProperties": {SLOW: {"type": "string"}}}, []),
    ({LONG: 1}, {"additionalProperties": False, "patternProperties": {SLOW: True}}, ["additionalProperties"]),
    ({LONG: 1}, {"propertyNames": {"pattern": SLOW}}, ["pattern"]),
    ({}, {"properties": {f"p{n}": {"type": "string"} for n in range(20_000)}}, []),
]
HOSTILE: list[tuple[Any, dict[str, Any]]] = [
    ({LONG: 1}, {"patternProperties": {SLOWER: {"type": "string"}}}),
    ({LONG: 1}, {"additionalProperties": False, "patternProperties": {SLOWER: True}}),
    ({}, doubling(40)),
    ([{"n": n} for n in range(20_000)], {"uniqueItems": True}),
    ({}, {"patternProperties": {"x": True}, "unevaluatedProperties": False}),
]


@pytest.mark.timeout(30, method="thread")
@pytest.mark.parametrize(("value", "schema", "broken"), DECIDED, ids=range(len(DECIDED)))
def test_a_slow_pattern_and_a_large_schema_are_decided_all_the_same(
    value: Any, schema: dict[str, Any], broken: list[str]
) -> None:
    assert [error.validator for error in errors(value, schema)] == broken


@pytest.mark.timeout(30, method="thread")
@pytest.mark.parametrize(("value", "schema"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_schema_is_given_up_on(value: Any, schema: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        errors(value, schema)
    (problem,) = breaches(value, schema)
    assert "schema" in problem.message or "items" in problem.message


@pytest.mark.timeout(30, method="thread")
def test_a_pattern_that_nobody_can_decide_in_time_is_said_to_be_unchecked() -> None:
    form = open_form({"a": LONG}, {"properties": {"a": {"pattern": SLOWER}}})
    assert form.errors == []
    assert [each.pointer for each in form.warnings] == ["/a"]
    assert "not checked" in form.warnings[0].message


@pytest.mark.timeout(30, method="thread")
def test_nested_repetition_of_a_plain_pattern_ends_with_an_answer() -> None:
    answer = "Send him to the branch in Mill Lane, please."
    (found,) = errors(answer, {"pattern": "^(([a-zA-Z ]+)+)+!$"})
    assert "does not match" in found.message


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/gone"},
        {"$ref": "http://127.0.0.1:9/x.json"},
        {"type": 5},
        {"pattern": "("},
        {"oneOf": 5},
        {"$ref": "#"},
    ],
)
def test_a_broken_schema_lets_nothing_pass(schema: dict[str, Any]) -> None:
    assert breaches("x", schema)


SCHEMAS: list[dict[str, Any]] = [
    {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^[A-Z]-[0-9]{4}$"}},
        "required": ["a"],
    },
    {"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
    {"type": "object", "additionalProperties": {"type": "number", "minimum": 3}},
    {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True, "maxItems": 4},
    {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"type": "integer", "maximum": 9}}},
]


KEYS = st.sampled_from(["a", "x1", "xy", "b", ""])
LEAVES = (
    st.none() | st.integers(-2, 12) | st.sampled_from(["A-2048", "a", "b", "", "A-20481"]) | st.booleans()
)
VALUES = LEAVES | st.lists(LEAVES, max_size=5) | st.dictionaries(KEYS, LEAVES, max_size=4)


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
@settings(max_examples=150)
@given(value=VALUES)
def test_it_finds_what_jsonschema_finds(schema: dict[str, Any], value: Any) -> None:
    wanted = {tuple(each.absolute_path) for each in Draft202012Validator(schema).iter_errors(value)}
    assert {tuple(each.absolute_path) for each in errors(value, schema)} == wanted


def test_the_budget_is_of_one_check_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three checks that each take more than a third of the steps."""
    monkeypatch.setattr(bounded, "MAX_SECONDS", 60.0)
    for _ in range(3):
        assert errors({}, doubling(13)) == []
