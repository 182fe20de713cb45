"""What became of each proposed call, read back from the messages of the thread."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

Kind = Literal["done", "edited", "rejected", "responded", "failed", "unanswered"]

_EDIT_START = "Note: a human reviewer replaced this tool call"
_EXECUTED = re.compile(r"Executed instead: \S+ with arguments ")
_RESPONSE = "Tool response:\n"
_REJECTED = "User rejected the tool call for "
_WITH_REASON = " with reason: "


@dataclass(frozen=True)
class Result:
    """One call in the position it was proposed at.

    `asked` are the proposed arguments, `ran` those that were executed (the same unless a person edited them).
    `text` is the tool's result, the error, the reason of a rejection ("" when none was given) or the answer.
    """

    tool: str
    kind: Kind
    asked: dict[str, Any]
    ran: dict[str, Any]
    text: str


def read_results(proposal: AIMessage, later: Sequence[BaseMessage]) -> list[Result]:
    """One result for every call of the proposal, in position order, however the messages are ordered."""
    answers = {m.tool_call_id: m for m in later if isinstance(m, ToolMessage)}
    return [_read(call, answers.get(call["id"] or "")) for call in proposal.tool_calls]


def known_totals(messages: Sequence[BaseMessage]) -> dict[str, int | float]:
    """The totals of the orders that were looked up in this thread."""
    found: dict[str, int | float] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.name == "get_order" and message.status != "error":
            order = order_facts(str(message.text))
            try:
                total = float(order["total"])
                found[str(order["order_id"])] = int(total) if total.is_integer() else total
            except (KeyError, TypeError, ValueError):
                continue
    return found


def order_facts(text: str) -> dict[str, Any]:
    """The look-up's result as a mapping; empty when the text is something else."""
    try:
        facts = json.loads(text)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def _read(call: ToolCall, answer: ToolMessage | None) -> Result:
    asked = call["args"]
    if answer is None:
        return Result(call["name"], "unanswered", asked, asked, "")
    text = str(answer.text)
    decision = _decision(answer, text)
    if decision == "reject":
        reason = text.partition(_WITH_REASON)[2] if _WITH_REASON in text else ""
        return Result(call["name"], "rejected", asked, asked, reason.strip())
    if decision == "respond":
        return Result(call["name"], "responded", asked, asked, text.strip())
    ran, text = _edit(text) if text.startswith(_EDIT_START) else (None, text)
    kind: Kind = "failed" if answer.status == "error" else "done" if ran is None else "edited"
    return Result(call["name"], kind, asked, asked if ran is None else ran, text.strip())


def _decision(answer: ToolMessage, text: str) -> str | None:
    data = answer.additional_kwargs.get("lc_data")
    if isinstance(data, dict) and data.get("decision"):
        return str(data["decision"])
    # LangChain before 1.5.2 leaves no such mark; the wording is all there is.
    return "reject" if answer.status == "error" and text.startswith(_REJECTED) else None


def _edit(text: str) -> tuple[dict[str, Any] | None, str]:
    found = _EXECUTED.search(text)
    if found is None:
        return None, text
    try:
        ran, end = json.JSONDecoder().raw_decode(text, found.end())
    except ValueError:
        return None, text
    return (ran if isinstance(ran, dict) else None), text[end:].partition(_RESPONSE)[2]
