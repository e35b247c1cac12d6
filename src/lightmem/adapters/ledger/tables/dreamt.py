"""Dreams: plans that work on memories."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
)

from lightmem.adapters.ledger.columns import JsonText, UtcDateTime
from lightmem.adapters.ledger.tables.base import metadata

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
    # The last of those that nobody recalled for long which need not be looked at again.
    Column("unused_up_to", Text),
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
