"""What users said, and the work that follows it."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
    text,
)

from lightmem.adapters.ledger.columns import JsonText, UtcDateTime
from lightmem.adapters.ledger.tables.base import metadata

users = Table(
    "users",
    metadata,
    Column("tenant_id", Text, ForeignKey("tenants.id"), primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_active_at", UtcDateTime, nullable=False),
    # The operation that erases the user: until it has ended nobody writes for them.
    Column("erasing", Text),
    # Id of the last change of the user's tombstones: what words were held against.
    Column("forgetting_state", Text),
)

sessions = Table(
    "sessions",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("first_at", UtcDateTime, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Column("turns", Integer, nullable=False),
    # Counts on over deleted turns, so that a place in a session is never given twice.
    Column("last_seq", Integer, nullable=False),
    ForeignKeyConstraint(["tenant_id", "user_id"], ["users.tenant_id", "users.user_id"]),
    Index(None, "tenant_id", "user_id", "last_at", "session_id"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("occurred_at", UtcDateTime, nullable=False),
    Column("recorded_at", UtcDateTime, nullable=False),
    Column("client_id", Text),
    Column("speaker", Text),
    Column("metadata", JsonText, nullable=False),
    Column("utc_offset_minutes", Integer, nullable=False),
    ForeignKeyConstraint(
        ["tenant_id", "user_id", "session_id"],
        ["sessions.tenant_id", "sessions.user_id", "sessions.session_id"],
    ),
    Index(None, "tenant_id", "user_id", "session_id", "seq", unique=True),
    Index(None, "tenant_id", "user_id", "id"),
    Index(
        None,
        "tenant_id",
        "user_id",
        "client_id",
        unique=True,
        sqlite_where=text("client_id IS NOT NULL"),
        postgresql_where=text("client_id IS NOT NULL"),
    ),
)

operations = Table(
    "operations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("result", JsonText),
    Column("model_calls", BigInteger, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Index(None, "tenant_id", "user_id", "id"),
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("operation_id", Text, ForeignKey("operations.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("memory_ids", JsonText, nullable=False),
    Column("reason", Text),
    Index(None, "tenant_id", "turn_id"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("payload", JsonText, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    # When it may be leased: a lease moves it to where the lease ends.
    Column("due_at", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("last_reason", Text),
    # 0: somebody talks right now; 1: a bulk, which comes after.
    Column("priority", Integer, nullable=False, server_default="0"),
    # Of a WRITE job: the conversation whose turns it learns from, oldest job first, how many
    # bytes these are, and until when it waits for more of them. As long as `due_at` is the same
    # as that, nobody has leased it.
    Column("session_id", Text),
    Column("size_bytes", Integer, nullable=False, server_default="0"),
    Column("gathers_until", UtcDateTime),
    Index(None, "tenant_id", "kind", "priority", "due_at", "id"),
    Index(None, "tenant_id", "user_id", "session_id", "id"),
)

#: Lines of an import that is under way; they become rows of the user all at once, or vanish.
import_lines = Table(
    "import_lines",
    metadata,
    Column("operation_id", Text, ForeignKey("operations.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    # What may occur once in an import: the id of a thing, or that and a version.
    Column("name", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("line", BigInteger, nullable=False),
    Column("content", JsonText, nullable=False),
    Index(None, "operation_id", "kind", "line"),
    Index(None, "tenant_id", "user_id"),
)
