"""The tables. Times are aware UTC; ids are uuid4 hex; texts ending in `_text` are exact JSON."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

metadata = SQLModel.metadata


class User(SQLModel, table=True):
    """A person; `role` is exactly one, `none` may sign in and see nothing."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    role: str
    password_hash: str
    created_at: datetime
    disabled_at: datetime | None = None


class Session(SQLModel, table=True):
    """A sign-in; `digest` is the SHA-256 of the cookie's value, which is stored nowhere."""

    digest: str = Field(primary_key=True)
    user_id: str = Field(foreign_key="user.id", index=True)
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    address: str = Field(default="", sa_column_kwargs={"server_default": text("''")})
    agent: str = Field(default="", sa_column_kwargs={"server_default": text("''")})


class ApiToken(SQLModel, table=True):
    __tablename__ = "api_token"
    id: str = Field(primary_key=True)
    digest: str = Field(unique=True)
    user_id: str = Field(foreign_key="user.id", index=True)
    name: str = ""
    created_at: datetime
    revoked_at: datetime | None = None
    scope: str = Field(default="decide", sa_column_kwargs={"server_default": "decide"})
    expires_at: datetime | None = None
    used_at: datetime | None = None


class Thread(SQLModel, table=True):
    """What the console knows of a thread; its messages live in the source's checkpoints."""

    __table_args__ = (
        Index("thread_recent", "updated_at", "thread_id"),
        Index("thread_by_id", "thread_id"),
    )
    source: str = Field(primary_key=True)
    thread_id: str = Field(primary_key=True)
    status: str
    title: str = ""
    error: str = ""
    created_by: str = ""
    created_at: datetime
    updated_at: datetime


class Review(SQLModel, table=True):
    """One pending interrupt. `queue_rank` is NULL unless a person is needed; smaller comes first."""

    __table_args__ = (
        # The thread first: begun with the source, SQLite would take this index for pages of the queue.
        UniqueConstraint("thread_id", "source", "ns", "checkpoint_id", "interrupt_id", name="review_key"),
        # Pages of the queue walk this index in order, whatever the number of other reviews.
        Index(
            "review_queue",
            "queue_rank",
            "opened_at",
            "id",
            "source",
            "tools",
            sqlite_where=text("queue_rank IS NOT NULL"),
            postgresql_where=text("queue_rank IS NOT NULL"),
        ),
        Index("review_by_status", "status", "opened_at", "id", "source"),
        Index("review_by_thread", "thread_id", "source", "opened_at"),
        Index("review_by_group", "group_key", "task_order"),
    )
    id: str = Field(primary_key=True)
    source: str
    thread_id: str
    ns: str
    checkpoint_id: str
    interrupt_id: str
    group_key: str
    group_size: int
    task_order: int
    kind: str
    status: str
    version: int = 1
    digest: str
    items_text: str = Field(sa_column=Column(Text, nullable=False))
    value_text: str = Field(default="", sa_column=Column(Text, nullable=False))
    answer_schema_text: str = Field(default="", sa_column=Column(Text, nullable=False))
    agent_text: str = Field(default="", sa_column=Column(Text, nullable=False))
    note: str = ""
    tool: str = ""
    tools: str = ""
    action_count: int = 0
    headline: str = ""
    subject: str = ""
    queue_rank: int | None = None
    opened_at: datetime
    decision_id: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    settled_at: datetime | None = None
    outcome: str = ""
    outcomes_text: str = Field(default="", sa_column=Column(Text, nullable=False))
    # A mismatch keeps its status for good; these two say who took it off the queue.
    closed_by: str | None = None
    closed_at: datetime | None = None


class Claim(SQLModel, table=True):
    """Who has taken a review to look at; it binds nobody, and `version` of the review does not move."""

    review_id: str = Field(primary_key=True, foreign_key="review.id")
    actor_id: str
    actor_name: str
    at: datetime


class ReviewViewed(SQLModel, table=True):
    """That a person was shown a version of a review: the ledger has it once."""

    __tablename__ = "review_viewed"
    review_id: str = Field(primary_key=True, foreign_key="review.id")
    version: int = Field(primary_key=True)
    actor_id: str = Field(primary_key=True)
    at: datetime


class Draft(SQLModel, table=True):
    """What a person has begun to say of a review and not submitted; `text` is exact JSON."""

    review_id: str = Field(primary_key=True, foreign_key="review.id")
    actor_id: str = Field(primary_key=True)
    version: int
    text: str = Field(sa_column=Column(Text, nullable=False))
    saved_at: datetime


