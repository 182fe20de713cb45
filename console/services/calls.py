"""What became of a tool call: put together from the messages, the journal and the reviews, by call id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from console.domain.review import UNDECIDED, Action, Status
from console.domain.thread import Message, ToolCall
from console.services.records import decisions_of
from console.services.views import ToolCallView
from console.store import reviews
from console.store.engine import RowMapping

_EDIT_NOTICE, _EDIT_RESULT = "Note: a human reviewer replaced this tool call", "\n\nTool response:\n"


def result_text(message: Message) -> str:
    """The tool's own words, without the note that LangChain puts before the result of an edited call."""
    if message.text.startswith(_EDIT_NOTICE) and _EDIT_RESULT in message.text:
        return message.text.split(_EDIT_RESULT, 1)[1]
    return message.text


@dataclass
class Calls:
    """Look-ups by tool call id. `running`: a run is at work, so a call without a result may still get one."""

    results: dict[str, Message] = field(default_factory=dict)
    runs: dict[str, list[RowMapping]] = field(default_factory=dict)
    reviewed: dict[str, tuple[Action, RowMapping, str]] = field(default_factory=dict)
    paused: bool = False
    running: bool = False

    @classmethod
    def of(
        cls,
        journal: Sequence[RowMapping],
        messages: Sequence[Message] = (),
        history: Sequence[RowMapping] = (),
        decisions: Mapping[str, RowMapping] | None = None,
        running: bool = False,
    ) -> Calls:
        found = cls(running=running, paused=any(row["status"] in UNDECIDED for row in history))
        for message in messages:
            if message.tool_call_id:
                found.results[message.tool_call_id] = message
        for run in journal:
            found.runs.setdefault(run["tool_call_id"], []).append(run)
        for row in reversed(history):
            said = decisions_of((decisions or {}).get(row["decision_id"] or ""))
            for action in reviews.actions_of(row):
                if action.tool_call_id:
                    kind = str(said[action.position]["type"]) if action.position < len(said) else ""
                    found.reviewed[action.tool_call_id] = (action, row, kind)
        return found

    def started(self, call_id: str) -> bool:
        return call_id in self.runs

    def ended(self, call_id: str) -> str | None:
        """How the call's last start came out: ok, error, paused; None when it never started or has no end."""
        runs = self.runs.get(call_id)
        return runs[-1]["ended"] if runs else None

    def view(self, call: ToolCall) -> ToolCallView:
        action, row, kind = self.reviewed.get(call.id, (None, None, ""))
        result = self.results.get(call.id)
        return ToolCallView(
            id=call.id,
            name=call.name,
            args_text=self._args_text(call),
            state=self._state(call, result, row, kind),
            position=_shown_position(action, row),
            result=result_text(result) if result else "",
            note=_note(row, kind),
            reviewed=row is not None,
        )

    def _args_text(self, call: ToolCall) -> str:
        """What really ran where it ran, else what was proposed."""
        runs = self.runs.get(call.id)
        return str(runs[-1]["args_text"]) if runs else call.args_text

    def _state(self, call: ToolCall, result: Message | None, row: RowMapping | None, kind: str) -> str:
        if result is not None:
            if (result.decision or kind) in {"reject", "respond"}:
                return "rejected" if (result.decision or kind) == "reject" else "answered"
            return "failed" if result.status == "error" else "ran"
        if row is not None and row["status"] in UNDECIDED:
            return "waiting"
        runs = self.runs.get(call.id)
        if runs and runs[-1]["ended_at"] is not None:
            return "failed" if runs[-1]["ended"] == "error" else "ran"
        if row is not None and row["status"] in {Status.DECIDED, Status.RESUMING}:
            return "running" if self.running or row["status"] == Status.RESUMING else "waiting"
        if runs:
            return "running"
        if self.paused:
            return "waiting"
        return "running" if self.running else "not run"


def _shown_position(action: Action | None, row: RowMapping | None) -> int | None:
    """In per-call mode each review has one action, so the place in the group is the number people see."""
    if action is None or row is None:
        return None
    return int(row["task_order"]) if row["group_size"] > 1 else action.position


def _note(row: RowMapping | None, kind: str) -> str:
    if row is None or not kind:
        return ""
    past = {"approve": "approved", "edit": "edited", "reject": "rejected", "respond": "answered"}
    return f"{past[kind]} by {row['decided_by']}"
