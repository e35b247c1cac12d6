"""One transaction that makes turns durable, with all that has to follow them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from lightmem.adapters.ledger.answers import Claim, claim_key, keep_answer
from lightmem.adapters.ledger.gathering import Waiting, write_job
from lightmem.adapters.ledger.operations import (
    as_answered_first,
    load_operation,
    store_operation,
)
from lightmem.adapters.ledger.outbox import BULK, LIVE, NewJob, put_jobs
from lightmem.adapters.ledger.rows import from_turn
from lightmem.adapters.ledger.tables import sessions, turns
from lightmem.adapters.ledger.tombstones import check_state
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.forgetting import says_nothing
from lightmem.domain.ids import new_id
from lightmem.domain.limits import check_aware, check_id
from lightmem.model import (
    AcceptedTurns,
    Gathering,
    Idempotency,
    JobKind,
    NewTurn,
    Operation,
    OperationKind,
    OperationStatus,
    Outcome,
    Role,
    Turn,
    TurnOutcome,
)

#: The caller indexes the turns at once; the job is for when it could not.
INDEX_DELAY_S = 5.0
CLIENT_ID_CONFLICT = "CLIENT_ID_CONFLICT"
#: Why a turn that said forgotten values and nothing else is not stored.
FORGOTTEN = "FORGOTTEN"


@dataclass(frozen=True, slots=True)
class Append:
    """What is to be appended, for whom, and when."""

    tenant_id: str
    user_id: str
    session_id: str
    turns: Sequence[NewTurn]
    actor: str
    idempotency: Idempotency | None
    now: datetime
    gathering: Gathering | None = None
    forgetting_state: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """What makes two turns of one client id the same."""

    turn_id: str
    words: tuple[str, str, str | None]


def append(connection: Connection, wish: Append) -> AcceptedTurns:
    """Store the turns, or give again the answer kept under their idempotency key."""
    check_id("user_id", wish.user_id)
    check_id("session_id", wish.session_id)
    if wish.idempotency is not None:
        claim = Claim(wish.tenant_id, wish.idempotency, wish.now, wish.now, wish.user_id)
        kept = claim_key(connection, claim)
        if kept is not None:
            return _answer_again(connection, wish, kept)
    lock_user(connection, wish.tenant_id, wish.user_id, now=wish.now)
    check_state(connection, wish.tenant_id, wish.user_id, wish.forgetting_state)
    session = _session(connection, wish)
    placed, results = _place(connection, wish, last_seq=session.last_seq if session else 0)
    if placed:
        _count(connection, wish, placed, session)
        connection.execute(turns.insert(), [from_turn(turn) for turn in placed])
    new = [turn for turn in placed if not says_nothing(turn.content)]
    operation = _operation(wish, results)
    store_operation(connection, operation)
    index_job_id = _put_jobs(connection, wish, operation, new)
    if wish.idempotency is not None:
        answer = json.dumps({"operation_id": operation.id, "status": operation.status.value})
        keep_answer(connection, wish.tenant_id, wish.idempotency, answer)
    record(
        connection,
        wish.tenant_id,
        at=wish.now,
        actor=wish.actor,
        action="turns.append",
        target=operation.id,
    )
    return AcceptedTurns(operation, [each.turn_id for each in results], new, index_job_id)


def _answer_again(connection: Connection, wish: Append, kept: str) -> AcceptedTurns:
    answer = json.loads(kept)
    operation = load_operation(
        connection, wish.tenant_id, answer["operation_id"], user_id=wish.user_id
    )
    first = as_answered_first(operation, answer["status"])
    return AcceptedTurns(first, [each.turn_id for each in operation.outcomes], [], None)


def _session(connection: Connection, wish: Append) -> Row[Any] | None:
    return connection.execute(
        select(sessions).where(
            sessions.c.tenant_id == wish.tenant_id,
            sessions.c.user_id == wish.user_id,
            sessions.c.session_id == wish.session_id,
        )
    ).one_or_none()


def _place(
    connection: Connection, wish: Append, *, last_seq: int
) -> tuple[list[Turn], list[TurnOutcome]]:
    """The turns to store, and one outcome per given turn."""
    known = _known_client_ids(connection, wish)
    new: list[Turn] = []
    results: list[TurnOutcome] = []
    for given in wish.turns:
        turn_id = new_id()
        words = (given.content, given.role.value, given.speaker)
        first = known.get(given.client_id) if given.client_id is not None else None
        if first is not None and first.words == words:
            results.append(TurnOutcome(first.turn_id, Outcome.DUPLICATE))
        elif first is not None:
            results.append(TurnOutcome(turn_id, Outcome.REJECTED, (), CLIENT_ID_CONFLICT))
        else:
            new.append(_turn(wish, given, turn_id=turn_id, seq=last_seq + len(new) + 1))
            results.append(_begun(turn_id, given))
            if given.client_id is not None:
                known[given.client_id] = _Said(turn_id, words)
    return new, results


def _begun(turn_id: str, given: NewTurn) -> TurnOutcome:
    """The outcome of a turn as it is stored; one that only said what was forgotten has ended."""
    if says_nothing(given.content):
        return TurnOutcome(turn_id, Outcome.REJECTED, (), FORGOTTEN)
    ended = Outcome.NO_FACTS if given.role is Role.SYSTEM else Outcome.PENDING
    return TurnOutcome(turn_id, ended)


def _known_client_ids(connection: Connection, wish: Append) -> dict[str, _Said]:
    """What was said before under the client ids given; theirs is the user's whole history."""
    given = {turn.client_id for turn in wish.turns if turn.client_id is not None}
    if not given:
        return {}
    columns = (turns.c.client_id, turns.c.id, turns.c.content, turns.c.role, turns.c.speaker)
    rows = connection.execute(
        select(*columns).where(
            turns.c.tenant_id == wish.tenant_id,
            turns.c.user_id == wish.user_id,
            turns.c.client_id.in_(given),
        )
    )
    return {row.client_id: _Said(row.id, (row.content, row.role, row.speaker)) for row in rows}


