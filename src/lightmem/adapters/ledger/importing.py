"""All lines of an import made rows of its user, in one transaction, or none of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from lightmem.adapters.ledger.arriving import Arrival, insert
from lightmem.adapters.ledger.arriving_memories import ArrivingMemories
from lightmem.adapters.ledger.arriving_turns import ArrivingTurns
from lightmem.adapters.ledger.arriving_versions import ArrivingVersions
from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.operations import store_operation
from lightmem.adapters.ledger.outbox import BULK, NewJob, put_jobs
from lightmem.adapters.ledger.staging import finish_import, load_locked
from lightmem.adapters.ledger.tables import tombstones
from lightmem.adapters.ledger.tombstones import check_state, new_state
from lightmem.adapters.ledger.trail import record
from lightmem.domain.ids import new_id
from lightmem.domain.limits import MAX_TURNS_PER_CALL
from lightmem.domain.owners import Owner
from lightmem.domain.portable import TombstoneLine
from lightmem.errors import InvalidInput
from lightmem.model import (
    JobKind,
    Operation,
    OperationKind,
    OperationStatus,
    Outcome,
    TurnOutcome,
)

#: Who imports, in the audit trail; who asked for it is with the operation's beginning.
ACTOR = "import"


@dataclass(frozen=True, slots=True)
class _Wish:
    """Which import is to be done, for whom, and what its words were held against."""

    tenant_id: str
    operation_id: str
    owner: Owner
    forgetting_state: str | None
    now: datetime


class SqlImport(LedgerPart):
    """Ends imports."""

    async def commit_import(
        self, tenant_id: str, operation_id: str, *, owner: Owner, forgetting_state: str | None
    ) -> Operation:
        wish = _Wish(tenant_id, operation_id, owner, forgetting_state, self._clock.now())
        done = await self._database.write(
            lambda connection: _commit(connection, wish), timeout_s=None
        )
        # Lines that were refused must not stay in a log.
        await self._database.empty_log()
        return done


def _commit(connection: Connection, wish: _Wish) -> Operation:
    operation = load_locked(connection, wish.tenant_id, wish.operation_id, now=wish.now)
    if operation.status is not OperationStatus.RUNNING:
        return operation
    check_state(connection, wish.tenant_id, operation.user_id, wish.forgetting_state)
    try:
        with connection.begin_nested():
            result = _arrive(Arrival(connection, operation, wish.owner, wish.now))
    except InvalidInput as error:
        faults = [{"field": one.field, "message": one.message} for one in error.errors]
        failed = {"code": error.code, "errors": faults}
        return finish_import(connection, operation, OperationStatus.FAILED, failed, now=wish.now)
    done = finish_import(connection, operation, OperationStatus.SUCCEEDED, result, now=wish.now)
    record(
        connection,
        wish.tenant_id,
        at=wish.now,
        actor=ACTOR,
        action="user.imported",
        target=operation.id,
    )
    return done


def _arrive(arrival: Arrival) -> dict[str, Any]:
    """Make the rows, and tell what came of the lines."""
    arrival.open()
    arriving = ArrivingTurns(arrival)
    arriving.arrive()
    ArrivingVersions(arrival, ArrivingMemories(arrival).arrive()).arrive()
    _put_tombstones(arrival)
    learning = list(_learn_later(arrival, arriving.new_ids))
    return _result(arrival, learning)


def _put_tombstones(arrival: Arrival) -> None:
    """Let what was forgotten stay so; another owner's hashes are of no use here."""
    for piece in arrival.pieces("tombstone"):
        lines = [one.line for one in piece if isinstance(one.line, TombstoneLine)]
        if not arrival.is_own:
            arrival.count("tombstones_not_carried", len(lines))
            continue
        ids = {line.id: arrival.id_of(line.id) for line in lines}
        present = arrival.known(tombstones, list(ids.values()))
        arrival.count("tombstones_present", len(present))
        rows = [
            {
                **arrival.whose,
                "id": ids[line.id],
                "created_at": line.created_at,
                "reason": line.reason,
                "encoder_id": line.encoder_id,
                "forms": [form.model_dump() for form in line.forms],
            }
            for line in lines
            if ids[line.id] not in present
        ]
        insert(arrival.connection, tombstones, rows)
        arrival.count("tombstones", len(rows))
    if arrival.counts.get("tombstones"):
        new_state(arrival.connection, **arrival.whose)


def _learn_later(arrival: Arrival, turn_ids: Sequence[str]) -> Iterator[str]:
    """Leave the turns of an import that brings no memories to the Writer; the operations' ids."""
    if any(arrival.counts.get(name) for name in ("memories", "memories_present")):
        return
    if arrival.counts.get("memories_merged"):
        return
    for some in slices(turn_ids, MAX_TURNS_PER_CALL):
        operation = Operation(
            id=new_id(),
            tenant_id=arrival.operation.tenant_id,
            user_id=arrival.operation.user_id,
            kind=OperationKind.WRITE,
            status=OperationStatus.PENDING,
            outcomes=[TurnOutcome(turn_id, Outcome.PENDING) for turn_id in some],
            created_at=arrival.now,
        )
        store_operation(arrival.connection, operation)
        job = NewJob(JobKind.WRITE, {"operation_id": operation.id}, priority=BULK)
        put_jobs(arrival.connection, **arrival.whose, jobs=[job], now=arrival.now)
        yield operation.id


def _result(arrival: Arrival, learning: Sequence[str]) -> dict[str, Any]:
    counts = arrival.counts.get
    notes = []
    if lost := counts("tombstones_not_carried", 0):
        notes.append(
            f"{lost} tombstones were not carried over: they are keyed to the user and the "
            "installation that they came from, so that those values may be learnt again here"
        )
    return {
        "is_same_user": arrival.is_own,
        **{
            name: {"added": counts(name, 0), "present": counts(f"{name}_present", 0)}
            for name in ("sessions", "turns", "memory_versions")
        },
        "memories": {
            name: counts(f"memories_{name}" if name != "added" else "memories", 0)
            for name in ("added", "present", "merged", "superseded", "forgotten")
        },
        "tombstones": {
            "added": counts("tombstones", 0),
            "present": counts("tombstones_present", 0),
            "not_carried": lost,
        },
        "client_ids_dropped": counts("client_ids_dropped", 0),
        "learning": list(learning),
        "notes": notes,
    }
