"""The system of record, put together of its parts."""

from lightmem.adapters.ledger.answers import SqlKeptAnswers
from lightmem.adapters.ledger.database import TIMEOUT_S, Database
from lightmem.adapters.ledger.dreams import SqlDreams
from lightmem.adapters.ledger.engine import open_engines
from lightmem.adapters.ledger.erasing import SqlErasure
from lightmem.adapters.ledger.exporting import SqlExport
from lightmem.adapters.ledger.forgetting import SqlForgetting
from lightmem.adapters.ledger.gathering import SqlGathering
from lightmem.adapters.ledger.importing import SqlImport
from lightmem.adapters.ledger.inventory import SqlInventory
from lightmem.adapters.ledger.maintenance import SqlMaintenance
from lightmem.adapters.ledger.marking import SqlMarking
from lightmem.adapters.ledger.memories import SqlMemories
from lightmem.adapters.ledger.operations import SqlOperations
from lightmem.adapters.ledger.outbox import SqlOutbox
from lightmem.adapters.ledger.reconciling import SqlReconciling
from lightmem.adapters.ledger.staging import SqlStaging
from lightmem.adapters.ledger.tenants import SqlTenantDirectory
from lightmem.adapters.ledger.tombstones import SqlTombstones
from lightmem.adapters.ledger.trail import SqlAuditTrail
from lightmem.adapters.ledger.turns import SqlTurns
from lightmem.adapters.ledger.usage import SqlUsage
from lightmem.ports import Clock


class SqlLedger(
    SqlTenantDirectory,
    SqlTurns,
    SqlOperations,
    SqlMemories,
    SqlDreams,
    SqlReconciling,
    SqlUsage,
    SqlOutbox,
    SqlGathering,
    SqlErasure,
    SqlExport,
    SqlStaging,
    SqlImport,
    SqlInventory,
    SqlForgetting,
    SqlMarking,
    SqlTombstones,
    SqlKeptAnswers,
    SqlAuditTrail,
    SqlMaintenance,
):
    """The ledger over SQLite or PostgreSQL; each call is one transaction in a thread."""


def open_ledger(
    url: str, *, clock: Clock, busy_timeout_s: float = 5.0, timeout_s: float = TIMEOUT_S
) -> SqlLedger:
    """The ledger at `sqlite:///FILE` or `postgresql+psycopg://…`; `migrate` it before use.

    Args:
        busy_timeout_s: How long another process's writing to a SQLite file is waited for.
        timeout_s: How long one transaction is waited for, before `LedgerUnavailable`.
    """
    return SqlLedger(
        Database(open_engines(url, busy_timeout_s=busy_timeout_s), timeout_s=timeout_s), clock
    )
