"""Interrupts are read by position, and what does not fit together is readable to nobody."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.domain.review import DECISIONS, Kind, Origin
from console.domain.thread import ToolCall
from console.forms.exact import dumps
from console.sources import payload
from console.sources.schemas import Chosen

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def request(name: str = "tool", **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "description": f"call {name}"}


def config(name: str = "tool", *allowed: str) -> dict[str, Any]:
    return {"action_name": name, "allowed_decisions": list(allowed or ("approve", "reject"))}


def batch(*requests: dict[str, Any], configs: Any = None) -> dict[str, Any]:
    return {
        "action_requests": list(requests),
        "review_configs": [config(each["name"]) for each in requests] if configs is None else configs,
    }


def calls_of(*requests: dict[str, Any]) -> list[ToolCall]:
    return [ToolCall(f"id{at}", each["name"], dumps(each["args"])) for at, each in enumerate(requests)]


def read(value: Any, calls: list[ToolCall] | None = None, schema: Any = None, earlier: Any = ()) -> Any:
    return payload.read("i1", value, schema, calls or [], schema_of, earlier)


def schema_of(_: str, where: Origin, brought: Any) -> Chosen:
    """What is brought, else the tool's own."""
    return Chosen(brought, where) if brought else Chosen(SCHEMA, Origin.TOOL)


GATED = st.lists(
    st.tuples(st.sampled_from(["refund", "sms"]), st.integers(0, 2), st.sets(st.sampled_from(DECISIONS))),
    min_size=1,
    max_size=6,
)


@given(GATED, st.randoms())
def test_position_is_identity_however_alike_the_calls_are(gated: list[Any], chance: random.Random) -> None:
    requests = [request(name, n=n) for name, n, _ in gated]
    configs = [config(name, *(sorted(allowed) or ["approve"])) for name, _, allowed in gated]
    ungated = [request("look_up", n=9) for _ in range(chance.randint(0, 3))]
    turn = list(requests)
    for each in ungated:
        turn.insert(chance.randint(0, len(turn)), each)
    found = read(batch(*requests, configs=configs), calls_of(*turn))
    assert found.kind is Kind.APPROVAL
    for at, action in enumerate(found.actions):
        assert (action.position, action.name, action.args_text) == (
            at,
            requests[at]["name"],
            dumps(requests[at]["args"]),
        )
        assert set(action.allowed_decisions) == set(configs[at]["allowed_decisions"])
    ids = [action.tool_call_id for action in found.actions]
    assert ids == [f"id{at}" for at, each in enumerate(turn) if each["name"] != "look_up"]


def test_an_action_that_is_no_call_of_the_message_is_readable_to_nobody() -> None:
    """What became of it could never be told."""
    found = read(batch(request(n=1), request(n=2)), calls_of(request(n=2), request(n=1)))
    assert (found.kind, found.actions) == (Kind.UNREADABLE, ())
    assert "action 2" in found.note
    assert read(batch(request(n=1)), []).kind is Kind.UNREADABLE


@pytest.mark.parametrize("beside", [[], [ToolCall("z", "other", "{}")]])
def test_a_call_without_an_id_is_readable_to_nobody(beside: list[ToolCall]) -> None:
    turn = [ToolCall("", "tool", dumps({"n": 1})), *beside]
    single = {"type": "tool_approval", "name": "tool", "args": {"n": 1}, "tool_call_id": ""}
    for value in (batch(request(n=1)), single, {**single, "tool_call_id": "z"}):
        found = read(value, turn, schema={"oneOf": []})
        assert (found.kind, found.actions) == (Kind.UNREADABLE, ())
        assert "no tool call id" in found.note


