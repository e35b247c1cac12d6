"""A dream looks at what nobody recalled where the one before it ended."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("dreams", sa.Column("unused_up_to", sa.Text()))


def downgrade() -> None:
    op.drop_column("dreams", "unused_up_to")
