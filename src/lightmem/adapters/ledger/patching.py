"""A memory corrected by its owner: the next version, the one before it kept in the history."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.claiming import claimed_key, told_in
from lightmem.adapters.ledger.outbox import NewJob, put_jobs
from lightmem.adapters.ledger.remembering import change_memory, load_memories, memories_of
from lightmem.adapters.ledger.tables import memories, memory_versions
from lightmem.adapters.ledger.tombstones import check_state
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.errors import AttributeTaken, Conflict, NotFound, VersionConflict
from lightmem.model import JobKind, Memory, MemoryPatch, MemoryStatus


def patch(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    change: MemoryPatch,
    *,
    state: str | None,
    actor: str,
    now: datetime,
) -> Memory:
    """Store the next version; see `ForgettingLedger.patch_memory`."""
    memory_id = change.before.id
    lock_user(connection, tenant_id, user_id, now=now)
    check_state(connection, tenant_id, user_id, state)
    found = load_memories(connection, tenant_id, [memory_id], user_id=user_id)
    if not found:
        raise NotFound(f"no memory {memory_id!r}", memory_id=memory_id)
    if found[0].version != change.before.version:
        raise VersionConflict(f"memory {memory_id!r} changed", memory_id=memory_id)
    _check_alone(connection, found[0], change.fingerprint)
    # What was known until now ends where the new version begins.
    last = memory_versions.update().filter_by(memory_id=memory_id, version=found[0].version)
    connection.execute(last.values(superseded_at=now))
    row = memories.update().where(memories.c.id == memory_id)
    connection.execute(row.values(fingerprint=change.fingerprint))
    if change.after.text != found[0].text:
        connection.execute(row.values(attribute_key=_claimed(connection, found[0], change.after)))
    said = change.after
    stored = change_memory(
        connection,
        replace(
            found[0],
            kind=said.kind,
            text=said.text,
            language=said.language,
            entities=said.entities,
            valid_from=said.valid_from,
            valid_to=said.valid_to,
            valid_precision=said.valid_precision,
            recorded_at=now,
        ),
    )
    job = NewJob(JobKind.INDEX_MEMORIES, {"memory_ids": [memory_id]})
    put_jobs(connection, tenant_id, user_id, [job], now=now)
    record(connection, tenant_id, at=now, actor=actor, action="memory.patch", target=memory_id)
    return stored


def _claimed(connection: Connection, memory: Memory, after: Memory) -> str | None:
    """The attribute that the new words claim.

    Raises:
        AttributeTaken: another active memory says of it: it is for the owner to tell which of
            the two he means, as no turn does.
    """
    whose = (memory.tenant_id, memory.user_id)
    first = [source.turn_id for source in memory.sources[:1]]
    told = told_in(connection, *whose, first)
    key = claimed_key(after.text, after.language, told.get(first[0]) if first else None)
    if key is None:
        return None
    holders = select(memories.c.id).where(
        memories_of(*whose),
        memories.c.attribute_key == key,
        memories.c.status == MemoryStatus.ACTIVE.value,
        memories.c.id != memory.id,
    )
    holder = connection.execute(holders).scalar_one_or_none()
    if holder is not None:
        raise AttributeTaken(f"memory {holder!r} says what holds of this", memory_id=holder)
    return key


def _check_alone(connection: Connection, memory: Memory, fingerprint: str) -> None:
    """Raise where another active memory says the same: of the same words there is one."""
    same = select(memories.c.id).where(
        memories_of(memory.tenant_id, memory.user_id),
        memories.c.fingerprint == fingerprint,
        memories.c.status == MemoryStatus.ACTIVE.value,
        memories.c.id != memory.id,
    )
    other = connection.execute(same).scalar_one_or_none()
    if other is not None:
        raise Conflict(f"memory {other!r} says the same", memory_id=other)
