"""JSON in and out of the console says what was said, digit for digit."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.forms.exact import (
    MAX_DEPTH,
    JsonProblem,
    depth,
    dumps,
    flaws,
    is_cut,
    is_plain_json,
    loads,
    plain,
    same,
    stand_ins,
    tagged,
    untagged,
)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
PLAIN = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6).filter(lambda key: not key.startswith("$t")), inner, max_size=4)
    ),
    max_leaves=15,
)


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: int
    y: Any


class Odd:
    def __repr__(self) -> str:
        return "Odd()"


ANYTHING = st.recursive(
    SCALARS
    | st.floats()
    | st.binary()
    | st.datetimes()
    | st.dates()
    | st.times()
    | st.decimals()
    | st.uuids()
    | st.sampled_from([Colour.RED, Level.HIGH, Odd(), Point(1, {2})])
    | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("$t"), inner, max_size=3)
        | st.frozensets(st.integers() | st.text(max_size=3), max_size=3)
    ),
    max_leaves=10,
)


@given(PLAIN)
def test_what_is_json_comes_back_as_it_was(value: Any) -> None:
    assert same(loads(dumps(value)), value)
    assert is_plain_json(value)
    assert json.loads(dumps(value)) == value


@given(ANYTHING)
def test_any_python_value_has_one_json_text(value: Any) -> None:
    text = dumps(value)
    text.encode()
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert dumps(value) == text
    assert not is_cut(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9007199254740993, "9007199254740993"),
        (-(10**40), "-" + "1" + "0" * 40),
        (5.0, "5.0"),
        (5, "5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e22, "1e+22"),
        (-0.0, "-0.0"),
        (True, "true"),
        ("\u202eé\x00", '"\u202eé\\u0000"'),
        ("\ud800", '"\\ud800"'),
        (math.nan, '{"$t": "float", "v": "nan"}'),
        (-math.inf, '{"$t": "float", "v": "-inf"}'),
        ((1, 2), "[1, 2]"),
        ({3, 1}, '{"$t": "set", "v": [1, 3]}'),
        (b"hi", '{"$t": "bytes", "v": "aGk="}'),
        ({1: "a"}, '{"$t": "map", "v": [[1, "a"]]}'),
        ({"$t": "set"}, '{"$t": "map", "v": [["$t", "set"]]}'),
        (decimal.Decimal("1.10"), '{"$t": "decimal", "v": "1.10"}'),
        (uuid.UUID(int=1), '{"$t": "uuid", "v": "00000000-0000-0000-0000-000000000001"}'),
        (datetime.date(2026, 1, 2), '{"$t": "date", "v": "2026-01-02"}'),
        (
            datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
            '{"$t": "datetime", "v": "2026-01-02T00:00:00+00:00"}',
        ),
        (Colour.RED, '{"$t": "enum", "v": "<Colour.RED: 1>"}'),
        (Point(1, None), '{"$t": "dataclass", "cls": "Point", "v": {"x": 1, "y": null}}'),
        (Odd(), '{"$t": "repr", "cls": "Odd", "v": "Odd()"}'),
        ({"b": 1, "a": 2}, '{"b": 1, "a": 2}'),
    ],
)
def test_a_value_is_written_as_what_it_is(value: Any, text: str) -> None:
    assert dumps(value) == text


def test_an_integer_that_python_does_not_print_is_written_all_the_same() -> None:
    assert dumps([1 << 16_000]) == '[{"$t": "int", "v": "0x1' + "0" * 4000 + '"}]'


@given(ANYTHING, ANYTHING)
def test_values_that_differ_have_texts_that_differ(left: Any, right: Any) -> None:
    if dumps(left) == dumps(right) and is_plain_json(left) and is_plain_json(right):
        assert same(left, right)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a': 1}",
        "01",
        "+1",
        ".5",
        "1.",
        "0x10",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        "1e400",
        "-1e400",
        "1e-400",
        "0.1000000000000000055511151231257827",
        "9007199254740993.0",
        "1" * 5000,
        '{"a": 1, "a": 1}',
        '{"a": {"b": 1, "b": 2}}',
        "\ufeff1",
        '"\n"',
        "1 2",
        "[" * 101 + "]" * 101,
        "[" * 100_000,
        '{"a":' * 50_000,
        b"\xff",
        b'"\xed\xa0\x80"',
        "undefined",
        "True",
        "1e999999999999999999999",
        "1e-999999999999999999999",
    ],
)
def test_what_could_not_be_kept_exactly_is_refused_with_a_sentence(text: str | bytes) -> None:
    with pytest.raises(JsonProblem) as refused:
        loads(text)
    assert str(refused.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9007199254740993", 9007199254740993),
        ("5.0", 5.0),
        ("5", 5),
        ("1.10", 1.1),
        ("1E2", 100.0),
        ("-0.0", -0.0),
        ("0e99", 0.0),
        (' "\\ud83d\\ude00" ', "😀"),
        ("[" * 100 + "]" * 100, None),
        (b'{"\xc3\xa9": null}', {"é": None}),
    ],
)
def test_a_number_keeps_its_digits_and_its_type(text: str | bytes, value: Any) -> None:
    found = loads(text)
    if value is not None:
        assert same(found, value)


def nested(levels: int, kind: Any = list) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if kind is list else (value,) if kind is tuple else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict, tuple])
@pytest.mark.parametrize("levels", [0, 1, MAX_DEPTH])
def test_every_level_that_is_allowed_is_written(levels: int, kind: Any) -> None:
    assert not is_cut(dumps(nested(levels, kind)))
    if kind is not tuple:
        assert depth(nested(levels, kind)) == levels
        assert same(loads(dumps(nested(levels, kind))), nested(levels, kind))


@pytest.mark.parametrize("kind", [list, dict, tuple])
@pytest.mark.parametrize("levels", [MAX_DEPTH + 2, 900, 50_000])
def test_what_lies_deeper_is_said_to_be_left_out(levels: int, kind: Any) -> None:
    assert is_cut(dumps(nested(levels, kind)))


def test_a_value_that_holds_itself_is_cut() -> None:
    circle: list[Any] = []
    circle.append(circle)
    assert is_cut(dumps(circle))


@pytest.mark.parametrize("value", ['{"$t": "deep"}', {'{"$t": "deep"}': 1}, {"$t": "deep"}, [{"$t": "deep"}]])
def test_no_value_can_look_as_if_it_was_cut(value: Any) -> None:
    assert not is_cut(dumps(value))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (math.nan, ()),
        ({"a": [1, {"b": math.inf}]}, ("a", 1, "b")),
        ({"a": "\ud800"}, ("a",)),
        ({"\ud800": 1}, ("\ud800",)),
        ({"a": {1: 2}}, ("a", 1)),
        ([b"x"], (0,)),
        ([(1, 2)], (0,)),
        ([{1, 2}], (0,)),
        (decimal.Decimal(1), ()),
    ],
)
def test_a_flaw_has_its_place(value: Any, path: tuple[object, ...]) -> None:
    ((where, why),) = flaws(value)
    assert where == path
    assert why


@given(PLAIN)
def test_what_is_json_has_no_flaw_but_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        assert list(flaws(value))
    else:
        assert list(flaws(value)) == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0.0, -0.0),
        ("1", 1),
        ([1], (1,)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ],
)
def test_values_that_python_calls_equal_are_told_apart(left: Any, right: Any) -> None:
    assert not same(left, right)
    assert same(left, left)


def test_not_a_number_is_the_same_as_itself() -> None:
    assert same({"a": [math.nan]}, {"a": [math.nan]})
    assert tagged(None) is None


LIKE_TAGS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$t", "$type", "$top", "v", "a"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(LIKE_TAGS)
def test_objects_with_keys_like_a_tags_come_back_from_their_text(value: Any) -> None:
    assert same(untagged(loads(dumps(value))), value)


@given(LIKE_TAGS)
def test_what_an_answer_is_kept_as_is_read_as_it_was_given(value: Any) -> None:
    assert same(loads(plain(value)), value)


def test_what_json_does_not_know_is_found_where_it_stands() -> None:
    value = {"a": [1, float("nan")], "b": {"c": {1}}, "$type": "x", "m": {1: 2}}
    read = untagged(loads(dumps(value)))
    assert read["$type"] == "x"
    assert list(stand_ins(read)) == [("a", 1), ("b", "c"), ("m",)]
    assert list(stand_ins({"a": [1], "$type": {}})) == []