class Decision(SQLModel, table=True):
    """A recorded verdict; `body_text` is the decisions (or the answer) as they will be resumed."""

    __table_args__ = (UniqueConstraint("review_id", "version", name="decision_once"),)
    id: str = Field(primary_key=True)
    review_id: str = Field(foreign_key="review.id")
    version: int
    actor_id: str
    actor_name: str
    via: str
    at: datetime
    body_text: str = Field(sa_column=Column(Text, nullable=False))
    result_digest: str


class IdempotentAnswer(SQLModel, table=True):
    """The first answer to an Idempotency-Key, given again to the same request."""

    __tablename__ = "idempotent_answer"
    actor_id: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    request_digest: str
    answer_text: str = Field(sa_column=Column(Text, nullable=False))
    at: datetime


class Outbox(SQLModel, table=True):
    """Work for the worker. `state`: waiting (for the rest of its pause), ready, taken, dispatched, done."""

    __table_args__ = (
        Index("outbox_open", "state", "id"),
        Index("outbox_by_thread", "thread_id", "source", "state"),
    )
    id: int | None = Field(default=None, sa_column=Column(Integer, primary_key=True, autoincrement=True))
    kind: str
    source: str
    thread_id: str
    group_key: str | None = Field(default=None, unique=True)
    payload_text: str = Field(default="", sa_column=Column(Text, nullable=False))
    state: str
    attempts: int = 0
    not_before: datetime
    created_at: datetime
    head: str = ""
    error: str = ""


class RunLease(SQLModel, table=True):
    """At most one run per thread. The row outlives the run so that `fence` only ever rises."""

    __tablename__ = "run_lease"
    source: str = Field(primary_key=True)
    thread_id: str = Field(primary_key=True)
    owner: str | None = None
    fence: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    until: datetime
    outbox_id: int | None = None


class ToolRun(SQLModel, table=True):
    """The journal: a start is written before the tool's body; `ended` is ok, error, paused or void."""

    __tablename__ = "tool_run"
    __table_args__ = (Index("tool_run_by_call", "thread_id", "tool_call_id", "source"),)
    id: int | None = Field(default=None, sa_column=Column(Integer, primary_key=True, autoincrement=True))
    source: str
    thread_id: str
    tool_call_id: str
    name: str
    args_text: str = Field(sa_column=Column(Text, nullable=False))
    decision_id: str | None = None
    fence: int
    owner: str
    started_at: datetime
    ended_at: datetime | None = None
    ended: str | None = None
    error: str = ""


class Ledger(SQLModel, table=True):
    """Append-only; triggers refuse everything else. No further UNIQUE: REPLACE would delete through it."""

    seq: int = Field(primary_key=True)
    body: str = Field(sa_column=Column(Text, nullable=False))
    prev: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


def _of_some(name: str, column: str) -> Index:
    """An entry without a value there is not in the index: a page less to write with it."""
    return Index(name, column, "seq", sqlite_where=text(f"{column} IS NOT NULL"))


class LedgerFacet(SQLModel, table=True):
    """What the log is searched by, filled in the entry's transaction."""

    __tablename__ = "ledger_facet"
    __table_args__ = (
        Index("facet_actor", "actor_id", "seq"),
        Index("facet_actor_name", "actor_name", "seq"),
        Index("facet_kind", "kind", "seq"),
        _of_some("facet_decided_by", "decided_by_id"),
        _of_some("facet_verdict", "verdict"),
        _of_some("facet_outcome", "outcome"),
        _of_some("facet_review", "review_id"),
        _of_some("facet_thread", "thread_id"),
        _of_some("facet_tool", "tool"),
    )
    seq: int = Field(sa_column=Column(Integer, ForeignKey("ledger.seq"), primary_key=True))
    at: datetime
    kind: str
    actor_id: str
    actor_name: str
    tool: str | None = None
    source: str | None = None
    thread_id: str | None = None
    review_id: str | None = None
    decided_by_id: str | None = None
    verdict: str | None = None
    outcome: str | None = None
    payload_id: str | None = None


class Payload(SQLModel, table=True):
    """What a ledger entry only commits to, so that it can be erased without breaking the chain."""

    id: str = Field(primary_key=True)
    salt: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    bytes_text: str = Field(sa_column=Column(Text, nullable=False))


class Meta(SQLModel, table=True):
    key: str = Field(primary_key=True)
    value: str
