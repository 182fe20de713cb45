"""The callback that tells the journal of every tool call before its body runs."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langgraph.errors import GraphInterrupt

from console.forms.exact import dumps
from console.sources.port import Journal


class JournalCallback(BaseCallbackHandler):
    """`raise_error`: when the start cannot be written, the tool must not run.

    `run_inline`: in the run's own thread and in order, not beside it. Everything but tools is ignored, so
    that LangChain does not prepare what it would tell of each step.
    """

    raise_error = True
    run_inline = True
    ignore_llm = ignore_chat_model = ignore_chain = True
    ignore_retriever = ignore_retry = ignore_custom_event = True

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._open: dict[UUID, int] = {}

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        tool_call_id: str | None = None,
        **_: Any,
    ) -> None:
        name = str((serialized or {}).get("name") or "")
        args = dumps(inputs if inputs is not None else input_str)
        self._open[run_id] = self._journal.start(_key(tool_call_id, run_id), name, args)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, "ok", "")

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        if isinstance(error, GraphInterrupt):
            self._end(run_id, "paused", "")
        else:
            self._end(run_id, "error", f"{type(error).__name__}: {error}")

    def _end(self, run_id: UUID, ended: str, error: str) -> None:
        started = self._open.pop(run_id, None)
        if started is not None:
            self._journal.end(started, ended, error[:2000])


def _key(tool_call_id: Any, run_id: UUID) -> str:
    """A call without an id is journalled all the same, under a key that no call of a message has."""
    return tool_call_id if isinstance(tool_call_id, str) and tool_call_id else f"run:{run_id}"
