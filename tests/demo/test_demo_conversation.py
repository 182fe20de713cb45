"""The sentences that the product promises, through the real graph in both interrupt modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from console.demo.agent import build

APPROVE: dict[str, Any] = {"type": "approve"}
LATE: dict[str, Any] = {"type": "reject", "message": "the return window is over"}


def edit(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


@pytest.mark.parametrize(
    ("sentence", "closing"),
    [
        ("Look up order A-2048 and refund 699", "699 CNY has been refunded for order A-2048."),
        ("查询订单 A-2048，并退款 699 元", "订单 A-2048 已退款 699 元。"),
    ],
)
def test_a_leading_look_up_runs_unasked_and_the_refund_waits(chat: Any, sentence: str, closing: str) -> None:
    chat.say(sentence)
    assert [m.status for m in chat.tool_results("get_order")] == ["success"]
    assert chat.asked() == [("refund_order", {"order_id": "A-2048", "amount": 699})]
    assert isinstance(chat.asked()[0][1]["amount"], int)
    assert chat.refunds() == []
    chat.decide(APPROVE)
    assert chat.refunds() == [("A-2048", 699.0, None)]
    assert chat.reply() == closing


def test_two_actions_take_two_decisions_in_position_order(chat: Any) -> None:
    chat.say("Refund A-2048 699 and text the customer")
    assert [name for name, _ in chat.asked()] == ["refund_order", "send_sms"]
    chat.decide(APPROVE, LATE)
    assert chat.refunds() == [("A-2048", 699.0, None)]
    assert chat.rows("SELECT * FROM messages_sent") == []
    told = chat.reply()
    assert told.index("699 CNY has been refunded") < told.index("declined to text the customer")
    assert "the return window is over" in told


def test_the_same_tool_twice_keeps_its_decisions_apart(chat: Any) -> None:
    chat.say("Refund A-2048 699 and refund A-2049 450 and text the customer")
    assert [(name, args["order_id"]) for name, args in chat.asked()] == [
        ("refund_order", "A-2048"),
        ("refund_order", "A-2049"),
        ("send_sms", "A-2049"),
    ]
    chat.decide(LATE, edit("refund_order", order_id="A-2049", amount=400), APPROVE)
    assert chat.refunds() == [("A-2049", 400.0, None)]
    assert len(chat.rows("SELECT * FROM messages_sent WHERE order_id = 'A-2049'")) == 1
    told = chat.reply()
    places = [told.index(part) for part in ("declined to refund 699", "from 450 to 400", "has been texted")]
    assert places == sorted(places)


def test_chinese_clauses_make_the_same_three_actions(chat: Any) -> None:
    chat.say("退款 A-2048 699 元，退款 A-2049 ¥450，然后给客户发短信")
    assert [name for name, _ in chat.asked()] == ["refund_order", "refund_order", "send_sms"]
    chat.decide(APPROVE, LATE, edit("send_sms", order_id="A-2049", text="您好"))
    assert chat.reply().startswith("订单 A-2048 已退款 699 元。同事没有批准为订单 A-2049 退款 450 元")
    assert chat.rows("SELECT text FROM messages_sent") == [("您好",)]


def test_an_edited_amount_is_what_the_shop_refunds(chat: Any) -> None:
    chat.say("Refund A-2048 699")
    chat.decide(edit("refund_order", order_id="A-2048", amount=499))
    assert chat.refunds() == [("A-2048", 499.0, None)]
    assert chat.reply() == (
        "A colleague changed the refund from 699 to 499: 499 CNY has been refunded for order A-2048."
    )


@pytest.mark.parametrize(
    ("sentence", "answer", "closing"),
    [
        ("ask your supervisor whether 10% off is fine", "yes, once", "My supervisor answered: yes, once"),
        ("问主管能不能打九折", "可以", "主管答复：可以"),
    ],
)
def test_a_supervisors_answer_is_the_tools_result(
    chat: Any, sentence: str, answer: str, closing: str
) -> None:
    chat.say(sentence)
    assert [name for name, _ in chat.asked()] == ["ask_supervisor"]
    chat.decide({"type": "respond", "message": answer})
    assert chat.tool_results("ask_supervisor")[0].content == answer
    assert chat.reply() == closing


def test_a_rejection_without_a_reason_is_not_given_one(chat: Any) -> None:
    chat.say("Refund A-2048 699")
    chat.decide({"type": "reject"})
    assert "No reason was given." in chat.reply()
    assert "call_" not in chat.reply()
    assert chat.refunds() == []


def test_the_closed_order_fails_as_a_tool_and_nobody_says_refunded(chat: Any) -> None:
    chat.say("Refund A-4040 320")
    chat.decide(APPROVE)
    result = chat.tool_results("refund_order")[0]
    assert (result.status, result.content) == ("error", "order closed")
    assert chat.reply() == "The refund of 320 CNY for order A-4040 was not made: order closed."
    assert not any("refunded" in str(m.text).lower() for m in chat.messages())
    assert chat.refunds() == []


def test_an_edit_that_still_fails_is_told_as_failed(chat: Any) -> None:
    chat.say("Refund A-4040 320")
    chat.decide(edit("refund_order", order_id="A-4040", amount=300))
    assert chat.reply() == "The refund of 300 CNY for order A-4040 was not made: order closed."


def test_both_refunds_of_one_turn_and_a_free_one_later(chat: Any) -> None:
    chat.say("Refund A-2048 699 and refund A-2049 450")
    calls = [call["id"] for call in chat.proposal().tool_calls]
    chat.decision_ids = dict(zip(calls, ["decision-1", "decision-2"], strict=True))
    chat.decide(APPROVE, APPROVE)
    chat.say("Refund A-1001 50")
    assert chat.waiting() == []
    assert chat.refunds() == [
        ("A-1001", 50.0, None),
        ("A-2048", 699.0, "decision-1"),
        ("A-2049", 450.0, "decision-2"),
    ]


def test_a_free_look_up_may_stand_beside_a_gated_call(chat: Any) -> None:
    chat.say("Refund A-2048 699 and look up A-2049")
    ran_already = len(chat.tool_results("get_order"))
    assert ran_already == (0 if chat.mode == "batched" else 1)
    chat.decide(APPROVE)
    assert len(chat.tool_results("get_order")) == 1
    assert "Order A-2049: mechanical keyboard, 450.00 CNY" in chat.reply()


def test_refunding_again_is_flagged_and_done(chat: Any) -> None:
    for _ in range(2):
        chat.say("Refund A-2048 699")
        chat.decide(APPROVE)
    first, second = chat.tool_results("refund_order")
    assert "already refunded" not in first.content
    assert "already refunded" in second.content
    assert "already been refunded before" in chat.reply()
    assert len(chat.refunds()) == 2
    assert first.tool_call_id != second.tool_call_id


def test_a_new_address_reaches_the_shop(chat: Any) -> None:
    chat.say("Change the address of A-1003 to 5 Elm Road, Block B")
    assert chat.asked() == [
        ("update_shipping_address", {"order_id": "A-1003", "address": "5 Elm Road, Block B"})
    ]
    chat.decide(APPROVE)
    assert chat.rows("SELECT address FROM address_changes") == [("5 Elm Road, Block B",)]
    assert chat.rows("SELECT address FROM orders WHERE order_id = 'A-1003'") == [("5 Elm Road, Block B",)]


def test_the_description_is_the_agents_sentence(chat: Any) -> None:
    chat.say("Refund A-2048 699")
    assert chat.actions()[0]["description"] == "Customer asks to refund 699 for order A-2048."


async def test_the_async_graph_settles_a_mixed_verdict(tmp_path: Path, shop_path: Path, mode: str) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as saver:
        graph = build(shop_path, interrupt_mode=mode, token_delay=0).copy({"checkpointer": saver})
        config: Any = {"configurable": {"thread_id": "t"}}
        await graph.ainvoke({"messages": [("user", "Refund A-2048 699 and refund A-2049 450")]}, config)
        waiting = (await graph.aget_state(config)).interrupts
        verdict = [APPROVE, LATE]
        answers = [{"decisions": verdict}] if mode == "batched" else verdict
        pairs = zip(waiting, answers, strict=True)
        done = await graph.ainvoke(Command(resume={wait.id: answer for wait, answer in pairs}), config)
    assert done["messages"][-1].text.startswith(
        "699 CNY has been refunded for order A-2048. A colleague declined"
    )


def test_an_unknown_order_stops_before_anything_is_asked(start: Callable[..., Any]) -> None:
    chat = start()
    chat.say("Look up order X-1234 and refund 699")
    result = chat.tool_results("get_order")[0]
    assert (result.status, result.content) == ("error", "no order X-1234")
    assert chat.waiting() == []
    assert chat.reply() == "I could not look up order X-1234: no order X-1234."


def test_a_missing_amount_is_asked_for_and_taken_from_the_answer(start: Callable[..., Any]) -> None:
    chat = start()
    chat.say("Refund A-2048")
    assert chat.reply() == "How much should I refund for order A-2048?"
    chat.say("12.5")
    assert chat.refunds() == [("A-2048", 12.5, None)]


def test_a_look_up_tells_the_amount_that_was_not_said(start: Callable[..., Any]) -> None:
    chat = start()
    chat.say("look up A-1002 and refund it")
    assert chat.asked() == [("refund_order", {"order_id": "A-1002", "amount": 529.5})]


def test_small_talk_is_answered_in_the_customers_language(start: Callable[..., Any]) -> None:
    chat = start()
    for said, heard in [
        ("hello", "Hello!"),
        ("谢谢", "不客气"),
        ("what?", "I can look up"),
        ("A-2048", "I can"),
    ]:
        chat.say(said)
        assert chat.reply().startswith(heard)


def test_a_failure_on_purpose_leaves_the_thread_usable(start: Callable[..., Any]) -> None:
    chat = start()
    with pytest.raises(RuntimeError) as failure:
        chat.say("please raise an error")
    assert str(failure.value) == "the model failed on purpose"
    chat.say("look up A-2048")
    assert chat.reply().startswith("Order A-2048:")


def test_the_look_up_answers_with_data(start: Callable[..., Any]) -> None:
    chat = start()
    chat.say("where is A-2048?")
    facts = json.loads(chat.tool_results("get_order")[0].content)
    assert (facts["order_id"], facts["total"], facts["currency"]) == ("A-2048", "699.00", "CNY")
