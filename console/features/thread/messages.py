"""A conversation as the chat draws it: who spoke, what was called, what came back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.domain.review import ThreadStatus
from console.domain.text import Segment, escape, visible
from console.features.drawn import brief, read_args, stamp
from console.forms.exact import dumps
from console.services.views import MessageView, ToolCallView

WHOLE = 300_000
WHO = {"human": "Customer", "ai": "Agent", "tool": "Tool", "system": "System"}
STATES = {
    "proposed": ("Proposed", "gray"),
    "waiting": ("Waiting for review", "amber"),
    "running": ("Running", "iris"),
    "uncertain": ("Uncertain whether it ran", "red"),
    "ran": ("Ran", "green"),
    "failed": ("Failed", "red"),
    "rejected": ("Rejected, did not run", "reject"),
    "answered": ("Answered by a person", "respond"),
    "not run": ("Did not run", "gray"),
}


@dataclass(frozen=True)
class CallRow:
    id: str
    name: str
    number: str
    brief: str
    called: list[Segment]
    word: str
    tone: str
    answered: bool
    result: list[Segment]
    remark: str


@dataclass(frozen=True)
class MessageRow:
    id: str
    role: str
    who: str
    at: str
    parts: list[Segment]
    calls: list[CallRow]
    waiting: list[CallRow]


def rows(messages: Sequence[MessageView], status: str = "") -> list[MessageRow]:
    """A tool's answer is drawn in the card of its call; one whose call is out of the window stands alone.

    `status` is the thread's: nothing runs on one that is stuck.
    """
    answers: dict[str | None, MessageView] = {
        each.tool_call_id: each for each in messages if each.role == "tool" and each.tool_call_id
    }
    called = {call.id for each in messages for call in each.tool_calls}
    return [
        _row(index, each, answers, status)
        for index, each in enumerate(messages)
        if not (each.role == "tool" and each.tool_call_id in called)
    ]


def _row(index: int, message: MessageView, answers: dict[str | None, MessageView], status: str) -> MessageRow:
    drawn = [(call, _call(call, answers.get(call.id), status)) for call in message.tool_calls]
    return MessageRow(
        id=message.id or f"m{index}",
        role=message.role,
        who=escape(message.name)
        if message.role == "tool" and message.name
        else WHO.get(message.role, message.role),
        at=stamp(message.at),
        parts=readable(message.text),
        calls=[row for call, row in drawn if call.state != "waiting"],
        waiting=[row for call, row in drawn if call.state == "waiting"],
    )


def _call(call: ToolCallView, answer: MessageView | None, status: str) -> CallRow:
    doubtful = status == ThreadStatus.STUCK and call.state == "running"
    label, tone = STATES.get("uncertain" if doubtful else call.state, (call.state, "gray"))
    if call.state == "ran" and not call.reviewed:
        label = "Ran, no review needed"
    result = call.result or (answer.text if answer else "")
    return CallRow(
        id=call.id,
        name=escape(call.name),
        number="" if call.position is None else str(call.position + 1),
        brief=brief(call.args_text),
        called=readable(_lines(call.args_text)),
        word=label,
        tone=tone,
        answered=bool(answer or call.result),
        result=readable(result),
        remark=escape(call.note),
    )


def readable(text: str) -> list[Segment]:
    """A text beyond all reading is cut, and says by how much.

    What can be approved is never cut: a request of more than `WHOLE` characters is unreadable.
    """
    if len(text) <= WHOLE:
        return visible(text)
    return [*visible(text[:WHOLE]), Segment(f" … {len(text) - WHOLE:,} more characters are not drawn here")]


def _lines(args_text: str) -> str:
    args = read_args(args_text)
    if args is None:
        return args_text
    return "\n".join(f"{key}: {dumps(value)}" for key, value in args.items())
