"""The log's search indexes hold only entries that have a value, and none is kept that no search walks."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_OF_SOME = {
    "facet_decided_by": "decided_by_id",
    "facet_verdict": "verdict",
    "facet_outcome": "outcome",
    "facet_review": "review_id",
    "facet_thread": "thread_id",
    "facet_tool": "tool",
}


def upgrade() -> None:
    op.drop_index("facet_at", "ledger_facet")
    for name, column in _OF_SOME.items():
        op.drop_index(name, "ledger_facet")
        filled = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, "ledger_facet", [column, "seq"], sqlite_where=filled)


def downgrade() -> None:
    for name, column in _OF_SOME.items():
        op.drop_index(name, "ledger_facet")
        op.create_index(name, "ledger_facet", [column, "seq"])
    op.create_index("facet_at", "ledger_facet", ["at", "seq"])
