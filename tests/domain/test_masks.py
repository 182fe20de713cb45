"""What a pattern hides, and what it leaves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.masks import HIDDEN, hidden, read

ARGS: dict[str, Any] = {
    "card": "4111",
    "customer": {"card": 5, "phones": [{"number": "1"}, {"number": "2"}]},
    "a/b": {"~": True},
    "cards": "left",
    "Card": "left",
}


@pytest.mark.parametrize(
    ("pattern", "pointers"),
    [
        ("/card", ["/card", "/customer/card"]),
        ("/customer/card", ["/customer/card"]),
        ("/customer", ["/customer"]),
        ("/phones/*/number", ["/customer/phones/0/number", "/customer/phones/1/number"]),
        ("/*/card", ["/customer/card"]),
        ("/phones/1", ["/customer/phones/1"]),
        ("/a~1b/~0", ["/a~1b/~0"]),
        ("/nothing", []),
    ],
)
def test_a_pattern_is_the_end_of_a_pointer(pattern: str, pointers: list[str]) -> None:
    shown, found = hidden(read([pattern]), ARGS)
    assert found == pointers
    assert shown["cards"] == shown["Card"] == "left"
    assert (shown == ARGS) is (pointers == [])


def test_what_is_hidden_says_nothing_of_the_value() -> None:
    values = [None, False, 0, "", "x" * 1_000, [], {"a": {"b": 1}}, 2**70]
    assert {hidden(read(["/card"]), {"card": each})[0]["card"] for each in values} == {HIDDEN}


@pytest.mark.parametrize(
    ("beside", "value", "text"),
    [
        (["a"], "a", HIDDEN),
        (["a"], "b", f"{HIDDEN} 2"),
        (["a", "b"], "b", f"{HIDDEN} 2"),
        (["a", "b"], "a", HIDDEN),
        (["a", "b"], "c", f"{HIDDEN} 3"),
        ([1], 1.0, f"{HIDDEN} 2"),
        ([1], True, f"{HIDDEN} 2"),
    ],
)
def test_hidden_values_side_by_side_differ_where_they_differ(
    beside: list[Any], value: Any, text: str
) -> None:
    others = [{"card": each} for each in beside]
    assert hidden(read(["/card"]), {"card": value}, others)[0] == {"card": text}


def test_what_has_no_counterpart_is_the_first_of_its_kind() -> None:
    for beside in ({}, [], None, {"list": []}):
        assert hidden(read(["/list/0"]), {"list": ["a"]}, [beside])[0] == {"list": [HIDDEN]}


values = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["card", "x"]), inner),
    max_leaves=12,
)


@given(values)
def test_no_hidden_key_keeps_a_value(value: Any) -> None:
    def cards(node: Any) -> list[Any]:
        below = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
        mine = [node["card"]] if isinstance(node, dict) and "card" in node else []
        return [*mine, *(card for each in below for card in cards(each))]

    assert set(map(str, cards(hidden(read(["/card"]), value)[0]))) <= {HIDDEN}
