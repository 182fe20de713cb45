"""A thread as its source has it now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from console.domain.review import Pause, ThreadStatus


@dataclass(frozen=True)
class ToolCall:
    """A call on an agent message; `args_text` is exact JSON."""

    id: str
    name: str
    args_text: str


@dataclass(frozen=True)
class Message:
    """`role`: human, ai, tool, system. `status` is success or error, for tool messages.

    `decision` is reject or respond when a person's decision stands in for the tool's result.
    """

    id: str
    role: str
    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str = ""
    status: str = ""
    decision: str = ""


@dataclass(frozen=True)
class Snapshot:
    """The live view of a thread: `status` as far as checkpoints tell, never running or stuck.

    `unfinished` means that steps remain which nobody is known to be running. `head` is the newest
    checkpoint's id.
    """

    head: str
    status: ThreadStatus
    messages: tuple[Message, ...] = ()
    pause: Pause | None = None
    error: str = ""
    unfinished: bool = False
    values: dict[str, Any] = field(default_factory=dict)

    def open_calls(self) -> list[ToolCall]:
        """Calls of the last agent message that have no result yet."""
        last = max((at for at, each in enumerate(self.messages) if each.tool_calls), default=None)
        if last is None:
            return []
        answered = {each.tool_call_id for each in self.messages[last + 1 :]}
        return [call for call in self.messages[last].tool_calls if call.id not in answered]
