"""What became of a tool call: put together from the messages, the journal and the reviews, by call id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from console.domain.review import UNDECIDED, Action, Status
from console.domain.thread import Message, Snapshot, ToolCall
from console.services.records import decisions_of
from console.services.views import ToolCallView
from console.store import reviews
from console.store.engine import RowMapping

# `void`: a person established that the start led to nothing.
NOT_BEGUN = {"paused", "void"}
_EDIT_NOTICE, _EDIT_RESULT = "Note: a human reviewer replaced this tool call", "\n\nTool response:\n"


def result_text(message: Message) -> str:
    """The tool's own words, without the note that LangChain puts before the result of an edited call."""
    if message.text.startswith(_EDIT_NOTICE) and _EDIT_RESULT in message.text:
        return message.text.split(_EDIT_RESULT, 1)[1]
    return message.text


@dataclass
class Calls:
    """Look-ups by tool call id. `running`: a run is at work, so a call without a result may still get one.

    A call without an id is known by nothing: nobody can say of it that it did not run.
    """

    results: dict[str, Message] = field(default_factory=dict)
    runs: defaultdict[str, list[RowMapping]] = field(default_factory=lambda: defaultdict(list))
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
            found.runs[run["tool_call_id"]].append(run)
        for row in reversed(history):
            said = decisions_of((decisions or {}).get(row["decision_id"] or ""))
            for action in reviews.actions_of(row):
                if action.tool_call_id:
                    kind = str(said[action.position]["type"]) if action.position < len(said) else ""
                    found.reviewed[action.tool_call_id] = (action, row, kind)
        return found

    def started(self, call_id: str) -> bool:
        """True as well for a call without an id, of which nobody knows."""
        return not call_id or bool(self.runs.get(call_id))

    def began(self, call_id: str | None) -> bool:
        """True when the journal has a start that nobody has taken back, or cannot know the call."""
        return not call_id or bool(self._begun(call_id))

    def _begun(self, call_id: str) -> list[RowMapping]:
        return [run for run in self.runs.get(call_id, []) if run["ended"] not in NOT_BEGUN]

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
        begun = self._begun(call.id)
        if result is not None:
            # A tool can write the mark of a rejection on its own result: what the journal saw weighs more.
            said = "" if begun else kind if row is not None else result.decision
            if said in {"reject", "respond"}:
                return "rejected" if said == "reject" else "answered"
            return "failed" if result.status == "error" else "ran"
        if row is not None and row["status"] in UNDECIDED:
            return "waiting"
        if begun and begun[-1]["ended_at"] is not None:
            return "failed" if begun[-1]["ended"] == "error" else "ran"
        if row is not None and row["status"] in {Status.DECIDED, Status.RESUMING}:
            return "running" if self.running or row["status"] == Status.RESUMING else "waiting"
        if begun:
            return "running"
        if self.paused:
            return "waiting"
        if self.running:
            return "running"
        return "not run" if call.id else "uncertain"


def unmatched(journal: Sequence[RowMapping], snapshot: Snapshot) -> list[RowMapping]:
    """Starts of the step that is under way which belong to no call of the thread's messages.

    A result that is in the checkpoint proves that its whole step is: whatever started before that call
    ended is not run again.
    """
    calls = {call.id for message in snapshot.messages for call in message.tool_calls}
    kept = {message.tool_call_id for message in snapshot.messages} - snapshot.loose
    ends = [run["ended_at"] for run in journal if run["tool_call_id"] in calls & kept and run["ended_at"]]
    done = max(ends, default=None)
    return [
        run
        for run in journal
        if run["tool_call_id"] not in calls
        and run["ended"] not in NOT_BEGUN
        and (done is None or run["started_at"] > done)
    ]


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
