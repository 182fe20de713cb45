"""A conversation with the real graph over real files, as a person at a console would hold it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, Interrupt

from console.demo.agent import CustomerContext, Graph, build

APPROVE: dict[str, Any] = {"type": "approve"}


@dataclass
class Conversation:
    graph: Graph
    shop: Path
    mode: str
    thread_id: str = "thread-1"
    context: CustomerContext | dict[str, Any] | None = None
    decision_ids: dict[str, str] | None = None

    @property
    def config(self) -> dict[str, Any]:
        configurable: dict[str, Any] = {"thread_id": self.thread_id}
        if self.decision_ids:
            configurable["console_decisions"] = self.decision_ids
        return {"configurable": configurable}

    def say(self, text: str) -> None:
        self._run({"messages": [("user", text)]})

    def decide(self, *decisions: dict[str, Any]) -> None:
        waiting = self.waiting()
        assert len(decisions) == len(self.actions())
        if self.mode == "batched":
            self._run(Command(resume={waiting[0].id: {"decisions": list(decisions)}}))
        else:
            pairs = zip(waiting, decisions, strict=True)
            self._run(Command(resume={interrupt.id: decision for interrupt, decision in pairs}))

    def waiting(self) -> list[Interrupt]:
        """In position order: LangGraph hands out per_call interrupts in the order they happened to arise."""
        found = list(self.graph.get_state(self.config).interrupts)
        if self.mode == "batched":
            return found
        order = [call["id"] for call in self.proposal().tool_calls]
        return sorted(found, key=lambda interrupt: order.index(interrupt.value["tool_call_id"]))

    def actions(self) -> list[dict[str, Any]]:
        if self.mode == "batched":
            return [a for interrupt in self.waiting() for a in interrupt.value["action_requests"]]
        return [interrupt.value for interrupt in self.waiting()]

    def asked(self) -> list[tuple[str, dict[str, Any]]]:
        return [(action["name"], action["args"]) for action in self.actions()]

    def messages(self) -> list[Any]:
        return list(self.graph.get_state(self.config).values["messages"])

    def proposal(self) -> AIMessage:
        return next(m for m in reversed(self.messages()) if isinstance(m, AIMessage) and m.tool_calls)

    def reply(self) -> str:
        last = self.messages()[-1]
        assert isinstance(last, AIMessage)
        assert not last.tool_calls
        return str(last.text)

    def tool_results(self, name: str) -> list[ToolMessage]:
        return [m for m in self.messages() if isinstance(m, ToolMessage) and m.name == name]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.shop)) as db:
            return db.execute(sql).fetchall()

    def refunds(self) -> list[tuple[Any, ...]]:
        return self.rows("SELECT order_id, amount, decision_id FROM refunds ORDER BY order_id, id")

    def _run(self, what: Any) -> None:
        self.graph.invoke(what, self.config, context=self.context, durability="sync")


@pytest.fixture
def shop_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "shop.db"


@pytest.fixture(params=["batched", "per_call"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def start(tmp_path: Path, shop_path: Path) -> Iterator[Callable[..., Conversation]]:
    with ExitStack() as stack:
        saver = stack.enter_context(SqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")))

        def begin(mode: str = "batched", **options: Any) -> Conversation:
            graph = build(shop_path, interrupt_mode=mode, token_delay=0)
            return Conversation(graph.copy({"checkpointer": saver}), shop_path, mode, **options)

        yield begin


@pytest.fixture
def chat(start: Callable[..., Conversation], mode: str) -> Conversation:
    """One conversation, told twice: in batched and in per_call mode."""
    return start(mode)
