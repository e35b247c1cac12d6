"""A claim on an idempotency key knows its owner: he alone keeps an answer or gives it back."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("idempotency", sa.Column("owner", sa.Text()))


def downgrade() -> None:
    op.drop_column("idempotency", "owner")
