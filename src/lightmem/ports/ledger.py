"""The system of record: all its parts together."""

from typing import Protocol

from lightmem.domain.audit import AuditEntry
from lightmem.model import (
    Health,
    Page,
)
from lightmem.ports.answers import KeptAnswers
from lightmem.ports.checking import Inventory
from lightmem.ports.dreams import DreamLedger
from lightmem.ports.erasure import UserErasure
from lightmem.ports.forgetting import ForgettingLedger
from lightmem.ports.gathering import GatheredWork
from lightmem.ports.memories import MemoryLedger
from lightmem.ports.outbox import Outbox
from lightmem.ports.portability import Portability
from lightmem.ports.reconciling import ReconcilingLedger
from lightmem.ports.tenants import TenantDirectory
from lightmem.ports.turns import TurnLedger
from lightmem.ports.usage import UsageLedger


class AuditTrail(Protocol):
    """Who changed what, in one hash chain a tenant."""

    async def list_audit(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[AuditEntry]:
        """Oldest first. `lightmem.domain.audit.first_break` tells whether the chain holds."""
        ...


class Ledger(
    DreamLedger,
    TenantDirectory,
    TurnLedger,
    MemoryLedger,
    ReconcilingLedger,
    UsageLedger,
    Outbox,
    GatheredWork,
    ForgettingLedger,
    KeptAnswers,
    AuditTrail,
    UserErasure,
    Portability,
    Inventory,
    Protocol,
):
    """The SQL system of record."""

    async def migrate(self) -> None:
        """Bring the schema to the newest revision; safe to call from several processes."""
        ...

    async def check(self) -> Health: ...

    async def get_meta(self, name: str) -> str | None:
        """A fact about the installation itself, such as the encoder that filled the index."""
        ...

    async def put_meta(self, name: str, value: str) -> None: ...

    async def settle_meta(self, name: str, value: str) -> str:
        """The fact as it stands: this value where there was none, also for who asks at once."""
        ...

    async def turn_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        """(tenant_id, user_id, turn_id) of all turns by id, for re-embedding; `after` excluded."""
        ...

    async def memory_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        """The same for memories that the index holds: active and superseded ones."""
        ...

    async def close(self) -> None: ...
