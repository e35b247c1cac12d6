"""The first schema: tenants, turns, operations, outbox, memories, audit.

Written out, so that it stays what it was while the tables change.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TIME = sa.DateTime(timezone=True)

#: In the order in which they refer to each other.
TABLES = (
    "tenants",
    "api_keys",
    "users",
    "sessions",
    "turns",
    "operations",
    "outcomes",
    "idempotency",
    "outbox",
    "memories",
    "memory_versions",
    "memory_sources",
    "audit",
    "audit_heads",
    "meta",
)


def upgrade() -> None:
    _whose()
    _sessions()
    _turns()
    _operations()
    _work()
    _learnt()
    _versions()
    _kept()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def _whose() -> None:
    """Tenants, their keys and users."""
    op.create_table(
        "tenants",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("k_anonymity", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tenants"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text()),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text()),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_api_keys_tenants"),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("key_hash", name="uq_api_keys_key_hash"),
    )
    op.create_index("ix_api_keys_tenant_id_id", "api_keys", ["tenant_id", "id"])
    op.create_table(
        "users",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_active_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name="fk_users_tenants"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", name="pk_users"),
    )


def _sessions() -> None:
    """Conversations."""
    op.create_table(
        "sessions",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("first_at", TIME, nullable=False),
        sa.Column("last_at", TIME, nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "user_id"], ["users.tenant_id", "users.user_id"], name="fk_sessions_users"
        ),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "session_id", name="pk_sessions"),
    )
    op.create_index(
        "ix_sessions_tenant_id_user_id_last_at_session_id",
        "sessions",
        ["tenant_id", "user_id", "last_at", "session_id"],
    )


def _turns() -> None:
    """What was said."""
    op.create_table(
        "turns",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("occurred_at", TIME, nullable=False),
        sa.Column("recorded_at", TIME, nullable=False),
        sa.Column("client_id", sa.Text()),
        sa.Column("speaker", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("utc_offset_minutes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant_id", "user_id", "session_id"],
            ["sessions.tenant_id", "sessions.user_id", "sessions.session_id"],
            name="fk_turns_sessions",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
    )
    op.create_index(
        "ix_turns_tenant_id_user_id_client_id",
        "turns",
        ["tenant_id", "user_id", "client_id"],
        unique=True,
        sqlite_where=sa.text("client_id IS NOT NULL"),
        postgresql_where=sa.text("client_id IS NOT NULL"),
    )
    op.create_index("ix_turns_tenant_id_user_id_id", "turns", ["tenant_id", "user_id", "id"])
    op.create_index(
        "ix_turns_tenant_id_user_id_session_id_seq",
        "turns",
        ["tenant_id", "user_id", "session_id", "seq"],
        unique=True,
    )


def _operations() -> None:
    """Operations and what became of each turn."""
    op.create_table(
        "operations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("result", sa.Text()),
        sa.Column("model_calls", sa.BigInteger(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_operations"),
    )
    op.create_index(
        "ix_operations_tenant_id_user_id_id", "operations", ["tenant_id", "user_id", "id"]
    )
    op.create_table(
        "outcomes",
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("memory_ids", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.ForeignKeyConstraint(["operation_id"], ["operations.id"], name="fk_outcomes_operations"),
        sa.PrimaryKeyConstraint("operation_id", "position", name="pk_outcomes"),
    )
    op.create_index("ix_outcomes_tenant_id_turn_id", "outcomes", ["tenant_id", "turn_id"])


def _work() -> None:
    """Kept answers, and what follows a transaction."""
    op.create_table(
        "idempotency",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text()),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text()),
        sa.Column("claimed_until", TIME, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "route", "key", name="pk_idempotency"),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"])
    op.create_table(
        "outbox",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
    )
    op.create_index(
        "ix_outbox_tenant_id_kind_due_at_id", "outbox", ["tenant_id", "kind", "due_at", "id"]
    )


def _learnt() -> None:
    """What was learnt: the statement as it stands."""
    op.create_table(
        "memories",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("entities", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.Text()),
        sa.Column("recorded_at", TIME, nullable=False),
        sa.Column("valid_from", TIME),
        sa.Column("valid_to", TIME),
        sa.Column("valid_precision", sa.Text()),
        sa.Column("superseded_at", TIME),
        sa.Column("superseded_by", sa.Text()),
        sa.Column("utility", sa.Float(), nullable=False),
        sa.Column("access_count", sa.BigInteger(), nullable=False),
        sa.Column("last_accessed_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_memories"),
    )
    op.create_index(
        "ix_memories_active_fingerprint",
        "memories",
        ["tenant_id", "user_id", "fingerprint"],
        unique=True,
        sqlite_where=sa.text("status = 'active'"),
        postgresql_where=sa.text("status = 'active'"),
    )
    op.create_index(
        "ix_memories_tenant_id_user_id_recorded_at_id",
        "memories",
        ["tenant_id", "user_id", "recorded_at", "id"],
    )


def _versions() -> None:
    """What a memory was before, and what it quotes."""
    op.create_table(
        "memory_versions",
        sa.Column("memory_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("entities", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("recorded_at", TIME, nullable=False),
        sa.Column("valid_from", TIME),
        sa.Column("valid_to", TIME),
        sa.Column("valid_precision", sa.Text()),
        sa.Column("superseded_at", TIME),
        sa.Column("superseded_by", sa.Text()),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.id"], name="fk_memory_versions_memories"),
        sa.PrimaryKeyConstraint("memory_id", "version", name="pk_memory_versions"),
    )
    op.create_index(
        "ix_memory_versions_tenant_id_memory_id", "memory_versions", ["tenant_id", "memory_id"]
    )
    op.create_table(
        "memory_sources",
        sa.Column("memory_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("quote_hash", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.id"], name="fk_memory_sources_memories"),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], name="fk_memory_sources_turns"),
        sa.PrimaryKeyConstraint("memory_id", "turn_id", "quote_hash", name="pk_memory_sources"),
    )
    op.create_index(
        "ix_memory_sources_tenant_id_turn_id", "memory_sources", ["tenant_id", "turn_id"]
    )


def _kept() -> None:
    """The audit trail and the facts of the installation."""
    op.create_table(
        "audit",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("prev_hash", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "seq", name="pk_audit"),
    )
    op.create_table(
        "audit_heads",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_audit_heads"),
    )
    op.create_table(
        "meta",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_meta"),
    )
