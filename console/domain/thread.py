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
    checkpoint's id. `loose` are the tool call ids of results in `messages` that belong to a half-done step:
    running on keeps them, a new message drops them. `unseen` are the steps that remain and of which no
    journal tells whether they began: code of the agent's own.
    """

    head: str
    status: ThreadStatus
    messages: tuple[Message, ...] = ()
    pause: Pause | None = None
    error: str = ""
    unfinished: bool = False
    loose: frozenset[str] = frozenset()
    unseen: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)

    def open_calls(self) -> list[ToolCall]:
        """Calls of the last agent message that have no result yet."""
        calls, results = self.last_turn()
        return [call for call in calls if call.id not in results]

    def last_turn(self) -> tuple[tuple[ToolCall, ...], dict[str | None, Message]]:
        """The calls of the agent's last message that has some, and the results since by tool call id."""
        last = max((at for at, each in enumerate(self.messages) if each.tool_calls), default=None)
        if last is None:
            return (), {}
        return self.messages[last].tool_calls, {each.tool_call_id: each for each in self.messages[last + 1 :]}
