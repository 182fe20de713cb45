"""People who sign in through an identity provider, and the answers of it that were used."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0004"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity",
        sa.Column("issuer", sa.String(), primary_key=True),
        sa.Column("subject", sa.String(), primary_key=True),
        sa.Column("user_id", sa.String(), sa.ForeignKey("user.id"), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
    )
    op.create_index("ix_identity_user_id", "identity", ["user_id"])
    op.create_table(
        "sign_on_used",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("at", UTCDateTime(), nullable=False, index=True),
    )


def downgrade() -> None:
    op.drop_table("sign_on_used")
    op.drop_table("identity")
