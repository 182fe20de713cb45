"""A schema may be hostile: it is refused, and the others are not kept waiting."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from console.domain.errors import Problem
from console.forms import bounded, checking
from console.forms.bounded import Unusable
from console.forms.checking import judge
from console.forms.dialect import modern
from console.forms.patterns import matches
from console.forms.schema import prepare


def errors(value: Any, schema: Any) -> list[Any]:
    checker = bounded.Checker(modern(schema))
    checker.check()
    return checker.errors(value)[0]


def breaches(value: Any, schema: Any) -> list[Problem]:
    return checking.breaches(prepare(schema), value)[0]


def doubling(links: int) -> dict[str, Any]:
    steps = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(links)}
    return {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{links}": {"type": "object"}}}


# `re` takes longer than anyone can wait for these, and lets nobody else run meanwhile. RE2 decides the
# first; looking ahead it does not know, and the other matcher gives up.
SLOW, LONG = "^(a|aa)+$", "a" * 60 + "b"
AHEAD = "^(?=x|a)(a|aa)+$"
HOSTILE: list[tuple[Any, dict[str, Any]]] = [
    ({LONG: 1}, {"patternProperties": {AHEAD: {"type": "string"}}}),
    ({LONG: 1}, {"additionalProperties": False, "patternProperties": {AHEAD: True}}),
    ({}, doubling(40)),
    ([{"n": n} for n in range(20_000)], {"uniqueItems": True}),
    ({}, {"properties": {f"p{n}": {"type": "string"} for n in range(60_000)}}),
    ({}, {"patternProperties": {"x": True}, "unevaluatedProperties": False}),
]


@pytest.mark.timeout(30, method="thread")
@pytest.mark.parametrize(("value", "schema"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_schema_is_given_up_on(value: Any, schema: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        errors(value, schema)
    (problem,) = breaches(value, schema)
    assert "schema" in problem.message or "items" in problem.message


@pytest.mark.timeout(30, method="thread")
@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (LONG, {"pattern": SLOW}),
        ({LONG: 1}, {"patternProperties": {SLOW: False}, "minProperties": 2}),
        ({LONG: 1}, {"additionalProperties": False, "patternProperties": {SLOW: True}}),
        ({LONG: 1}, {"propertyNames": {"pattern": SLOW}}),
    ],
)
def test_a_catastrophic_pattern_is_decided_all_the_same(value: Any, schema: dict[str, Any]) -> None:
    assert len(breaches(value, schema)) == 1


@pytest.mark.timeout(30, method="thread")
def test_a_pattern_that_takes_too_long_is_shown_as_unchecked() -> None:
    found = judge(prepare({"properties": {"a": {"pattern": AHEAD}}}), {"a": LONG}, {"a": LONG})
    assert found.errors == []
    assert [(each.pointer, "not checked" in each.message) for each in found.warnings] == [("/a", True)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\d+$", "12", True),
        (r"^\d+$", "12\n", False),
        (r"^\u00e9$", "é", True),
        (r"^(?!b)", "ab", True),
        (r"^(a)\1$", "aa", True),
        (r"^\p{L}+$", "é", True),
        ("a", "\ud800a", True),
        ("\ud800", "a", False),
    ],
)
def test_patterns_are_those_of_schemas(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


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


@pytest.mark.timeout(60, method="thread")
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}},
        {"if": {"$ref": "#"}},
        {"not": {"$ref": "#"}},
    ],
)
def test_a_reference_without_end_is_given_up_on_however_full_the_stack_is(schema: dict[str, Any]) -> None:
    """At the end of the stack jsonschema's compiled parts panic, past every `except Exception`."""

    def below(calls: int) -> list[Any]:
        return below(calls - 1) if calls else breaches({"a": 1}, schema)

    assert all(below(calls) for calls in range(0, 300, 23))


def test_waiting_behind_others_is_not_the_schemas_fault() -> None:
    budget = bounded._Budget(0.02)
    time.sleep(0.05)
    budget.spend()
    while time.thread_time() < budget.until:
        pass
    with pytest.raises(Unusable):
        budget.spend()
