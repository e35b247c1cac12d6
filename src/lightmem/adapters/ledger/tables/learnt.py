"""What was learnt, with its versions and sources, and what is left of the forgotten."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
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
