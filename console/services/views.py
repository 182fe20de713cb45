"""What pages and REST receive: frozen copies, no table rows, nothing lazy.

Texts are raw unless a field says otherwise; whoever draws them runs them through
`console.domain.text.visible`. Times are aware UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One keyset page. `total` counts to 1,000, then `total_capped` is true."""

    items: Sequence[T]
    next_cursor: str | None
    total: int
    total_capped: bool


@dataclass(frozen=True)
class QueueRow:
    """`headline` is the first number among the first action's arguments, as exact text; may be empty.

    `thread_status` says what can be done: an open review of a poisoned thread needs repair first.
    """

    id: str
    version: int
    kind: str
    status: str
    source: str
    thread_id: str
    thread_ref: str
    tool: str
    tools: Sequence[str]
    action_count: int
    headline: str
    subject: str
    opened_at: datetime
    group_size: int
    decided_by: str | None = None
    decided_at: datetime | None = None
    claimed_by: str | None = None
    claimed_at: datetime | None = None
    thread_status: str = ""


@dataclass(frozen=True)
class ActionView:
    """One proposed call at its position. The digest covers `args_text` and `args_schema_text`, exact JSON.

    `masked` are the pointers of values that are not shown, but hidden by a text.
    `outcome` is empty until settled, then e.g. "ran", "did not run", "tool failed: order closed".
    `schema_origin` says in words where `args_schema` comes from.
    """

    position: int
    name: str
    args: Any
    args_text: str
    description: str
    allowed_decisions: Sequence[str]
    args_schema: dict[str, Any] | None
    args_schema_text: str = ""
    schema_origin: str = ""
    tool_call_id: str | None = None
    decision: dict[str, Any] | None = None
    decision_text: str = ""
    final_args_text: str = ""
    outcome: str = ""
    masked: Sequence[str] = ()


@dataclass(frozen=True)
class GroupMember:
    """Another review of the same pause."""

    id: str
    tool: str
    status: str
    decided_by: str | None


@dataclass(frozen=True)
class ReviewView:
    """`value_text`: exact text of an `answer` or `unreadable` interrupt; `answer_text`: what was answered.

    `agent_text` is the agent's last message.

    `may_decide` and `why_not` are the same answer that `decide` will give to this actor.
    `closed_by`: who took a mismatch, which keeps its status, off the queue.
    `claim_stale`: the claim is so old that others may take the review over.
    """

    id: str
    version: int
    digest: str
    kind: str
    status: str
    source: str
    thread_id: str
    thread_ref: str
    ns: str
    checkpoint_id: str
    interrupt_id: str
    opened_at: datetime
    actions: Sequence[ActionView]
    group: Sequence[GroupMember] = ()
    waiting_for: int = 0
    agent_text: str = ""
    value: Any = None
    value_text: str = ""
    answer_text: str = ""
    answer_schema: dict[str, Any] | None = None
    note: str = ""
    decided_by: str | None = None
    decided_at: datetime | None = None
    settled_at: datetime | None = None
    outcome: str = ""
    may_decide: bool = False
    why_not: str = ""
    claimed_by: str | None = None
    claimed_at: datetime | None = None
    claim_stale: bool = False
    closed_by: str | None = None
    closed_at: datetime | None = None
    thread_status: str = ""
    masked: Sequence[str] = ()


@dataclass(frozen=True)
class ClaimView:
    """Who has taken a review to look at, and since when; both None when nobody has."""

    review_id: str
    claimed_by: str | None
    claimed_at: datetime | None


@dataclass(frozen=True)
class VerdictView:
    """The recorded verdict: what `POST …/decisions` answers with 202."""

    review_id: str
    decision_id: str
    version: int
    status: str
    decided_by: str
    decided_at: datetime
    decisions: Sequence[dict[str, Any]]
    waiting_for: int
    answer_text: str | None = None


@dataclass(frozen=True)
class ToolCallView:
    """A call on an agent message. `state`: waiting, running, ran, failed, rejected, answered, not run.

    `position` is set when the call belongs to a review: the number shown is position + 1.
    """

    id: str
    name: str
    args_text: str
    state: str
    position: int | None = None
    result: str = ""
    note: str = ""
    reviewed: bool = False


@dataclass(frozen=True)
class MessageView:
    """`role`: human, ai, tool, system. `blocks` are the content blocks as JSON-safe values."""

    id: str
    role: str
    text: str
    blocks: Sequence[dict[str, Any]] = ()
    tool_calls: Sequence[ToolCallView] = ()
    tool_call_id: str | None = None
    name: str = ""
    status: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class ThreadView:
    """`status`: idle, running, paused, poisoned, failed, stuck; `error` says why for the last three.

    `composer` is empty when a message may be sent, else the reason why not.
    """

    source: str
    thread_id: str
    thread_ref: str
    status: str
    title: str
    error: str
    created_by: str
    created_at: datetime
    updated_at: datetime
    composer: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MessagesView:
    """A window of the newest messages; `earlier` counts those before it."""

    items: Sequence[MessageView]
    earlier: int


@dataclass(frozen=True)
class AuditAction:
    """Proposed and decided of one position, as exact texts.

    In `settled`, `mismatch` and `stuck` entries `final_args` are the executed arguments, empty when the tool
    did not start.
    """

    position: int
    tool: str
    proposed_args: str
    decision: str
    message: str
    final_args: str
    outcome: str


@dataclass(frozen=True)
class AuditRow:
    """One ledger entry; for `decided` entries `actions` and, once settled, `outcome` are filled."""

    seq: int
    at: datetime
    kind: str
    actor: str
    role: str
    via: str
    review_id: str | None
    thread_id: str | None
    thread_ref: str | None
    tool: str | None
    verdict: str | None
    outcome: str | None
    what: str
    reason: str
    hash: str
    body: dict[str, Any] = field(default_factory=dict)
    actions: Sequence[AuditAction] = ()
