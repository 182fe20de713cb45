"""Who looked at a review and who took it, drafts, closed alarms, and what the log is searched by."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("review", sa.Column("closed_by", sa.String(), nullable=True))
    op.add_column("review", sa.Column("closed_at", UTCDateTime(), nullable=True))
    op.create_table(
        "claim",
        sa.Column("review_id", sa.String(), sa.ForeignKey("review.id"), primary_key=True),
        sa.Column("actor_id", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
    )
    op.create_table(
        "review_viewed",
        sa.Column("review_id", sa.String(), sa.ForeignKey("review.id"), primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True),
        sa.Column("actor_id", sa.String(), primary_key=True),
        sa.Column("at", UTCDateTime(), nullable=False),
    )
    op.create_table(
        "draft",
        sa.Column("review_id", sa.String(), sa.ForeignKey("review.id"), primary_key=True),
        sa.Column("actor_id", sa.String(), primary_key=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved_at", UTCDateTime(), nullable=False),
    )
    op.create_index("facet_at", "ledger_facet", ["at", "seq"])
    op.create_index("facet_decided_by", "ledger_facet", ["decided_by_id", "seq"])
    op.create_index("facet_verdict", "ledger_facet", ["verdict", "seq"])


def downgrade() -> None:
    for name in ("facet_verdict", "facet_decided_by", "facet_at"):
        op.drop_index(name, "ledger_facet")
    for table in ("draft", "review_viewed", "claim"):
        op.drop_table(table)
    op.drop_column("review", "closed_at")
    op.drop_column("review", "closed_by")
