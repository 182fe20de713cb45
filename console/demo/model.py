"""A chat model of rules: no key, no network, the same answer to the same messages every time.

It is a pure function of the conversation, so a run that is repeated after a crash, or replayed, proposes the
same calls with the same ids. It streams words and pieces of tool-call JSON as a provider does.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCall,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from console.demo.clauses import (
    Clause,
    Language,
    asks_to_fail,
    language_of,
    last_order,
    read_clauses,
    typed_number,
)
from console.demo.results import Result, known_totals, read_results
from console.demo.words import act_phrase, question_for, small_talk, talk, tell

TOKEN_DELAY = 0.015
# How many questions in a row ("Which order?", "How much?") a short reply may answer.
FOLLOW_UPS = 3
_TOKEN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+\s*|\s+")


@dataclass(frozen=True)
class Turn:
    """The customer's last message, what was said before it and what happened since."""

    number: int
    text: str
    language: Language
    earlier: Sequence[BaseMessage]
    since: Sequence[BaseMessage]


class RuleModel(BaseChatModel):
    """Seconds between two tokens when streaming; 0 streams as fast as it is read."""

    token_delay: float = TOKEN_DELAY

    @property
    def _llm_type(self) -> str:
        return "demo-rules"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        # The rules know their five tools by name; there is nothing to bind.
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=answer(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in chunks(answer(messages)):
            time.sleep(self.token_delay)
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in chunks(answer(messages)):
            await asyncio.sleep(self.token_delay)
            yield ChatGenerationChunk(message=chunk)


def answer(messages: Sequence[BaseMessage]) -> AIMessage:
    """The agent's next message: calls to make, or the words that close the turn.

    A leading look-up is a step of its own, so that the rest may build on what it found; everything else goes
    out as parallel calls of one message.
    """
    turn = read_turn(messages)
    if turn is None:
        return AIMessage(talk("help", "en"))
    if asks_to_fail(turn.text):
        raise RuntimeError("the model failed on purpose")
    steps = _steps(turn)
    proposals = [(i, m) for i, m in enumerate(turn.since) if isinstance(m, AIMessage) and m.tool_calls]
    if not proposals:
        return _propose(turn, steps[0], []) if steps else AIMessage(small_talk(turn.text, turn.language))
    last, proposal = proposals[-1]
    results = read_results(proposal, turn.since[last + 1 :])
    # A look-up that failed ends the turn: what was to follow speaks of an order that could not be read.
    if len(proposals) < len(steps) and all(result.kind == "done" for result in results):
        return _propose(turn, steps[len(proposals)], results)
    asked = steps[min(len(proposals), len(steps)) - 1] if steps else []
    questions = _questions(replace(turn, since=turn.since[:last]), asked)
    return AIMessage(_join([*(tell(r, turn.language) for r in results), *questions], turn.language))


def read_turn(messages: Sequence[BaseMessage]) -> Turn | None:
    """None before the customer has said anything. The language is that of the last message that has one."""
    at = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if not at:
        return None
    said = [str(messages[i].text) for i in at]
    language: Language = next((lang for text in reversed(said) if (lang := language_of(text))), "en")
    return Turn(len(at), said[-1], language, messages[: at[-1]], messages[at[-1] + 1 :])


def chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    """The message in the pieces a provider would send; added up they are the message again."""
    text = str(message.text)
    words = _TOKEN.findall(text)
    for word in words:
        yield AIMessageChunk(content=word)
    for index, call in enumerate(message.tool_calls):
        args = json.dumps(call["args"], ensure_ascii=False)
        size = max(1, len(args) // 3)
        yield AIMessageChunk(
            content="",
            tool_call_chunks=[tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)],
        )
        for start in range(0, len(args), size):
            yield AIMessageChunk(
                content="", tool_call_chunks=[tool_call_chunk(args=args[start : start + size], index=index)]
            )
    yield AIMessageChunk(content="", chunk_position="last")


def _steps(turn: Turn, depth: int = FOLLOW_UPS) -> list[list[Clause]]:
    clauses = read_clauses(turn.text, _earlier_order(turn.earlier)) or _completed(turn, depth)
    if len(clauses) > 1 and clauses[0].verb == "get_order" and clauses[0].order_id:
        return [clauses[:1], clauses[1:]]
    return [clauses] if clauses else []


def _earlier_order(earlier: Sequence[BaseMessage]) -> str | None:
    said = (last_order(str(m.text)) for m in reversed(earlier) if isinstance(m, HumanMessage))
    return next((order for order in said if order), None)


def _completed(turn: Turn, depth: int) -> list[Clause]:
    """The clauses that the agent had to ask about, filled in from the reply ("How much?" - "699")."""
    if depth == 0 or not turn.earlier or not str(turn.earlier[-1].text).rstrip().endswith(("?", "？")):
        return []
    before = read_turn(turn.earlier)
    if before is None:
        return []
    open_clauses = [c for step in _steps(before, depth - 1) for c in step if question_for(c, turn.language)]
    return [filled for clause in open_clauses if (filled := _fill(clause, turn.text)) != clause]


def _fill(clause: Clause, reply: str) -> Clause:
    filled = replace(clause, order_id=clause.order_id or last_order(reply))
    if clause.verb == "refund_order" and clause.amount is None:
        return replace(filled, amount=typed_number(reply))
    if clause.verb == "update_shipping_address" and clause.order_id and clause.detail is None:
        return replace(filled, detail=reply.strip() or None)
    return filled


def _propose(turn: Turn, clauses: list[Clause], found: list[Result]) -> AIMessage:
    ready = [c for c in _with_totals(turn, clauses) if question_for(c, turn.language) is None]
    taken = sum(len(m.tool_calls) for m in turn.since if isinstance(m, AIMessage))
    calls = [_call(turn, taken + index, clause) for index, clause in enumerate(ready)]
    said = [tell(result, turn.language) for result in found]
    if calls:
        gap = "; " if turn.language == "en" else "；"
        acts = gap.join(act_phrase(call["name"], call["args"], turn.language) for call in calls)
        said.append(talk("next", turn.language, acts=acts))
    else:
        said.extend(_questions(turn, clauses))
    return AIMessage(_join(said, turn.language), tool_calls=calls)


def _with_totals(turn: Turn, clauses: list[Clause]) -> list[Clause]:
    totals = known_totals([*turn.earlier, *turn.since])
    return [
        replace(clause, amount=totals.get(clause.order_id or ""))
        if clause.verb == "refund_order" and clause.amount is None
        else clause
        for clause in clauses
    ]


def _questions(turn: Turn, clauses: list[Clause]) -> list[str]:
    asked = (question_for(clause, turn.language) for clause in _with_totals(turn, clauses))
    return list(dict.fromkeys(question for question in asked if question))


def _call(turn: Turn, index: int, clause: Clause) -> ToolCall:
    args = _args(turn, clause)
    # The turn's number keeps the ids of a thread apart when the same sentence is said again.
    key = json.dumps([turn.number, index, clause.verb, args], sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()
    return ToolCall(name=clause.verb, args=args, id=f"call_{digest[:24]}", type="tool_call")


def _args(turn: Turn, clause: Clause) -> dict[str, Any]:
    order = {"order_id": clause.order_id}
    match clause.verb:
        case "refund_order":
            reason = {"reason": clause.detail} if clause.detail else {}
            return {**order, "amount": clause.amount, **reason}
        case "update_shipping_address":
            return {**order, "address": clause.detail}
        case "send_sms":
            return {**order, "text": clause.detail or talk("sms", turn.language, order=clause.order_id)}
        case "ask_supervisor":
            return {"question": clause.detail or talk("question", turn.language)}
    return order


def _join(sentences: Sequence[str], language: Language) -> str:
    return (" " if language == "en" else "").join(sentences)
