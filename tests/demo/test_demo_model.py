"""The rules: whatever is typed, an answer comes, the same each time, in pieces that add up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from console.demo.agent import build, graph
from console.demo.clauses import read_clauses, typed_number
from console.demo.model import RuleModel, answer, chunks

WORDS = (
    'refund|A-2048|a-2049|699|12.5|$|-|,| and |，|并|退款|查询|look up|发短信|text the customer|"|“|”'
    "|address to|地址改成|问主管|ask your supervisor|.|\n| "
)
BITS = st.sampled_from(WORDS.split("|"))
TEXTS = st.one_of(
    st.text(max_size=80), st.lists(BITS, max_size=25).map("".join), st.lists(BITS).map(" ".join)
)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_gets_an_answer_with_complete_calls(text: str) -> None:
    reply = answer([HumanMessage(text)])
    assert reply.text or reply.tool_calls
    ids = [call["id"] for call in reply.tool_calls]
    assert len(set(ids)) == len(ids)
    for call in reply.tool_calls:
        assert all(value is not None for value in call["args"].values())
    assert answer([HumanMessage(text)]).tool_calls == reply.tool_calls


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_pieces_of_a_stream_add_up_to_the_message(text: str) -> None:
    whole = answer([HumanMessage(text)])
    joined = reduce(add, chunks(whole))
    assert joined.text == whole.text
    assert [(c["name"], c["args"], c["id"]) for c in joined.tool_calls] == [
        (c["name"], c["args"], c["id"]) for c in whole.tool_calls
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=5))
def test_every_turn_of_a_long_talk_comes_to_its_end(texts: list[str]) -> None:
    messages: list[BaseMessage] = []
    for text in texts:
        messages.append(HumanMessage(text))
        for _ in range(3):
            reply = answer(messages)
            messages.append(reply)
            messages += [
                ToolMessage("?", tool_call_id=call["id"] or "", name=call["name"])
                for call in reply.tool_calls
            ]
            if not reply.tool_calls:
                break
        assert isinstance(messages[-1], AIMessage)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("refund A-2048 699", 699),
        ("refund A-2048 12.5", 12.5),
        ("¥1,200.50 for A-2048", 1200.5),
        ("退款 A-2048 1,200 元", 1200),
        ("refund -5 of A-2048", -5),
        ("refund A-2048 $ 699.", 699),
        ("refund A-2048", None),
        ("refund A-2048 " + "9" * 30, 1e30),
    ],
)
def test_an_amount_stays_as_it_was_typed(typed: str, number: object) -> None:
    found = typed_number(typed)
    assert (found, type(found)) == (number, type(number))


def test_a_number_of_any_length_is_no_crash() -> None:
    assert typed_number("9" * 5000) == math.inf


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Refund A-2048 699 and A-2049 450", [("refund_order", "A-2048"), ("refund_order", "A-2049")]),
        ("text the customer and refund A-2048 699", [("send_sms", "A-2048"), ("refund_order", "A-2048")]),
        ("For A-2048, refund 699", [("refund_order", "A-2048")]),
        ('text A-2048\'s sms, "refund A-2049, done"', [("send_sms", "A-2049")]),
        ("ask your supervisor whether to refund A-2048", [("ask_supervisor", "A-2048")]),
        ("订单A-2048退699元和A-2049退450元", [("refund_order", "A-2048"), ("refund_order", "A-2049")]),
        ("把 A-1003 改寄到 上海市和平路 5 号", [("update_shipping_address", "A-1003")]),
        ("refund 5", [("refund_order", None)]),
        ("nice weather", []),
    ],
)
def test_clauses_come_in_the_order_they_were_said(text: str, read: list[tuple[str, str | None]]) -> None:
    assert [(c.verb, c.order_id) for c in read_clauses(text)] == read


def test_a_clause_takes_the_order_of_an_earlier_message() -> None:
    messages = [HumanMessage("look at A-2048"), AIMessage("Order A-2048."), HumanMessage("refund 5")]
    assert answer(messages).tool_calls[0]["args"] == {"order_id": "A-2048", "amount": 5}


def test_ids_differ_when_the_same_sentence_is_said_again() -> None:
    first = HumanMessage("refund A-2048 699 and refund A-2048 699")
    again = [first, AIMessage("Done."), first]
    ids = [c["id"] for talk in ([first], again) for c in answer(talk).tool_calls]
    assert len(set(ids)) == 4


async def test_a_run_streams_words_and_split_arguments(shop_path: Path) -> None:
    agent = build(shop_path, token_delay=0)
    words, arguments, names = [], [], []
    async for part in agent.astream(
        {"messages": [("user", "Refund A-1001 50")]},
        {"configurable": {"thread_id": "t"}},
        stream_mode=["messages"],
        version="v2",
    ):
        message = part["data"][0]
        if message.type == "AIMessageChunk":
            words += [message.text] if message.text else []
            arguments += [c["args"] for c in message.tool_call_chunks if c["args"]]
            names += [c["name"] for c in message.tool_call_chunks if c["name"]]
    assert len(words) > 8
    assert "".join(words) == "Next: refund 50 CNY for order A-1001.50 CNY has been refunded for order A-1001."
    assert names == ["refund_order"]
    assert len(arguments) >= 3
    assert json.loads("".join(arguments)) == {"order_id": "A-1001", "amount": 50}


def test_tokens_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("console.demo.model.time.sleep", slept.append)
    pieces = list(RuleModel(token_delay=0.25).stream("hello"))
    assert slept == [0.25] * (len(pieces))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CONSOLE_DEMO_TOKEN_DELAY", "fast"),
        ("CONSOLE_DEMO_TOKEN_DELAY", "nan"),
        ("CONSOLE_DEMO_INTERRUPT_MODE", "never"),
    ],
)
def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, shop_path: Path, name: str, value: str
) -> None:
    monkeypatch.setenv("CONSOLE_DEMO_SHOP", str(shop_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=name):
        graph()


def test_the_environment_describes_the_agent(
    monkeypatch: pytest.MonkeyPatch, shop_path: Path, start: Callable[..., Any]
) -> None:
    monkeypatch.setenv("CONSOLE_DEMO_SHOP", str(shop_path))
    monkeypatch.setenv("CONSOLE_DEMO_TOKEN_DELAY", "0")
    done = graph().invoke({"messages": [("user", "look up A-2048")]}, {"configurable": {"thread_id": "t"}})
    assert done["messages"][-1].text.startswith("Order A-2048:")
