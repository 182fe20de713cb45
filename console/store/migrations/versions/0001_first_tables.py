"""First tables."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

from console.store.migrations import triggers

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotent_answer",
        sa.Column("actor_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("request_digest", sa.String(), nullable=False),
        sa.Column("answer_text", sa.Text(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("actor_id", "key"),
    )
    op.create_table(
        "ledger",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("prev", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("group_key", sa.String(), nullable=True),
        sa.Column("payload_text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", UTCDateTime(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("group_key"),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("outbox_by_thread", ["thread_id", "source", "state"], unique=False)
        batch_op.create_index("outbox_open", ["state", "id"], unique=False)

    op.create_table(
        "payload",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("bytes_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "review",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("ns", sa.String(), nullable=False),
        sa.Column("checkpoint_id", sa.String(), nullable=False),
        sa.Column("interrupt_id", sa.String(), nullable=False),
        sa.Column("group_key", sa.String(), nullable=False),
        sa.Column("group_size", sa.Integer(), nullable=False),
        sa.Column("task_order", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("items_text", sa.Text(), nullable=False),
        sa.Column("value_text", sa.Text(), nullable=False),
        sa.Column("answer_schema_text", sa.Text(), nullable=False),
        sa.Column("agent_text", sa.Text(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("tools", sa.String(), nullable=False),
        sa.Column("action_count", sa.Integer(), nullable=False),
        sa.Column("headline", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("queue_rank", sa.Integer(), nullable=True),
        sa.Column("opened_at", UTCDateTime(), nullable=False),
        sa.Column("decision_id", sa.String(), nullable=True),
        sa.Column("decided_by", sa.String(), nullable=True),
        sa.Column("decided_at", UTCDateTime(), nullable=True),
        sa.Column("settled_at", UTCDateTime(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("outcomes_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("thread_id", "source", "ns", "checkpoint_id", "interrupt_id", name="review_key"),
    )
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.create_index("review_by_group", ["group_key", "task_order"], unique=False)
        batch_op.create_index("review_by_status", ["status", "opened_at", "id", "source"], unique=False)
        batch_op.create_index("review_by_thread", ["thread_id", "source", "opened_at"], unique=False)
        batch_op.create_index(
            "review_queue",
            ["queue_rank", "opened_at", "id", "source", "tools"],
            unique=False,
            sqlite_where=sa.text("queue_rank IS NOT NULL"),
            postgresql_where=sa.text("queue_rank IS NOT NULL"),
        )

    op.create_table(
        "run_lease",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("until", UTCDateTime(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("source", "thread_id"),
    )
    op.create_table(
        "thread",
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("updated_at", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("source", "thread_id"),
    )
    with op.batch_alter_table("thread", schema=None) as batch_op:
        batch_op.create_index("thread_by_id", ["thread_id"], unique=False)
        batch_op.create_index("thread_recent", ["updated_at", "thread_id"], unique=False)

    op.create_table(
        "tool_run",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("tool_call_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("args_text", sa.Text(), nullable=False),
        sa.Column("decision_id", sa.String(), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("started_at", UTCDateTime(), nullable=False),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.Column("ended", sa.String(), nullable=True),
        sa.Column("error", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("tool_run", schema=None) as batch_op:
        batch_op.create_index("tool_run_by_call", ["thread_id", "tool_call_id", "source"], unique=False)

    op.create_table(
        "user",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("disabled_at", UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("revoked_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    with op.batch_alter_table("api_token", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_api_token_user_id"), ["user_id"], unique=False)

    op.create_table(
        "decision",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("review_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("actor_id", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("via", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("body_text", sa.Text(), nullable=False),
        sa.Column("result_digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["review_id"],
            ["review.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("review_id", "version", name="decision_once"),
    )
    op.create_table(
        "ledger_facet",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("actor_id", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=True),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("thread_id", sa.String(), nullable=True),
        sa.Column("review_id", sa.String(), nullable=True),
        sa.Column("decided_by_id", sa.String(), nullable=True),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("payload_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["seq"],
            ["ledger.seq"],
        ),
        sa.PrimaryKeyConstraint("seq"),
    )
    with op.batch_alter_table("ledger_facet", schema=None) as batch_op:
        batch_op.create_index("facet_actor", ["actor_id", "seq"], unique=False)
        batch_op.create_index("facet_actor_name", ["actor_name", "seq"], unique=False)
        batch_op.create_index("facet_kind", ["kind", "seq"], unique=False)
        batch_op.create_index("facet_outcome", ["outcome", "seq"], unique=False)
        batch_op.create_index("facet_review", ["review_id", "seq"], unique=False)
        batch_op.create_index("facet_thread", ["thread_id", "seq"], unique=False)
        batch_op.create_index("facet_tool", ["tool", "seq"], unique=False)

    op.create_table(
        "session",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("seen_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.Column("revoked_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["user.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_session_user_id"), ["user_id"], unique=False)
    triggers.create(op.get_bind())


def downgrade() -> None:
    raise NotImplementedError("the first tables cannot be taken back: they hold the ledger")