def _turn(wish: Append, given: NewTurn, *, turn_id: str, seq: int) -> Turn:
    check_aware("occurred_at", given.occurred_at)
    return Turn(
        id=turn_id,
        tenant_id=wish.tenant_id,
        user_id=wish.user_id,
        session_id=wish.session_id,
        seq=seq,
        role=given.role,
        content=given.content,
        occurred_at=given.occurred_at.astimezone(UTC),
        recorded_at=wish.now,
        client_id=given.client_id,
        speaker=given.speaker,
        metadata=given.metadata,
        utc_offset_minutes=given.utc_offset_minutes,
    )


def _count(
    connection: Connection, wish: Append, new: Sequence[Turn], session: Row[Any] | None
) -> None:
    """Write down how far the session has come; its row is the user's to change, see `lock_user`."""
    times = [turn.occurred_at for turn in new]
    values = {
        "first_at": min([*times, session.first_at] if session else times),
        "last_at": max([*times, session.last_at] if session else times),
        "turns": len(new) + (session.turns if session else 0),
        "last_seq": new[-1].seq,
    }
    whose = {
        "tenant_id": wish.tenant_id,
        "user_id": wish.user_id,
        "session_id": wish.session_id,
    }
    if session is None:
        connection.execute(sessions.insert(), {**whose, **values})
    else:
        connection.execute(sessions.update().filter_by(**whose).values(values))


def _operation(wish: Append, results: Sequence[TurnOutcome]) -> Operation:
    is_pending = any(each.outcome is Outcome.PENDING for each in results)
    return Operation(
        id=new_id(),
        tenant_id=wish.tenant_id,
        user_id=wish.user_id,
        kind=OperationKind.WRITE,
        status=OperationStatus.PENDING if is_pending else OperationStatus.SUCCEEDED,
        outcomes=tuple(results),
        created_at=wish.now,
        finished_at=None if is_pending else wish.now,
    )


def _put_jobs(
    connection: Connection, wish: Append, operation: Operation, new: Sequence[Turn]
) -> str | None:
    """Put what must follow in the outbox; returns the id of the INDEX_TURNS job, if any.

    There is nothing to write where no turn is pending, as with system turns alone.
    """
    if not new:
        return None
    ids = [turn.id for turn in new]
    is_bulk = wish.gathering is not None and wish.gathering.is_bulk
    priority = BULK if is_bulk else LIVE
    index = NewJob(JobKind.INDEX_TURNS, {"turn_ids": ids}, delay_s=INDEX_DELAY_S, priority=priority)
    jobs = [index]
    if operation.status is OperationStatus.PENDING:
        jobs.append(write_job(connection, _waiting(wish, operation, new)))
    return put_jobs(connection, wish.tenant_id, wish.user_id, jobs, now=wish.now)[0]


def _waiting(wish: Append, operation: Operation, new: Sequence[Turn]) -> Waiting:
    return Waiting(
        tenant_id=wish.tenant_id,
        user_id=wish.user_id,
        session_id=wish.session_id,
        operation_id=operation.id,
        size_bytes=sum(len(turn.content.encode()) for turn in new),
        gathering=wish.gathering,
        now=wish.now,
    )