BROKEN: list[Any] = [
    {"action_requests": [request()]},
    {"review_configs": [config()]},
    {"action_requests": [], "review_configs": []},
    {"action_requests": None, "review_configs": None},
    {"action_requests": {"0": request()}, "review_configs": {"0": config()}},
    {"action_requests": "x", "review_configs": "x"},
    batch(request(), configs=[]),
    batch(request(), configs=[config(), config()]),
    batch(request(), request(), configs=[config()]),
    batch(request("a"), request("b"), configs=[config("b"), config("a")]),
    batch(request("a"), configs=[config("A")]),
    batch(request(), configs=["tool"]),
    batch(request(), configs=[None]),
    batch(request(), configs=[{"allowed_decisions": ["approve"]}]),
    batch(request(), configs=[{"action_name": "tool"}]),
    batch(request(), configs=[{"action_name": "tool", "allowed_decisions": "approve"}]),
    batch(request(), configs=[{"action_name": "tool", "allowed_decisions": {"approve": True}}]),
    batch(request(), configs=[{"action_name": "tool", "allowed_decisions": [1]}]),
    {"action_requests": [None], "review_configs": [config()]},
    {"action_requests": ["tool"], "review_configs": [config()]},
    {"action_requests": [{"name": "tool"}], "review_configs": [config()]},
    {"action_requests": [{"args": {}}], "review_configs": [config()]},
    {"action_requests": [{"name": 5, "args": {}}], "review_configs": [config()]},
    {"action_requests": [{"name": "tool", "args": []}], "review_configs": [config()]},
    {"action_requests": [{"name": "tool", "args": None}], "review_configs": [config()]},
    {"action_requests": [{"name": "tool", "arguments": {}}], "review_configs": [config()]},
    {"type": "tool_approval"},
    {"type": "tool_approval", "name": "tool", "args": {}},
    {"type": "tool_approval", "name": "tool", "args": {}, "tool_call_id": None},
    {"type": "tool_approval", "name": "tool", "args": [], "tool_call_id": "id0"},
    {"type": "tool_approval", "name": None, "args": {}, "tool_call_id": "id0"},
    {"type": "tool_approval", "name": "tool", "args": {}, "tool_call_id": 7},
    {"type": "tool_approval", "name": "tool", "args": {}, "tool_call_id": "id0"},
]


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_request_is_shown_whole_and_approvable_to_nobody(value: Any) -> None:
    found = read(value, calls_of(request()))
    assert (found.kind, found.actions) == (Kind.UNREADABLE, ())
    assert found.value_text == dumps(value)
    assert found.note


def test_a_batch_of_calls_with_one_id_is_readable_to_nobody() -> None:
    twice = [ToolCall("same", "tool", '{"n": 1}'), ToolCall("same", "tool", '{"n": 2}')]
    assert read(batch(request(n=1)), twice).kind is Kind.UNREADABLE


def test_a_call_with_an_earlier_id_is_readable_to_nobody() -> None:
    assert read(batch(request()), calls_of(request()), earlier={"other"}).kind is Kind.APPROVAL
    assert read(batch(request()), calls_of(request()), earlier={"id0"}).kind is Kind.UNREADABLE


def test_a_decision_that_nobody_knows_is_not_offered() -> None:
    found = read(
        batch(request(), configs=[config("tool", "respond", "escalate", "approve")]), calls_of(request())
    )
    assert found.actions[0].allowed_decisions == ("approve", "respond")


def test_the_edit_schema_is_the_requests_own_else_the_tools() -> None:
    own = {"type": "object", "properties": {"m": {}}}
    turn = calls_of(request())
    assert read(batch(request()), turn).actions[0].args_schema_text == dumps(SCHEMA)
    found = read(batch(request(), configs=[{**config(), "args_schema": own}]), turn)
    assert found.actions[0].args_schema_text == dumps(own)


ANSWERS: list[Any] = [
    True,
    False,
    None,
    0,
    "",
    "proceed?",
    [],
    {},
    {"question": "x"},
    2**60,
    {"a": {1: 2}},
    b"x",
    {"type": "x"},
]


