"""LangChain messages as the console's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from console.domain.thread import Message, ToolCall
from console.forms.exact import dumps, tagged

_ROLES: tuple[tuple[type[BaseMessage], str], ...] = (
    (HumanMessage, "human"),
    (AIMessage, "ai"),
    (ToolMessage, "tool"),
    (SystemMessage, "system"),
)


def read(messages: Iterable[Any]) -> tuple[Message, ...]:
    return tuple(_read(each) for each in messages if isinstance(each, BaseMessage))


def _read(message: BaseMessage) -> Message:
    role = next((name for kind, name in _ROLES if isinstance(message, kind)), message.type)
    return Message(
        id=message.id or "",
        role=role,
        text=str(message.text),
        blocks=_blocks(message),
        tool_calls=_calls(message),
        tool_call_id=message.tool_call_id if isinstance(message, ToolMessage) else None,
        name=message.name or "",
        status=message.status if isinstance(message, ToolMessage) else "",
        decision=_decision(message),
    )


def _blocks(message: BaseMessage) -> tuple[dict[str, Any], ...]:
    if isinstance(message.content, str) and type(message).content_blocks is BaseMessage.content_blocks:
        # What LangChain makes of plain text, without its look for every provider's own blocks.
        return (tagged({"type": "text", "text": message.content}),) if message.content else ()
    return tuple(tagged(dict(block)) for block in message.content_blocks)


def _calls(message: BaseMessage) -> tuple[ToolCall, ...]:
    if not isinstance(message, AIMessage):
        return ()
    return tuple(ToolCall(_id(call["id"]), call["name"], dumps(call["args"])) for call in message.tool_calls)


def _id(given: Any) -> str:
    """Empty for a call without an identity: providers leave ids out, and LangChain lets them."""
    return given if isinstance(given, str) else ""


def _decision(message: BaseMessage) -> str:
    data = message.additional_kwargs.get("lc_data") if isinstance(message, ToolMessage) else None
    found = data.get("decision") if isinstance(data, dict) else None
    return found if isinstance(found, str) else ""


def closing(calls: Sequence[tuple[str, str, str, str]]) -> list[ToolMessage]:
    """Results for calls that never got one, so that the history stays valid for providers."""
    return [
        ToolMessage(
            text, tool_call_id=call_id, name=name, status="success" if status == "success" else "error"
        )
        for call_id, name, text, status in calls
    ]
