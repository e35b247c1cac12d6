"""The tables of the ledger. Each has the tenant in its key or an index; only `meta` has none.

Changes go through a migration too; a test holds the two against each other.
"""

from lightmem.adapters.ledger.tables.base import metadata
from lightmem.adapters.ledger.tables.dreamt import dream_memories, dream_steps, dreams
from lightmem.adapters.ledger.tables.installation import (
    api_keys,
    audit,
    audit_heads,
    idempotency,
    meta,
    tenants,
)
from lightmem.adapters.ledger.tables.learnt import (
    memories,
    memory_sources,
    memory_versions,
    tombstones,
)
from lightmem.adapters.ledger.tables.said import (
    import_lines,
    operations,
    outbox,
    outcomes,
    sessions,
    turns,
    users,
)

__all__ = [
    "api_keys",
    "audit",
    "audit_heads",
    "dream_memories",
    "dream_steps",
    "dreams",
    "idempotency",
    "import_lines",
    "memories",
    "memory_sources",
    "memory_versions",
    "meta",
    "metadata",
    "operations",
    "outbox",
    "outcomes",
    "sessions",
    "tenants",
    "tombstones",
    "turns",
    "users",
]
