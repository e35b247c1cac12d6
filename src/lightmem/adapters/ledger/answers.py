"""Answers kept under idempotency keys, for 7 days, in the scope of tenant and route."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, or_, select

from lightmem.adapters.ledger.database import KEPT_FOR, LedgerPart, insert_into
from lightmem.adapters.ledger.tables import idempotency, operations
from lightmem.adapters.ledger.tombstones import hold_state
from lightmem.errors import Erased, IdempotencyConflict, LedgerUnavailable, WrongState
from lightmem.model import Idempotency, OperationKind

_MOST_ROUNDS = 5

#: In the place of an answer about a user who has been erased, of whom nothing else is kept.
ERASED = '"ERASED"'
_STRUCK = {"answer": ERASED, "user_id": None, "body_hash": ""}


@dataclass(frozen=True, slots=True)
class Claim:
    """A wish to answer under a key: whose, which, and until when nobody else may."""

    scope: str
    idempotency: Idempotency
    now: datetime
    until: datetime
    user_id: str | None = None
    owner: str | None = None

    @property
    def row(self) -> ColumnElement[bool]:
        """The row of the key."""
        return key_of(self.scope, self.idempotency)


def key_of(scope: str, given: Idempotency) -> ColumnElement[bool]:
    """The row of a key within its scope."""
    return and_(
        idempotency.c.tenant_id == scope,
        idempotency.c.route == given.route,
        idempotency.c.key == given.key,
    )


def claim_key(connection: Connection, claim: Claim) -> str | None:
    """Take the key, or return the answer kept under it.

    Of two at once the second waits in the database until the first has committed or given up.
    """
    for _ in range(_MOST_ROUNDS):
        if _insert(connection, claim):
            return None
        row = connection.execute(
            select(idempotency).where(claim.row).with_for_update()
        ).one_or_none()
        if row is not None:
            return _answer_or_take_over(connection, claim, row)
        # Given back between the two statements: it is free again.
    raise LedgerUnavailable("the idempotency key changes hands too often")


def keep_answer(
    connection: Connection,
    scope: str,
    given: Idempotency,
    answer: str,
    *,
    owner: str | None = None,
    user_id: str | None = None,
) -> None:
    """Keep an answer under a key that `owner` still holds; the first one stays.

    Args:
        user_id: Whom the answer is about; it is struck when they are erased, and is not kept if
            they were since the key was claimed. None: as the claim says.
    """
    held = _held_by(owner, scope, given)
    values: dict[str, Any] = {"answer": answer}
    if user_id is not None:
        values["user_id"] = user_id
        if _erased_since_claim(connection, held, scope, user_id):
            values = dict(_STRUCK)
    connection.execute(idempotency.update().where(held).values(values))


def strike_answers(
    connection: Connection, tenant_id: str, user_id: str, *, until: datetime | None = None
) -> None:
    """Let no answer about a user be given again; the caller holds their lock.

    Args:
        until: Strike what was asked for until then, except answers that were kept together with
            what they tell of: such a one, when the user's rows are gone, is about who began anew.
    """
    about = and_(
        idempotency.c.tenant_id == tenant_id,
        idempotency.c.user_id == user_id,
        idempotency.c.answer.is_not(None),
    )
    if until is not None:
        about = and_(about, idempotency.c.owner.is_not(None), idempotency.c.created_at <= until)
    connection.execute(idempotency.update().where(about).values(_STRUCK))


def _erased_since_claim(
    connection: Connection, held: ColumnElement[bool], tenant_id: str, user_id: str
) -> bool:
    """Whether an erasure of the user has ended since, or has not ended yet."""
    claimed_at = connection.execute(select(idempotency.c.created_at).where(held)).scalar()
    erasures = select(operations.c.id).where(
        operations.c.tenant_id == tenant_id,
        operations.c.user_id == user_id,
        operations.c.kind == OperationKind.ERASE.value,
        or_(operations.c.finished_at.is_(None), operations.c.finished_at >= claimed_at),
    )
    return claimed_at is not None and connection.execute(erasures.limit(1)).first() is not None


def _held_by(owner: str | None, scope: str, given: Idempotency) -> ColumnElement[bool]:
    """The row of a key that has no answer yet and is this owner's to answer."""
    return and_(
        key_of(scope, given),
        idempotency.c.answer.is_(None),
        idempotency.c.owner.is_not_distinct_from(owner),
    )


def _insert(connection: Connection, claim: Claim) -> bool:
    statement = insert_into(connection, idempotency).values(
        tenant_id=claim.scope,
        route=claim.idempotency.route,
        key=claim.idempotency.key,
        **_fresh(claim),
    )
    inserted = statement.on_conflict_do_nothing().returning(idempotency.c.key)
    return connection.execute(inserted).one_or_none() is not None


def _answer_or_take_over(connection: Connection, claim: Claim, row: Row[Any]) -> str | None:
    is_over = row.created_at <= claim.now - KEPT_FOR
    if not is_over and row.answer == ERASED:
        raise Erased("the answer under this idempotency key was about a user who has been erased")
    is_theirs = claim.user_id is None or row.user_id == claim.user_id
    is_same = is_theirs and row.body_hash == claim.idempotency.body_hash
    if not is_over and not is_same:
        raise IdempotencyConflict("the idempotency key came with another body before")
    if not is_over and row.answer is not None:
        return str(row.answer)
    if not is_over and row.claimed_until > claim.now:
        raise WrongState("a request with this idempotency key is being answered")
    connection.execute(idempotency.update().where(claim.row).values(**_fresh(claim)))
    return None


def _fresh(claim: Claim) -> dict[str, Any]:
    return {
        "user_id": claim.user_id,
        "body_hash": claim.idempotency.body_hash,
        "answer": None,
        "claimed_until": claim.until,
        "owner": claim.owner,
        "created_at": claim.now,
    }


class SqlKeptAnswers(LedgerPart):
    """Claims that outlive a transaction, for routes that do not write turns."""

    async def claim(
        self, scope: str, idempotency: Idempotency, *, lease_s: float, owner: str
    ) -> str | None:
        await self._sweep_answers()
        now = self._clock.now()
        claim = Claim(scope, idempotency, now, now + timedelta(seconds=lease_s), owner=owner)
        return await self._database.write(lambda connection: claim_key(connection, claim))

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
        def keep(connection: Connection) -> None:
            if user_id is not None:
                hold_state(connection, scope, user_id, forgetting_state)
            keep_answer(connection, scope, idempotency, answer, owner=owner, user_id=user_id)

        await self._database.write(keep)

    async def release(self, scope: str, idempotency: Idempotency, *, owner: str) -> None:
        await self._database.write(
            lambda connection: _give_back(connection, scope, idempotency, owner=owner)
        )


def _give_back(connection: Connection, scope: str, given: Idempotency, *, owner: str) -> None:
    connection.execute(idempotency.delete().where(_held_by(owner, scope, given)))
