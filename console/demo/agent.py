"""The demo agent as one compiled graph, without a checkpointer: whoever runs it attaches their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, InterruptOnConfig
from langchain.agents.middleware.human_in_the_loop import InterruptMode
from langchain.agents.middleware.types import AgentState
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import ToolCall
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime

from console.demo.model import TOKEN_DELAY, RuleModel, read_turn
from console.demo.real_model import NamesTheModel, load_model
from console.demo.shop import open_shop
from console.demo.tools import make_tools
from console.demo.words import describe

RULES = "rules"
REFUND_LIMIT = {"standard": 200, "vip": 500}
SYSTEM_PROMPT = (
    "You are a customer-service agent of a small shop (currency CNY). Look an order up when you need its "
    "facts. Propose only what the customer asked for; several requests are several tool calls in one "
    "message. People may approve, change or decline your calls: say plainly what was done, do not retry "
    "what was declined, and never say that something happened when its tool failed. Answer in the language "
    "of the customer's last message."
)

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass
class CustomerContext:
    """What the console knows of the customer. It comes with the run, never from anything the agent wrote."""

    tier: str = "standard"


def build(
    shop: Path,
    *,
    interrupt_mode: str = "batched",
    model: str = RULES,
    base_url: str | None = None,
    token_delay: float | None = None,
) -> Graph:
    """The agent over this shop file, which is made when it is missing.

    `interrupt_mode` is "batched" or "per_call"; `model` is "rules" or "provider:name" (never fails: a model
    that cannot be loaded says so in the thread); `token_delay` is in seconds, by default what
    CONSOLE_DEMO_TOKEN_DELAY says.
    """
    if interrupt_mode not in get_args(InterruptMode):
        raise ValueError(f"CONSOLE_DEMO_INTERRUPT_MODE is batched or per_call, not {interrupt_mode!r}")
    chat: BaseChatModel
    middleware: list[AgentMiddleware[Any, Any, Any]] = [
        HumanInTheLoopMiddleware(interrupt_on=_gates(), interrupt_mode=cast(InterruptMode, interrupt_mode))
    ]
    if model == RULES:
        chat = RuleModel(token_delay=_token_delay() if token_delay is None else token_delay)
    else:
        chat = load_model(model, base_url)
        middleware.append(NamesTheModel(model))
    agent = create_agent(
        chat,
        make_tools(open_shop(shop)),
        system_prompt=SYSTEM_PROMPT,
        middleware=middleware,
        context_schema=CustomerContext,
        name="support",
    )
    return cast(Graph, agent)


def graph() -> Graph:
    """The agent as the environment describes it, for a source that names "console.demo.agent:graph"."""
    return build(
        Path(os.environ.get("CONSOLE_DEMO_SHOP") or ".data/shop.db"),
        interrupt_mode=os.environ.get("CONSOLE_DEMO_INTERRUPT_MODE") or "batched",
        model=os.environ.get("CONSOLE_DEMO_MODEL") or RULES,
        base_url=os.environ.get("CONSOLE_DEMO_BASE_URL") or None,
    )


def refund_needs_review(request: ToolCallRequest) -> bool:
    """True unless the amount is certainly within the customer's limit; NaN, text and nothing are reviewed.

    LangChain asks this again when the run resumes, and ignores the person's answer if it is False then. So a
    call that somebody decided stays gated, even if the customer's tier has changed in the meantime.
    """
    decided = request.runtime.config.get("configurable", {}).get("console_decisions") or {}
    if request.tool_call.get("id") in decided:
        return True
    try:
        return not (float(request.tool_call["args"]["amount"]) <= _limit(request.runtime.context))
    except (KeyError, TypeError, ValueError, OverflowError):
        return True


def _limit(context: object) -> int:
    tier = context.get("tier") if isinstance(context, dict) else getattr(context, "tier", None)
    return REFUND_LIMIT["vip" if tier == "vip" else "standard"]


def _gates() -> dict[str, bool | InterruptOnConfig]:
    acts: Sequence[Any] = ["approve", "edit", "reject"]
    return {
        "refund_order": InterruptOnConfig(
            allowed_decisions=[*acts], description=_description, when=refund_needs_review
        ),
        "update_shipping_address": InterruptOnConfig(allowed_decisions=[*acts], description=_description),
        "send_sms": InterruptOnConfig(allowed_decisions=[*acts], description=_description),
        "ask_supervisor": InterruptOnConfig(allowed_decisions=["respond"], description=_description),
    }


def _description(tool_call: ToolCall, state: AgentState[Any], runtime: Runtime[Any]) -> str:
    turn = read_turn(state["messages"])
    return describe(tool_call["name"], tool_call["args"], turn.language if turn else "en")


def _token_delay() -> float:
    text = os.environ.get("CONSOLE_DEMO_TOKEN_DELAY", "")
    try:
        delay = float(text) if text else TOKEN_DELAY
    except ValueError:
        delay = -1.0
    if not 0 <= delay <= 5:
        raise ValueError(f"CONSOLE_DEMO_TOKEN_DELAY is a number of seconds from 0 to 5, not {text!r}")
    return delay
