"""Answers about users as a whole, the audit trail, and the look over all stores."""

from datetime import datetime
from typing import Any

from pydantic import Field

from lightmem.domain.audit import AuditEntry
from lightmem.model import Operation
from lightmem.upkeep import Check, Report
from lightmem_gateway.bodies import Body, Flag
from lightmem_gateway.views import View


class StoreView(View):
    """One store after an erasure; `remaining` was counted by reading it again."""

    store: str
    removed: int
    remaining: int


class ReceiptView(View):
    """That a user was erased. `digest` is the SHA-256 of the rest, as JSON with sorted names."""

    user_id: str
    erased_at: str
    stores: list[StoreView]
    digest: str

    @classmethod
    def of(cls, operation: Operation) -> "ReceiptView":
        """The receipt of an erasure that has ended."""
        return cls.model_validate(operation.result)


class UnderWayView(View):
    """Work that goes on; its operation has the result once it has ended."""

    operation_id: str
    status: str

    @classmethod
    def of(cls, operation: Operation) -> "UnderWayView":
        """The view of an operation that has not ended."""
        return cls(operation_id=operation.id, status=operation.status)


class ArrivedView(View):
    """How many lines of a type became something new, or told of what was there."""

    added: int
    present: int


class ArrivedMemoriesView(ArrivedView):
    """Memories: those in the same words as a known one joined it, some gave way to one."""

    merged: int
    superseded: int
    forgotten: int


class ArrivedTombstonesView(ArrivedView):
    """Tombstones: those of another user or installation mean nothing here."""

    not_carried: int


class ImportedView(View):
    """What came of an import. `learning` are operations that draw memories from bare turns."""

    is_same_user: bool
    sessions: ArrivedView
    turns: ArrivedView
    memories: ArrivedMemoriesView
    memory_versions: ArrivedView
    tombstones: ArrivedTombstonesView
    client_ids_dropped: int
    learning: list[str]
    notes: list[str]

    @classmethod
    def of(cls, operation: Operation) -> "ImportedView":
        """The result of an import that succeeded."""
        return cls.model_validate(operation.result)


class AuditView(View):
    """One change: who did what to which thing, chained to the change before it by SHA-256."""

    id: str
    at: datetime
    actor: str
    action: str
    target: str
    prev_hash: str
    hash: str

    @classmethod
    def of(cls, entry: AuditEntry) -> "AuditView":
        """The view of an entry."""
        names: dict[str, Any] = {name: getattr(entry, name) for name in cls.model_fields}
        return cls(**names)


class DoctorBody(Body):
    """What the doctor may do."""

    repair: Flag = Field(False, description="Mend what does not agree with the ledger.")


class CheckView(View):
    """One thing that was looked at."""

    name: str
    expected: int
    found: int
    repaired: int
    ok: bool

    @classmethod
    def of(cls, check: Check) -> "CheckView":
        """The view of a check."""
        return cls(
            name=check.name,
            expected=check.expected,
            found=check.found,
            repaired=check.repaired,
            ok=check.ok,
        )


class ReportView(View):
    """All that was looked at."""

    ok: bool
    checks: list[CheckView]

    @classmethod
    def of(cls, report: Report) -> "ReportView":
        """The view of a report."""
        return cls(ok=report.ok, checks=[CheckView.of(check) for check in report.checks])
