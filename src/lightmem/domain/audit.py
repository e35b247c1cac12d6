"""The audit trail: entries of one tenant in a chain that shows when one was changed or left out."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

#: What the first entry of a chain follows.
GENESIS = "0" * 64

#: The chain of what concerns no tenant, or one that is gone.
INSTALLATION = "admin"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change: who did what to which thing. Ids only, never a user's words.

    `seq` counts from 1 within the tenant; `hash` covers all other fields and `prev_hash`.
    """

    id: str
    tenant_id: str
    seq: int
    at: datetime
    actor: str
    action: str
    target: str
    prev_hash: str
    hash: str


def seal(
    *,
    id: str,
    tenant_id: str,
    seq: int,
    at: datetime,
    actor: str,
    action: str,
    target: str,
    prev_hash: str,
) -> AuditEntry:
    """The entry with its hash: SHA-256 of its fields as a JSON array, in hex."""
    moment = at.astimezone(UTC)
    fields = [id, tenant_id, seq, _text(moment), actor, action, target, prev_hash]
    digest = sha256(json.dumps(fields, separators=(",", ":")).encode()).hexdigest()
    return AuditEntry(id, tenant_id, seq, moment, actor, action, target, prev_hash, digest)


def first_break(entries: Iterable[AuditEntry]) -> AuditEntry | None:
    """The first entry, of a chain in order from its beginning, that does not fit; None: all do."""
    broken, _ = chain_end(entries)
    return broken


def chain_end(
    entries: Iterable[AuditEntry], *, after: AuditEntry | None = None
) -> tuple[AuditEntry | None, AuditEntry | None]:
    """The first entry that does not fit, and the last that does; to go on with `after` that.

    Args:
        after: The entry that these follow; None: the chain begins with them.
    """
    for entry in entries:
        expected = seal(
            id=entry.id,
            tenant_id=entry.tenant_id,
            seq=after.seq + 1 if after else 1,
            at=entry.at,
            actor=entry.actor,
            action=entry.action,
            target=entry.target,
            prev_hash=after.hash if after else GENESIS,
        )
        if entry != expected:
            return entry, after
        after = entry
    return None, after


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
