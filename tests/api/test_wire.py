"""What leaves as JSON is exact."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.api.wire import Answer, rfc3339, text
from console.forms import exact
from console.services.views import ActionView, Page, ToolCallView


@dataclass(frozen=True)
class Box:
    content: Any
    at: datetime | None = None


def action(args: Any) -> ActionView:
    return ActionView(0, "refund_order", args, exact.dumps(args), "", ("approve",), None)


def test_times_are_utc_with_six_decimals_and_z() -> None:
    east = timezone(timedelta(hours=8))
    assert rfc3339(datetime(2025, 3, 1, 8, 0, 0, 5, east)) == "2025-03-01T00:00:00.000005Z"
    assert (
        text(Box(1, datetime(2025, 3, 1, tzinfo=UTC))) == '{"content":1,"at":"2025-03-01T00:00:00.000000Z"}'
    )


@pytest.mark.parametrize("number", [2**53 + 1, 10**40, -(10**25), 0.1, 5.0, 1e22])
def test_numbers_keep_every_digit(number: int | float) -> None:
    sent = json.loads(text(action({"amount": number})))["args"]["amount"]
    assert exact.same(sent, number)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_non_finite_numbers_are_tagged_and_the_answer_stays_json(number: float) -> None:
    sent = json.loads(bytes(Answer(action({"amount": number})).body), parse_constant=pytest.fail)
    assert sent["args"]["amount"] == {"$t": "float", "v": repr(number)}


def test_args_are_the_very_text_that_the_digest_covers() -> None:
    """Also when the value in the view was read from that text and would be written differently."""
    view = ActionView(0, "t", {"changed": True}, '{"b": 1.50, "a": 2}', "", (), None)
    assert '"args":{"b": 1.50, "a": 2}' in text(view)


def test_tool_calls_carry_their_arguments_as_values_too() -> None:
    view = ToolCallView("call_1", "get_order", '{"order_id": "A-2048"}', "ran")
    assert json.loads(text(view))["args"] == {"order_id": "A-2048"}


def test_lone_surrogates_leave_as_escapes() -> None:
    raw = bytes(Answer(Box("half \ud83d of it")).body)
    assert json.loads(raw.decode("utf-8", "strict"))["content"] == "half \ud83d of it"


@dataclass(frozen=True)
class Shelf:
    items: Any = field(default_factory=list)


def test_pages_and_empty_pages_have_the_same_shape() -> None:
    assert json.loads(text(Page([Box(1)], "next", 1, False))) == {
        "items": [{"content": 1, "at": None}],
        "next_cursor": "next",
        "total": 1,
        "total_capped": False,
    }
    assert json.loads(text(Page((), None, 0, False)))["items"] == []


strings = st.text(st.characters(codec=None))
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(strings, inner) | st.sets(st.integers()),
    max_leaves=20,
)


@given(anything)
def test_whatever_an_agent_puts_in_leaves_as_strict_json(value: Any) -> None:
    raw = bytes(Answer(Shelf([Box(value), action({"value": value})])).body)
    sent = json.loads(raw, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert sent["items"][1]["args"] == json.loads(exact.dumps({"value": value}))


@given(anything)
def test_values_that_are_tagged_already_are_not_tagged_again(value: Any) -> None:
    tagged = exact.tagged(value)
    assert exact.same(json.loads(bytes(Answer(Box(tagged)).body))["content"], tagged)
