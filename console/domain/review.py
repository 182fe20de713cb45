"""Reviews: one pending interrupt each, what it asks, and where in its life it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from console.domain.canonical import canonical, sha256

DECISIONS = ("approve", "edit", "reject", "respond")


class Kind(StrEnum):
    APPROVAL = "approval"
    ANSWER = "answer"
    UNREADABLE = "unreadable"


class Status(StrEnum):
    OPEN = "open"
    AWAITING_SECOND = "awaiting_second"
    DECIDED = "decided"
    RESUMING = "resuming"
    SETTLED = "settled"
    MISMATCH = "mismatch"
    STUCK = "stuck"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"


class ThreadStatus(StrEnum):
    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    POISONED = "poisoned"
    FAILED = "failed"
    STUCK = "stuck"
    GONE = "gone"


UNDECIDED = frozenset({Status.OPEN, Status.AWAITING_SECOND})
# An alarm stays above everything that merely waits.
QUEUE_RANK: dict[Status, int] = {
    Status.MISMATCH: 0,
    Status.STUCK: 1,
    Status.AWAITING_SECOND: 2,
    Status.OPEN: 3,
}


class Origin(StrEnum):
    """Where the schema of a call's arguments was found."""

    INTERRUPT = "interrupt"
    CONFIG = "review_config"
    GATE = "gate"
    FILE = "file"
    TOOL = "tool"
    NONE = ""


@dataclass(frozen=True)
class Action:
    """One proposed call. `args_text` and `args_schema_text` are exact JSON; the texts are what is hashed.

    `tool_call_id` is recovered from the agent's message by position (batched payloads lack it) and is
    None where that is impossible.
    """

    position: int
    name: str
    args_text: str
    description: str
    allowed_decisions: tuple[str, ...]
    args_schema_text: str
    tool_call_id: str | None = None
    schema_origin: str = ""


@dataclass(frozen=True)
class Pending:
    """One interrupt as the source has it now, read but not yet a row.

    `answer_shape` says how an answer is handed back: `decisions` wraps the list, `decision` hands over
    the only one (per-call mode), `value` hands over any JSON.
    """

    interrupt_id: str
    kind: Kind
    actions: tuple[Action, ...] = ()
    value_text: str = ""
    answer_schema_text: str = ""
    answer_shape: str = "decisions"
    note: str = ""


@dataclass(frozen=True)
class Pause:
    """Everything a thread waits for at one checkpoint, in task order."""

    source: str
    thread_id: str
    ns: str
    checkpoint_id: str
    pending: tuple[Pending, ...]
    agent_text: str = ""
    subject: str = ""

    def group_key(self) -> str:
        return sha256(canonical([self.source, self.thread_id, self.ns, self.checkpoint_id]))

    def find(self, interrupt_id: str) -> Pending | None:
        return next((each for each in self.pending if each.interrupt_id == interrupt_id), None)


# The interrupt id of a review that stands for a doubt nobody had to review begins so.
DOUBT = "stuck:"


def digest(pause: Pause, pending: Pending) -> str:
    """What the reviewer saw, as lower-case hexadecimal SHA-256 (CONTRACT, Reviews)."""
    items: Sequence[dict[str, Any]] = [
        {
            "position": action.position,
            "name": action.name,
            "args_text": action.args_text,
            "description": action.description,
            "allowed_decisions": list(action.allowed_decisions),
            "args_schema_text": action.args_schema_text,
        }
        for action in pending.actions
    ]
    return sha256(
        canonical(
            {
                "v": 1,
                "source": pause.source,
                "thread_id": pause.thread_id,
                "ns": pause.ns,
                "checkpoint_id": pause.checkpoint_id,
                "interrupt_id": pending.interrupt_id,
                "kind": pending.kind.value,
                "items": items,
                "value_text": pending.value_text,
            }
        )
    )
