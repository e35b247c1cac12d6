"""Tombstones of forgotten values, and the state of forgetting that words are held against."""

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, Table, and_, or_, select

from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor, page
from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.tables import tombstones, users
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import lock_user
from lightmem.domain.ids import new_id
from lightmem.errors import ForgottenMeanwhile, NotFound
from lightmem.model import Form, Page, Tombstone, Tombstones

_FLOATS = np.dtype("<f4")


def read_state(connection: Connection, tenant_id: str, user_id: str) -> str | None:
    """The user's state of forgetting; of one whose lock is held it does not change."""
    state = select(users.c.forgetting_state).where(_of(users, tenant_id, user_id))
    found = connection.execute(state).scalar_one_or_none()
    return None if found is None else str(found)


def check_state(connection: Connection, tenant_id: str, user_id: str, state: str | None) -> None:
    """Raise `ForgottenMeanwhile` for words that were held against another state.

    The caller holds the user's lock.
    """
    if read_state(connection, tenant_id, user_id) != state:
        raise _forgotten_meanwhile()


def hold_state(connection: Connection, tenant_id: str, user_id: str, state: str | None) -> None:
    """As `check_state` for who does not hold the user's lock; the state stays until we commit."""
    row = select(users.c.forgetting_state).where(_of(users, tenant_id, user_id))
    held = connection.execute(row.with_for_update(read=True)).scalar_one_or_none()
    if held != state:
        raise _forgotten_meanwhile()


def new_state(connection: Connection, tenant_id: str, user_id: str) -> None:
    """Say that the user's tombstones changed; the caller holds the user's lock."""
    change = users.update().where(_of(users, tenant_id, user_id))
    connection.execute(change.values(forgetting_state=new_id()))


def put_tombstones(connection: Connection, made: Sequence[Tombstone]) -> None:
    """Insert tombstones."""
    if made:
        connection.execute(tombstones.insert(), [from_tombstone(one) for one in made])


class SqlTombstones(LedgerPart):
    """Reads and lifts tombstones."""

    async def forgetting_state(self, tenant_id: str, user_id: str) -> str | None:
        return await self._database.read(
            lambda connection: read_state(connection, tenant_id, user_id)
        )

    async def tombstones(self, tenant_id: str, user_id: str) -> Tombstones:
        return await self._database.read(lambda connection: _all(connection, tenant_id, user_id))

    async def list_tombstones(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Tombstone]:
        wanted = select(tombstones).where(_of(tombstones, tenant_id, user_id))
        if cursor is not None:
            wanted = wanted.where(_before(cursor))
        latest = (tombstones.c.created_at.desc(), tombstones.c.id.desc())
        wanted = wanted.order_by(*latest).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(
            rows,
            limit,
            value=to_tombstone,
            cursor=lambda row: encode_cursor("tombstones", row.created_at, row.id),
        )

    async def get_tombstone(self, tenant_id: str, user_id: str, tombstone_id: str) -> Tombstone:
        wanted = select(tombstones).where(_one(tenant_id, user_id, tombstone_id))
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        if row is None:
            raise _no_tombstone(tombstone_id)
        return to_tombstone(row)

    async def lift_tombstone(
        self, tenant_id: str, user_id: str, tombstone_id: str, *, actor: str
    ) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: _lift(
                connection, _one(tenant_id, user_id, tombstone_id), actor=actor, now=now
            )
        )


def _all(connection: Connection, tenant_id: str, user_id: str) -> Tombstones:
    wanted = select(tombstones).where(_of(tombstones, tenant_id, user_id))
    rows = connection.execute(wanted.order_by(tombstones.c.id))
    items = [to_tombstone(row) for row in rows]
    return Tombstones(read_state(connection, tenant_id, user_id), items)


def _lift(connection: Connection, one: ColumnElement[bool], *, actor: str, now: datetime) -> None:
    row = connection.execute(select(tombstones).where(one)).first()
    if row is None:
        raise NotFound("no such tombstone")
    lock_user(connection, row.tenant_id, row.user_id, now=now)
    if not connection.execute(tombstones.delete().where(one)).rowcount:
        raise _no_tombstone(row.id)
    new_state(connection, row.tenant_id, row.user_id)
    record(connection, row.tenant_id, at=now, actor=actor, action="tombstone.lift", target=row.id)


def _of(table: Table, tenant_id: str, user_id: str) -> ColumnElement[bool]:
    return and_(table.c.tenant_id == tenant_id, table.c.user_id == user_id)


def _one(tenant_id: str, user_id: str, tombstone_id: str) -> ColumnElement[bool]:
    return and_(_of(tombstones, tenant_id, user_id), tombstones.c.id == tombstone_id)


def _before(cursor: str) -> ColumnElement[bool]:
    created_at, tombstone_id = decode_cursor("tombstones", cursor, datetime, str)
    return or_(
        tombstones.c.created_at < created_at,
        and_(tombstones.c.created_at == created_at, tombstones.c.id < tombstone_id),
    )


def _forgotten_meanwhile() -> ForgottenMeanwhile:
    return ForgottenMeanwhile("something was forgotten, or may be learnt again, meanwhile")


def _no_tombstone(tombstone_id: str) -> NotFound:
    return NotFound(f"no tombstone {tombstone_id!r}", tombstone_id=tombstone_id)


# --- rows -------------------------------------------------------------------------------------


def to_tombstone(row: Row[Any]) -> Tombstone:
    """The tombstone of a row."""
    return Tombstone(
        id=row.id,
        tenant_id=row.tenant_id,
        user_id=row.user_id,
        created_at=row.created_at,
        reason=row.reason,
        encoder_id=row.encoder_id,
        forms=tuple(to_form(form) for form in row.forms),
    )


def from_tombstone(tombstone: Tombstone) -> dict[str, Any]:
    """The row of a tombstone."""
    return {
        "id": tombstone.id,
        "tenant_id": tombstone.tenant_id,
        "user_id": tombstone.user_id,
        "created_at": tombstone.created_at,
        "reason": tombstone.reason,
        "encoder_id": tombstone.encoder_id,
        "forms": [from_form(form) for form in tombstone.forms],
    }


def to_form(kept: Mapping[str, Any]) -> Form:
    """A form as it was kept."""
    vector = np.frombuffer(base64.b64decode(kept["vector"]), _FLOATS)
    return Form(
        length=kept["length"],
        whole=kept["whole"],
        words=tuple(kept["words"]),
        values=tuple(kept["values"]),
        telling=tuple(kept["telling"]),
        vector=vector.tolist(),
        has_number=kept["has_number"],
        is_spaced=kept["is_spaced"],
    )


def from_form(form: Form) -> dict[str, Any]:
    """A form as JSON; its vector as the base64 of 32-bit floats."""
    vector = np.asarray(form.vector, _FLOATS).tobytes()
    return {
        "length": form.length,
        "whole": form.whole,
        "words": list(form.words),
        "values": list(form.values),
        "telling": list(form.telling),
        "has_number": form.has_number,
        "is_spaced": form.is_spaced,
        "vector": base64.b64encode(vector).decode("ascii"),
    }
