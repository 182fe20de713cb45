"""What LangGraph's own view of a thread says beyond its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.constants import START
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.types import StateSnapshot

from console.domain.review import ThreadStatus
from console.domain.thread import Message
from console.sources import messages

# The nodes LangChain makes for a middleware are named after it and the hook they call.
_HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")
Graph = Pregel[Any, Any, Any, Any]
_RESUME = "__resume__"


def answer_is_stored(graph: Graph, state: StateSnapshot) -> bool:
    """True when the pause keeps an answer that failed, and would be given that one for ever."""
    if not state.interrupts or not any(task.error for task in state.tasks):
        return False
    saver = graph.checkpointer
    found = saver.get_tuple(state.config) if isinstance(saver, BaseCheckpointSaver) else None
    if found is None:
        return True
    return any(channel == _RESUME for _, channel, _ in found.pending_writes or ())


def status(state: StateSnapshot, error: str, answered: bool) -> ThreadStatus:
    """The order matters: a stored answer that failed poisons the pause, another error does not."""
    if state.interrupts:
        return ThreadStatus.POISONED if error and answered else ThreadStatus.PAUSED
    return ThreadStatus.FAILED if error else ThreadStatus.IDLE


def loose(graph: Graph, state: StateSnapshot, shown: Sequence[Message]) -> frozenset[str]:
    """Results that the live view adds from a half-done step; the checkpoint itself lacks them."""
    kept = messages.read(graph.get_state(state.config).values.get("messages") or ())
    ids = {each.tool_call_id for each in shown} - {each.tool_call_id for each in kept}
    return frozenset(each for each in ids if each is not None)


def unseen(graph: Graph, state: StateSnapshot) -> tuple[str, ...]:
    """Steps that remain and are neither tools (journalled call by call), nor the model, nor a middleware."""
    return tuple(name for name in state.next if not _is_seen(graph, name))


def _is_seen(graph: Graph, name: str) -> bool:
    node = graph.nodes.get(name)
    return (
        name in {"model", START}
        or name.endswith(_HOOKS)
        or isinstance(getattr(node, "bound", None), ToolNode)
    )
