"""A message's blocks are those that LangChain makes of it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from console.sources import messages

PLAIN = [{"type": "text", "text": "look"}]
ODD = [{"type": "text", "text": "look"}, {"type": "odd", "value": 1}]


@pytest.mark.parametrize("content", ["", "look", "\ud800", PLAIN, ODD])
@pytest.mark.parametrize(
    "make",
    [
        HumanMessage,
        SystemMessage,
        lambda content: ToolMessage(content, tool_call_id="c1"),
        lambda content: AIMessage(
            content, tool_calls=[{"id": "c1", "name": "charge", "args": {"amount": 5}}]
        ),
    ],
)
def test_blocks_are_those_of_langchain(make: Any, content: Any) -> None:
    message: BaseMessage = make(content)
    (read,) = messages.read([message])
    assert list(read.blocks) == message.content_blocks
