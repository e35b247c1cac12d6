"""Answers kept under idempotency keys, for 7 days, in the scope of tenant and route."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, select

from lightmem.adapters.ledger.database import KEPT_FOR, LedgerPart, insert_into
from lightmem.adapters.ledger.tables import idempotency
from lightmem.errors import IdempotencyConflict, LedgerUnavailable, WrongState
from lightmem.model import Idempotency

_MOST_ROUNDS = 5


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
    connection: Connection, scope: str, given: Idempotency, answer: str, *, owner: str | None = None
) -> None:
    """Keep an answer under a key that `owner` still holds; the first one stays."""
    held = _held_by(owner, scope, given)
    connection.execute(idempotency.update().where(held).values(answer=answer))


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
    is_same = (row.body_hash, row.user_id) == (claim.idempotency.body_hash, claim.user_id)
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

    async def keep(self, scope: str, idempotency: Idempotency, answer: str, *, owner: str) -> None:
        await self._database.write(
            lambda connection: keep_answer(connection, scope, idempotency, answer, owner=owner)
        )

    async def release(self, scope: str, idempotency: Idempotency, *, owner: str) -> None:
        await self._database.write(
            lambda connection: _give_back(connection, scope, idempotency, owner=owner)
        )


def _give_back(connection: Connection, scope: str, given: Idempotency, *, owner: str) -> None:
    connection.execute(idempotency.delete().where(_held_by(owner, scope, given)))
