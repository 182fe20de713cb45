"""Bodies are read exactly, and what is wrong is pointed at."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.api.body import Field, checked, problems
from console.domain.errors import Invalid

SHAPE = {
    "name": Field("text", longest=5),
    "version": Field("integer"),
    "rows": Field("list", required=False),
    "answer": Field("any", required=False),
}
GOOD = {"name": "sam", "version": 1}


def pointers(value: Any) -> list[str]:
    return [problem.pointer for problem in problems(value, SHAPE)]


@pytest.mark.parametrize("answer", [None, False, 0, "", [], {}])
def test_any_value_means_any_value(answer: Any) -> None:
    assert checked({**GOOD, "answer": answer}, SHAPE)["answer"] is answer


@pytest.mark.parametrize("value", [None, [], "x", 1, True])
def test_only_an_object_is_a_body(value: Any) -> None:
    assert [problem.message for problem in problems(value, SHAPE)] == ["The body must be a JSON object."]


def test_everything_wrong_is_named_at_once_with_its_pointer() -> None:
    assert pointers({"version": "1", "rows": {}, "a/b~c": 1}) == ["/name", "/version", "/rows", "/a~1b~0c"]


@pytest.mark.parametrize("version", [True, 1.0, "1", None, [1]])
def test_only_a_whole_number_is_an_integer(version: Any) -> None:
    assert pointers({"name": "sam", "version": version}) == ["/version"]


def test_texts_have_a_bound() -> None:
    assert pointers({"name": "sixsix", "version": 1}) == ["/name"]
    assert pointers({"name": "fives", "version": 1}) == []


def test_half_a_character_pair_is_refused_wherever_it_stands() -> None:
    """It has no UTF-8 form: the agent would get a question mark instead of what was sent."""
    assert pointers({**GOOD, "answer": {"deep": ["ok", "\ud83d"]}}) == ["/answer/deep/1"]
    assert pointers({**GOOD, "answer": {"\ud83d": 1}}) == ["/answer"]


def test_a_wrong_form_raises_all_problems() -> None:
    with pytest.raises(Invalid) as refused:
        checked({}, SHAPE)
    assert [problem.pointer for problem in refused.value.problems] == ["/name", "/version"]


strings = st.text(st.characters(codec=None))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | strings,
    lambda inner: st.lists(inner) | st.dictionaries(strings, inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["name", "version", "rows", "answer", "other"]), json_values))
def test_what_passes_is_right_in_every_key(value: dict[str, Any]) -> None:
    if not problems(value, SHAPE):
        assert set(value) <= set(SHAPE)
        assert isinstance(value["name"], str)
        assert type(value["version"]) is int
        assert isinstance(value.get("rows", []), list)
