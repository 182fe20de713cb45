"""An agent that asks one question of a person, with or without a schema for the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from console.services.deps import Deps
from console.sources.local import LocalSource
from tests.services.world import deps_over

ASKING = "asking"


def asking_deps(folder: Path, schema: dict[str, Any] | None) -> Deps:
    def ask(state: MessagesState) -> Any:
        more = {} if schema is None else {"response_schema": schema}
        said = interrupt("How much?", **more)
        return {"messages": [AIMessage(f"heard {said!r}")]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return deps_over(folder, {ASKING: LocalSource(ASKING, graph.compile(), folder / "checkpoints.db")})
