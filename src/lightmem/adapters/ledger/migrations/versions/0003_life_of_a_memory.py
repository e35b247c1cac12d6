"""How memories change, are forgotten, travel and are dreamt over."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _dreams_up()
    _travel()
    _jobs_up()
    _attributes_up()
    _tombstones_up()


def downgrade() -> None:
    _tombstones_down()
    _dreams_down()
    _travel_back()
    _jobs_down()
    _attributes_down()


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


# --- attributes: of each at most one memory of a user holds ---------------------------------------


def _attributes_up() -> None:
    op.add_column("memories", sa.Column("attribute_key", sa.Text()))
    whose = ["tenant_id", "user_id"]
    for name in ("attribute_key", "superseded_by"):
        op.create_index(f"ix_memories_tenant_id_user_id_{name}", "memories", [*whose, name])
    held = sa.text("status = 'active' AND attribute_key IS NOT NULL")
    op.create_index(
        "ix_memories_active_attribute",
        "memories",
        [*whose, "attribute_key"],
        unique=True,
        sqlite_where=held,
        postgresql_where=held,
    )


def _attributes_down() -> None:
    op.drop_index("ix_memories_active_attribute", "memories")
    for name in ("superseded_by", "attribute_key"):
        op.drop_index(f"ix_memories_tenant_id_user_id_{name}", "memories")
    op.drop_column("memories", "attribute_key")


# --- dreams ---------------------------------------------------------------------------------


def _dreams_up() -> None:
    op.create_table(
        "dreams",
        sa.Column("id", sa.Text(), nullable=False),
        *_owner(),
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("max_removed_fraction", sa.Float(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("planned_at", TIME),
        sa.Column("applied_at", TIME),
        sa.Column("undone_at", TIME),
        sa.Column("claimed_until", TIME),
        sa.Column("last_turn_id", sa.Text()),
        sa.Column("read_up_to", sa.Text()),
        sa.Column("estimated_calls", sa.BigInteger(), nullable=False),
        sa.Column("estimated_tokens", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.ForeignKeyConstraint(["operation_id"], ["operations.id"], name="fk_dreams_operations"),
        sa.PrimaryKeyConstraint("id", name="pk_dreams"),
    )
    op.create_index("ix_dreams_tenant_id_user_id_id", "dreams", ["tenant_id", "user_id", "id"])
    _dream_steps_up()
    op.create_table(
        "dream_memories",
        sa.Column("step_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        *_owner(),
        sa.Column("memory_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("made_version", sa.Integer()),
        sa.ForeignKeyConstraint(
            ["step_id"], ["dream_steps.id"], name="fk_dream_memories_dream_steps"
        ),
        sa.PrimaryKeyConstraint("step_id", "position", name="pk_dream_memories"),
    )
    columns = ["tenant_id", "user_id", "memory_id"]
    op.create_index("ix_dream_memories_tenant_id_user_id_memory_id", "dream_memories", columns)


def _dream_steps_up() -> None:
    op.create_table(
        "dream_steps",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("dream_id", sa.Text(), nullable=False),
        *_owner(),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("after", sa.Text()),
        sa.Column("claim", sa.Text()),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("is_applied", sa.Boolean(), nullable=False),
        sa.Column("memory_id", sa.Text()),
        sa.Column("is_made", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["dream_id"], ["dreams.id"], name="fk_dream_steps_dreams"),
        sa.PrimaryKeyConstraint("id", name="pk_dream_steps"),
    )
    name = "ix_dream_steps_dream_id_position"
    op.create_index(name, "dream_steps", ["dream_id", "position"], unique=True)
    columns = ["tenant_id", "user_id", "memory_id"]
    op.create_index("ix_dream_steps_tenant_id_user_id_memory_id", "dream_steps", columns)


def _dreams_down() -> None:
    for table in ("dream_memories", "dream_steps", "dreams"):
        op.drop_table(table)


def _owner() -> list[sa.Column[str]]:
    return [
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
    ]


# --- tombstones -----------------------------------------------------------------------------------


def _tombstones_up() -> None:
    op.add_column("users", sa.Column("forgetting_state", sa.Text()))
    op.create_table(
        "tombstones",
        sa.Column("id", sa.Text(), nullable=False),
        *_owner(),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("encoder_id", sa.Text(), nullable=False),
        sa.Column("forms", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "user_id"],
            ["users.tenant_id", "users.user_id"],
            name="fk_tombstones_users",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tombstones"),
    )
    op.create_index(
        "ix_tombstones_tenant_id_user_id_id", "tombstones", ["tenant_id", "user_id", "id"]
    )


def _tombstones_down() -> None:
    op.drop_table("tombstones")
    op.drop_column("users", "forgetting_state")
