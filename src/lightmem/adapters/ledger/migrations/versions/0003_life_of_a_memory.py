"""How memories change, are forgotten, travel and are dreamt over."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _travel()
    _jobs_up()


def downgrade() -> None:
    _travel_back()
    _jobs_down()


# --- jobs: their priority, and the conversation that they gather turns of -----------------------


def _jobs_up() -> None:
    op.add_column("outbox", _number("priority"))
    op.add_column("outbox", sa.Column("session_id", sa.Text()))
    op.add_column("outbox", _number("size_bytes"))
    op.add_column("outbox", sa.Column("gathers_until", TIME))
    op.drop_index("ix_outbox_tenant_id_kind_due_at_id", "outbox")
    columns = ["tenant_id", "kind", "priority", "due_at", "id"]
    op.create_index("ix_outbox_tenant_id_kind_priority_due_at_id", "outbox", columns)
    columns = ["tenant_id", "user_id", "session_id", "id"]
    op.create_index("ix_outbox_tenant_id_user_id_session_id_id", "outbox", columns)


def _jobs_down() -> None:
    op.drop_index("ix_outbox_tenant_id_user_id_session_id_id", "outbox")
    op.drop_index("ix_outbox_tenant_id_kind_priority_due_at_id", "outbox")
    columns = ["tenant_id", "kind", "due_at", "id"]
    op.create_index("ix_outbox_tenant_id_kind_due_at_id", "outbox", columns)
    for column in ("gathers_until", "size_bytes", "session_id", "priority"):
        op.drop_column("outbox", column)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False, server_default="0")


def _travel() -> None:
    """Users who are being erased, and the lines of imports under way."""
    op.add_column("users", sa.Column("erasing", sa.Text()))
    op.create_table(
        "import_lines",
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["operation_id"], ["operations.id"], name="fk_import_lines_operations"
        ),
        sa.PrimaryKeyConstraint("operation_id", "kind", "name", name="pk_import_lines"),
    )
    op.create_index(
        "ix_import_lines_operation_id_kind_line",
        "import_lines",
        ["operation_id", "kind", "line"],
    )
    op.create_index("ix_import_lines_tenant_id_user_id", "import_lines", ["tenant_id", "user_id"])


def _travel_back() -> None:
    op.drop_table("import_lines")
    op.drop_column("users", "erasing")
