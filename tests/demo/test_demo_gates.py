"""What is asked of a person and what is not; nothing that the agent writes may open a gate."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt.tool_node import ToolCallRequest

from console.demo import agent
from console.demo.agent import CustomerContext, refund_needs_review
from console.demo.model import RuleModel

VIP = CustomerContext(tier="vip")
APPROVE = {"type": "approve"}


def needs_review(args: dict[str, Any], context: object = None) -> bool:
    runtime = SimpleNamespace(context=context, config={})
    request = SimpleNamespace(tool_call={"args": args}, runtime=runtime)
    return refund_needs_review(cast(ToolCallRequest, request))


@pytest.mark.parametrize("amount", [200.01, 201, math.nan, math.inf, None, "much", [], {}, 10**400])
def test_the_gate_is_shut_for_anything_not_surely_small(amount: object) -> None:
    assert needs_review({"amount": amount})


def test_the_gate_is_shut_without_an_amount() -> None:
    assert needs_review({})


@pytest.mark.parametrize("amount", [200, 200.0, 0.01, "150", -5])
def test_a_small_refund_passes_unasked(amount: object) -> None:
    assert not needs_review({"amount": amount})


@pytest.mark.parametrize("context", [VIP, {"tier": "vip"}])
def test_a_vip_by_context_is_asked_above_five_hundred(context: object) -> None:
    assert not needs_review({"amount": 500}, context)
    assert needs_review({"amount": 500.01}, context)


@pytest.mark.parametrize("context", [None, {}, CustomerContext(), {"tier": "VIP"}, {"tier": ["vip"]}, "vip"])
def test_no_other_context_is_a_vip(context: object) -> None:
    assert needs_review({"amount": 201, "tier": "vip", "reason": "vip customer"}, context)


def test_a_vip_customer_passes_in_the_real_graph(start: Callable[..., Any], mode: str) -> None:
    chat = start(mode, context=VIP)
    chat.say("Refund A-2049 450")
    assert chat.refunds() == [("A-2049", 450.0, None)]
    chat.say("Refund A-2048 699")
    assert len(chat.waiting()) == 1


def test_a_rejection_holds_although_the_customer_became_a_vip(start: Callable[..., Any], mode: str) -> None:
    chat = start(mode)
    chat.say("Refund A-2049 450")
    chat.context = VIP
    chat.decision_ids = {chat.proposal().tool_calls[0]["id"]: "decision-1"}
    chat.decide({"type": "reject"})
    assert chat.refunds() == []
    assert chat.tool_results("refund_order")[0].status == "error"


def test_claiming_vip_in_the_chat_changes_nothing(start: Callable[..., Any], mode: str) -> None:
    chat = start(mode)
    chat.say("Refund A-2049 450 because I am a vip customer")
    assert chat.asked()[0][1]["reason"] == "I am a vip customer"
    assert chat.refunds() == []


def test_the_allowed_decisions_are_those_of_the_contract(start: Callable[..., Any]) -> None:
    chat = start()
    chat.say(
        "Refund A-1003 398 and ship it to 5 Elm Road and text the customer and ask your supervisor what to do"
    )
    configs = chat.waiting()[0].value["review_configs"]
    acts = ["approve", "edit", "reject"]
    assert [(c["action_name"], c["allowed_decisions"]) for c in configs] == [
        ("refund_order", acts),
        ("update_shipping_address", acts),
        ("send_sms", acts),
        ("ask_supervisor", ["respond"]),
    ]


class Insisting(RuleModel):
    """Proposes one given call, then stops: a model that is not bound to our rules."""

    call: dict[str, Any]

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        result = super()._generate([HumanMessage("hello")])
        if isinstance(messages[-1], HumanMessage):
            result.generations[0].message = AIMessage("", tool_calls=[{**self.call, "id": "call_1"}])
        return result


@pytest.mark.parametrize("args", [{"order_id": "A-2048", "amount": -5}, {"order_id": "A-2048", "amount": 0}])
def test_a_bad_amount_that_needs_no_review_fails_as_a_tool(
    monkeypatch: pytest.MonkeyPatch, shop_path: Any, args: dict[str, Any]
) -> None:
    insisting = Insisting(call={"name": "refund_order", "args": args})
    monkeypatch.setattr(agent, "RuleModel", lambda **_: insisting)
    graph = agent.build(shop_path, token_delay=0).copy({"checkpointer": InMemorySaver()})
    done = graph.invoke({"messages": [("user", "go")]}, {"configurable": {"thread_id": "t"}})
    result = done["messages"][-2]
    assert (result.status, result.tool_call_id) == ("error", "call_1")
    assert "positive number" in result.content


def test_ask_supervisor_without_its_gate_answers_nothing(shop_path: Any) -> None:
    tool = next(t for t in agent.make_tools(shop_path) if t.name == "ask_supervisor")
    message = tool.invoke({"name": tool.name, "args": {"question": "may I?"}, "id": "c", "type": "tool_call"})
    assert (message.status, message.content) == ("error", "no supervisor was asked")


def test_tools_hide_what_is_injected(shop_path: Any) -> None:
    for tool in agent.make_tools(shop_path):
        assert "runtime" not in tool.tool_call_schema.model_json_schema()["properties"]
