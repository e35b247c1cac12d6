"""The system of record, and the clock that dates what is in it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from lightmem.domain.audit import AuditEntry
from lightmem.model import (
    AcceptedTurns,
    ApiKey,
    Extraction,
    Gathering,
    Health,
    Idempotency,
    Job,
    JobKind,
    KeyRole,
    Memory,
    MemoryChange,
    MemoryKind,
    MemoryStatus,
    NewTurn,
    Operation,
    Page,
    Session,
    Tenant,
    Turn,
    TurnOutcome,
)
from lightmem.ports.checking import Inventory
from lightmem.ports.dreams import DreamLedger
from lightmem.ports.erasure import UserErasure
from lightmem.ports.forgetting import ForgettingLedger
from lightmem.ports.gathering import GatheredWork
from lightmem.ports.portability import Portability
from lightmem.ports.reconciling import ReconcilingLedger
from lightmem.ports.usage import UsageLedger


class Clock(Protocol):
    """The time, injected so that tests can turn it."""

    def now(self) -> datetime:
        """The present as an aware UTC datetime."""
        ...


class TenantDirectory(Protocol):
    """Tenants and their keys."""

    async def create_tenant(self, name: str, *, k_anonymity: int, actor: str) -> Tenant: ...

    async def get_tenant(self, tenant_id: str) -> Tenant: ...

    async def list_tenants(self, *, limit: int, cursor: str | None) -> Page[Tenant]: ...

    async def delete_tenant(self, tenant_id: str, *, actor: str) -> None:
        """Remove the tenant, its keys and all that the ledger holds of it."""
        ...

    async def create_key(
        self,
        tenant_id: str | None,
        *,
        key_hash: str,
        role: KeyRole,
        user_id: str | None,
        expires_at: datetime | None,
        actor: str,
    ) -> ApiKey:
        """Store a key by its hash. `tenant_id` is None for ADMIN keys only.

        Raises:
            NotFound: no such tenant.
        """
        ...

    async def find_key(self, key_hash: str) -> ApiKey | None:
        """The key with this hash, unless it expired or was deleted."""
        ...

    async def list_keys(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[ApiKey]: ...

    async def delete_key(self, tenant_id: str, key_id: str, *, actor: str) -> None: ...


class TurnLedger(Protocol):
    """What was said, and the operations that work on it."""

    async def append_turns(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None = None,
        gathering: Gathering | None = None,
        forgetting_state: str | None = None,
    ) -> AcceptedTurns:
        """Store turns, their operation, its jobs, the audit entry and the kept answer at once.

        Durable when it returns. A repeated `client_id` with the same content, role, speaker
        gives the outcome `duplicate` and the first turn's id; with other content `rejected`
        (reason `CLIENT_ID_CONFLICT`). New turns start `pending`; `system` turns end `no_facts`.
        One INDEX_TURNS and one WRITE job are put in the outbox for the new turns, if any; the
        INDEX_TURNS job becomes due a few seconds later, since the caller indexes at once itself.
        An operation without new turns is `succeeded`. With a `gathering` the WRITE job waits for
        more of the session, and is done together with the jobs that it waited with.

        `forgetting_state` is what the words were held against, see `ForgettingLedger`. A turn that
        says nothing since all it said was struck is not stored: `rejected` (reason `FORGOTTEN`).

        Raises:
            IdempotencyConflict: the idempotency key came with another body before.
            ForgottenMeanwhile: the words were held against another state of forgetting.
        """
        ...

    async def get_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None = None
    ) -> Turn: ...

    async def get_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, neighbours: int = 0
    ) -> list[Turn]:
        """Those of the turns that exist and `neighbours` turns either side within the session.

        Ordered by session, then `seq`; each once.
        """
        ...

    async def list_turns(
        self,
        tenant_id: str,
        user_id: str,
        *,
        session_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Turn]:
        """Oldest first."""
        ...

    async def list_sessions(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Session]:
        """Latest first."""
        ...

    async def delete_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None, actor: str
    ) -> None:
        """Delete a turn and its quotes; a memory that no quote is left of is forgotten.

        Puts a DELETE_POINTS job in the outbox for what left, INDEX_* for what changed.
        """
        ...

    async def get_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None = None
    ) -> Operation: ...

    async def retry_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None, actor: str
    ) -> Operation:
        """Make the quarantined turns `pending` again and put a WRITE job in the outbox.

        Raises:
            WrongState: nothing in it is quarantined.
        """
        ...


class MemoryLedger(Protocol):
    """What was learnt, with its versions and sources."""

    async def commit_writing(
        self,
        tenant_id: str,
        user_id: str,
        operation_id: str,
        *,
        changes: Sequence[MemoryChange],
        outcomes: Sequence[TurnOutcome],
        extraction: Extraction,
        forgetting_state: str | None = None,
    ) -> list[Memory]:
        """Apply what the Writer decided, in one transaction; returns the memories it touched.

        Sets the outcome of each turn named (only those still `pending`), filling in the memory
        ids; the turns may be of several operations, each of which ends once none of its turns is
        pending. A change whose turns have all ended already is left out: another worker learnt
        it. Adds the cost to the operation named; puts INDEX_MEMORIES in the outbox. Two writers
        of the same fingerprint end in one memory with the sources of both. Turns that were
        deleted meanwhile give none.

        Raises:
            VersionConflict: a memory to supersede changed; nothing was applied.
            ForgottenMeanwhile: the changes were held against another state of forgetting.
        """
        ...

    async def get_memory(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> Memory: ...

    async def get_memories(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> list[Memory]:
        """Those of the memories that exist, in the order asked for."""
        ...

    async def list_memories(
        self,
        tenant_id: str,
        user_id: str,
        *,
        status: MemoryStatus | None,
        kind: MemoryKind | None,
        query: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Memory]:
        """Latest recorded first; `query` is a case-insensitive substring of the text."""
        ...

    async def memory_history(
        self, tenant_id: str, memory_id: str, *, user_id: str | None = None
    ) -> list[Memory]:
        """Every version, newest first."""
        ...


class Outbox(Protocol):
    """Work that must follow a transaction; the truth about what is still to do."""

    async def lease_jobs(
        self, kinds: Sequence[JobKind], *, limit: int, lease_s: float, begun: bool = True
    ) -> list[Job]:
        """Due jobs, oldest first, one tenant never ahead of all others; leased to the caller.

        A job that is neither completed nor failed within `lease_s` becomes due again. `begun`
        counts a try of each; without it they are only handed on to a worker, which counts its own.
        """
        ...

    async def get_job(self, job_id: str) -> Job | None:
        """The job if it is still to be done."""
        ...

    async def complete_job(self, job_id: str) -> None:
        """Take the job out. Completing twice is no error."""
        ...

    async def defer_job(self, job_id: str, *, delay_s: float, reason: str, tries: int = 0) -> None:
        """Make the job due again after `delay_s`, keeping why it failed.

        `tries` is added to its attempts: 1 as a worker begins what was handed on to it, -1 to
        give a try back that something else than the job put an end to.
        """
        ...

    async def pending_jobs(self) -> Mapping[JobKind, int]:
        """How many jobs of each kind are still to be done, leased ones included."""
        ...


class KeptAnswers(Protocol):
    """Answers kept under idempotency keys for routes other than turns (which keep their own)."""

    async def claim(
        self, scope: str, idempotency: Idempotency, *, lease_s: float, owner: str
    ) -> str | None:
        """Claim the key, or return the answer kept under it (JSON text).

        Returns None when the caller now holds the claim and must `keep` or `release` it; a claim
        that outlives `lease_s` falls to the next caller. `scope` is the tenant id or `admin`.
        `owner` is a token of this claim alone: who lost the claim can neither keep nor release.

        Raises:
            IdempotencyConflict: the key came with another body before.
            WrongState: another caller holds the claim right now.
            Erased: the answer was about a user who has been erased since.
        """
        ...

    async def keep(
        self,
        scope: str,
        idempotency: Idempotency,
        answer: str,
        *,
        owner: str,
        user_id: str | None = None,
        forgetting_state: str | None = None,
    ) -> None:
        """Keep the answer; `user_id` is whom it is about, whose forgetting and erasure strike it.

        Raises:
            ForgottenMeanwhile: its words were held against another state of forgetting.
        """
        ...

    async def release(self, scope: str, idempotency: Idempotency, *, owner: str) -> None: ...


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
