"""The tables of the ledger. Each has the tenant in its key or an index; only `meta` has none.

Changes go through a migration too; a test holds the two against each other.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

from lightmem.adapters.ledger.columns import JsonText, UtcDateTime

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

tenants = Table(
    "tenants",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("k_anonymity", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, ForeignKey("tenants.id")),
    Column("role", Text, nullable=False),
    Column("user_id", Text),
    Column("key_hash", Text, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Index(None, "tenant_id", "id"),
)

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

idempotency = Table(
    "idempotency",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("route", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("user_id", Text),
    Column("body_hash", Text, nullable=False),
    Column("answer", Text),
    Column("claimed_until", UtcDateTime, nullable=False),
    # Token of whoever holds the claim; None where the claim is no longer than its transaction.
    Column("owner", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "created_at"),
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

memories = Table(
    "memories",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    # The text as it is compared when listing by a substring: both databases fold case alike.
    Column("folded", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("entities", JsonText, nullable=False),
    Column("status", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("fingerprint", Text),
    Column("recorded_at", UtcDateTime, nullable=False),
    Column("valid_from", UtcDateTime),
    Column("valid_to", UtcDateTime),
    Column("valid_precision", Text),
    Column("superseded_at", UtcDateTime),
    Column("superseded_by", Text),
    Column("utility", Float, nullable=False),
    Column("access_count", BigInteger, nullable=False),
    Column("last_accessed_at", UtcDateTime),
    # What it says of whom, where only one value can hold at a time; see `domain.attributes`.
    Column("attribute_key", Text),
    Index(None, "tenant_id", "user_id", "recorded_at", "id"),
    Index(None, "tenant_id", "user_id", "attribute_key"),
    Index(None, "tenant_id", "user_id", "superseded_by"),
    Index(
        "ix_memories_active_attribute",
        "tenant_id",
        "user_id",
        "attribute_key",
        unique=True,
        sqlite_where=text("status = 'active' AND attribute_key IS NOT NULL"),
        postgresql_where=text("status = 'active' AND attribute_key IS NOT NULL"),
    ),
    Index(
        "ix_memories_active_fingerprint",
        "tenant_id",
        "user_id",
        "fingerprint",
        unique=True,
        sqlite_where=text("status = 'active'"),
        postgresql_where=text("status = 'active'"),
    ),
)

memory_versions = Table(
    "memory_versions",
    metadata,
    Column("memory_id", Text, ForeignKey("memories.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("entities", JsonText, nullable=False),
    Column("status", Text, nullable=False),
    Column("recorded_at", UtcDateTime, nullable=False),
    Column("valid_from", UtcDateTime),
    Column("valid_to", UtcDateTime),
    Column("valid_precision", Text),
    Column("superseded_at", UtcDateTime),
    Column("superseded_by", Text),
    Index(None, "tenant_id", "memory_id"),
)

memory_sources = Table(
    "memory_sources",
    metadata,
    Column("memory_id", Text, ForeignKey("memories.id"), primary_key=True),
    Column("turn_id", Text, ForeignKey("turns.id"), primary_key=True),
    # A quote can be longer than an index entry may be.
    Column("quote_hash", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Index(None, "tenant_id", "turn_id"),
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

dreams = Table(
    "dreams",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("operation_id", Text, ForeignKey("operations.id"), nullable=False),
    Column("policy", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("max_removed_fraction", Float, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("planned_at", UtcDateTime),
    Column("applied_at", UtcDateTime),
    Column("undone_at", UtcDateTime),
    # While it is planned no other dream of the user is.
    Column("claimed_until", UtcDateTime),
    # The last turn there was, and the last memory that was read: what comes later is new.
    Column("last_turn_id", Text),
    Column("read_up_to", Text),
    Column("estimated_calls", BigInteger, nullable=False),
    Column("estimated_tokens", BigInteger, nullable=False),
    Column("reason", Text),
    Index(None, "tenant_id", "user_id", "id"),
)

dream_steps = Table(
    "dream_steps",
    metadata,
    Column("id", Text, primary_key=True),
    Column("dream_id", Text, ForeignKey("dreams.id"), nullable=False),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("action", Text, nullable=False),
    # The only words that a dream keeps; None where a step makes no text, or it was struck.
    Column("after", JsonText),
    Column("claim", JsonText),
    Column("evidence", JsonText, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("reason", Text),
    Column("is_applied", Boolean, nullable=False),
    # The memory that stands for the others; `is_made` when the step made it.
    Column("memory_id", Text),
    Column("is_made", Boolean, nullable=False),
    Index(None, "dream_id", "position", unique=True),
    Index(None, "tenant_id", "user_id", "memory_id"),
)

#: The memories that a step works on, by reference.
dream_memories = Table(
    "dream_memories",
    metadata,
    Column("step_id", Text, ForeignKey("dream_steps.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("memory_id", Text, nullable=False),
    # As the dream read it, and as the step left it; None where the step did not change it.
    Column("version", Integer, nullable=False),
    Column("made_version", Integer),
    Index(None, "tenant_id", "user_id", "memory_id"),
)

#: What is left of forgotten values: keyed hashes and vectors, no words.
tombstones = Table(
    "tombstones",
    metadata,
    Column("id", Text, primary_key=True),
    Column("tenant_id", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("encoder_id", Text, nullable=False),
    Column("forms", JsonText, nullable=False),
    ForeignKeyConstraint(["tenant_id", "user_id"], ["users.tenant_id", "users.user_id"]),
    Index(None, "tenant_id", "user_id", "id"),
)

audit = Table(
    "audit",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("id", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("prev_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

#: The end of each tenant's chain: the row that its writers take turns on.
audit_heads = Table(
    "audit_heads",
    metadata,
    Column("tenant_id", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
)

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
