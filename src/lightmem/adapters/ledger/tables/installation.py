"""Tenants and keys, the audit trail, kept answers, and facts of the installation."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
)

from lightmem.adapters.ledger.columns import UtcDateTime
from lightmem.adapters.ledger.tables.base import metadata

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