@pytest.mark.parametrize("value", ANSWERS)
def test_any_other_interrupt_is_a_question_that_takes_any_answer(value: Any) -> None:
    found = read(value)
    assert (found.kind, found.answer_shape, found.actions) == (Kind.ANSWER, "value", ())
    assert found.value_text == dumps(value)
    assert read(value, schema={"type": "boolean"}).answer_schema_text == '{"type": "boolean"}'


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "action_requests",
                        "review_configs",
                        "name",
                        "args",
                        "type",
                        "action_name",
                        "allowed_decisions",
                    ]
                ),
                inner | st.sampled_from(["tool_approval", "tool"]),
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_value_breaks_the_reader(value: Any) -> None:
    found = read(value, calls_of(request()))
    if found.kind is not Kind.APPROVAL:
        assert (found.actions, found.value_text) == ((), dumps(value))


def test_an_answer_is_handed_over_in_the_shape_the_interrupt_takes() -> None:
    decisions = [{"type": "approve"}]
    assert payload.answer("decisions", decisions, None) == {"decisions": decisions}
    assert payload.answer("decision", decisions, None) == {"type": "approve"}
    assert payload.answer("value", None, False) is False


SHAPES: list[Any] = [
    {"oneOf": 5},
    {"oneOf": "x"},
    {"oneOf": [1, 2]},
    {"oneOf": {"a": 1}},
    {"anyOf": [None]},
    {"properties": ["x"]},
    {"properties": "x"},
    {"properties": {"type": "string"}},
    {"properties": {"type": ["const"]}},
    {"$defs": 5, "oneOf": [{"$ref": "#/$defs/a"}]},
    {"$defs": {"a": 5}, "oneOf": [{"$ref": "#/$defs/a"}]},
    {"oneOf": [{"properties": {"type": {"const": "edit"}, "edited_action": 5}}]},
    {"oneOf": [{"properties": {"type": {"const": "edit"}, "edited_action": {"properties": 5}}}]},
]


@pytest.mark.parametrize("schema", SHAPES)
def test_no_schema_breaks_the_reader(schema: Any) -> None:
    value = {"type": "tool_approval", "name": "tool", "args": {}, "tool_call_id": "id0"}
    found = read(value, calls_of(request()), schema=schema)
    if found.kind is not Kind.APPROVAL:
        assert (found.kind, found.actions, found.value_text) == (Kind.UNREADABLE, (), dumps(value))
        assert found.note
    else:
        assert set(found.actions[0].allowed_decisions) <= {"edit"}


class Cursed:
    def __repr__(self) -> str:
        raise RuntimeError("\ud800 no")


def test_a_value_that_has_no_text_and_a_tool_without_a_schema_are_unreadable() -> None:
    found = read({"question": Cursed()})
    assert (found.kind, found.value_text) == (Kind.UNREADABLE, '"a dict that cannot be shown"')
    assert found.note.encode()

    def raises(*_: Any) -> Any:
        raise TypeError("no schema " * 200)

    broken = payload.read("i", batch(request()), None, calls_of(request()), raises)
    assert (broken.kind, len(broken.note)) == (Kind.UNREADABLE, 500)


def test_a_schema_too_deep_to_be_kept_whole_is_unreadable() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        deep = {"properties": {"x": deep}}
    assert read("which?", schema=deep).kind is Kind.UNREADABLE
    assert read(batch(request(), configs=[{**config(), "args_schema": deep}]), calls_of(request())).kind is (
        Kind.UNREADABLE
    )


@pytest.mark.parametrize(
    "asked",
    [
        request("tool", text="x" * 300_001),
        request("tool", text="\u200b\u200c" * 1_001),
        request("tool", **{f"a{n}": n for n in range(501)}),
        request("t" * 201),
    ],
    ids=["long", "hidden", "arguments", "name"],
)
def test_what_nobody_could_see_whole_is_approvable_to_nobody(asked: dict[str, Any]) -> None:
    found = read(batch(asked), calls_of(asked))
    assert found.kind is Kind.UNREADABLE
    assert "can be shown" in found.note


def test_a_request_within_the_bounds_is_shown_whole() -> None:
    asked = request("tool", text="x" * 100_000, other="\u200b" * 1_000)
    found = read(batch(asked), calls_of(asked))
    assert found.kind is Kind.APPROVAL
    assert found.actions[0].args_text == dumps(asked["args"])
