"""What a token may do and until when, when it was last used, and where a session came from."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("address", "agent"):
        op.add_column("session", sa.Column(name, sa.String(), nullable=False, server_default=sa.text("''")))
    # Tokens made before there were scopes could do all that their owner may.
    op.add_column("api_token", sa.Column("scope", sa.String(), nullable=False, server_default="decide"))
    op.add_column("api_token", sa.Column("expires_at", UTCDateTime(), nullable=True))
    op.add_column("api_token", sa.Column("used_at", UTCDateTime(), nullable=True))


def downgrade() -> None:
    for name in ("used_at", "expires_at", "scope"):
        op.drop_column("api_token", name)
    for name in ("agent", "address"):
        op.drop_column("session", name)
