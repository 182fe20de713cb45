"""One value has one text and one digest, whoever computes it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.canonical import canonical, escape_surrogates, sha256
from console.domain.review import Action, Kind, Pause, Pending, digest

KEYS = st.text(st.characters(max_codepoint=127), max_size=8)
DOMAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(DOMAIN)
def test_the_text_parses_back_to_the_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(KEYS, DOMAIN), st.randoms())
def test_the_order_of_keys_makes_no_difference(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(value)


def test_the_text_is_that_of_rfc_8785() -> None:
    value = {"b": [1, True, None, -0], "a": 'é\u2028"\\\n\x1f\x7f/', "": {}}
    assert canonical(value) == '{"":{},"a":"é\u2028\\"\\\\\\n\\u001f\x7f/","b":[1,true,null,0]}'.encode()


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        5.0,
        float("nan"),
        2**53,
        -(2**53),
        {"é": 1},
        {1: 2},
        b"x",
        {1, 2},
        object(),
        [[2**60]],
        {"a": {"b": 0.1}},
    ],
)
def test_what_has_no_one_text_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="canonical"):
        canonical(value)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (2**53, "integers of 2**53 and more enter canonical JSON as text"),
        ({"é": 1}, "keys of canonical JSON are ASCII strings"),
        ({1: 2}, "keys of canonical JSON are ASCII strings"),
        (0.5, "float has no canonical JSON form"),
        ({"a": [b"x"]}, "bytes has no canonical JSON form"),
    ],
)
def test_why_it_is_refused_is_said(value: Any, why: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole sentence is compared
        canonical(value)
    assert str(refused.value) == why


def test_the_largest_integers_are_still_taken() -> None:
    assert canonical([2**53 - 1, -(2**53) + 1]) == b"[9007199254740991,-9007199254740991]"


def test_half_a_character_is_spelled_out() -> None:
    assert canonical("\ud800") == b'"\\ud800"'
    assert escape_surrogates("a\udfffb\ud800\ud7ff\ue000") == "a\\udfffb\\ud800\ud7ff\ue000"


ACTION = Action(
    0, "refund_order", '{"amount": 699}', "why", ("approve", "edit"), '{"type": "object"}', "call1"
)
PENDING = Pending("i1", Kind.APPROVAL, (ACTION, replace(ACTION, position=1)))
PAUSE = Pause("support", "t1", "", "c1", (PENDING,))


def test_the_digest_is_the_one_of_the_contract() -> None:
    items = [
        {
            "position": position,
            "name": "refund_order",
            "args_text": '{"amount": 699}',
            "description": "why",
            "allowed_decisions": ["approve", "edit"],
            "args_schema_text": '{"type": "object"}',
        }
        for position in (0, 1)
    ]
    whole = {
        "v": 1,
        "source": "support",
        "thread_id": "t1",
        "ns": "",
        "checkpoint_id": "c1",
        "interrupt_id": "i1",
    }
    whole |= {"kind": "approval", "items": items, "value_text": ""}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    assert digest(PAUSE, PENDING) == sha256(text.encode())


@pytest.mark.parametrize(
    "change",
    [
        {"source": "other"},
        {"thread_id": "t2"},
        {"ns": "tools:1"},
        {"checkpoint_id": "c2"},
        {"pending": {"interrupt_id": "i2"}},
        {"pending": {"kind": Kind.UNREADABLE}},
        {"pending": {"value_text": "1"}},
        {"pending": {"actions": (ACTION,)}},
        {"action": {"name": "send_sms"}},
        {"action": {"args_text": '{"amount": 699.0}'}},
        {"action": {"args_text": '{"amount":699}'}},
        {"action": {"description": ""}},
        {"action": {"allowed_decisions": ("approve",)}},
        {"action": {"allowed_decisions": ("edit", "approve")}},
        {"action": {"args_schema_text": ""}},
        {"action": {"position": 2}},
    ],
)
def test_whatever_a_person_sees_is_in_the_digest(change: dict[str, Any]) -> None:
    change = dict(change)
    action = replace(ACTION, **change.pop("action", {}))
    pending = replace(PENDING, actions=(action, PENDING.actions[1]))
    pending = replace(pending, **change.pop("pending", {}))
    assert digest(replace(PAUSE, **change), pending) != digest(PAUSE, PENDING)


@pytest.mark.parametrize("change", [{"agent_text": "x"}, {"subject": "x"}])
def test_what_stands_beside_the_request_is_not_in_the_digest(change: dict[str, Any]) -> None:
    assert digest(replace(PAUSE, **change), PENDING) == digest(PAUSE, PENDING)


@given(st.text())
def test_any_text_has_a_digest(text: str) -> None:
    action = replace(ACTION, description=text)
    assert len(digest(PAUSE, replace(PENDING, actions=(action,)))) == 64
