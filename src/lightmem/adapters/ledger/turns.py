"""Turns and sessions as they are read, and the way in for new ones."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    and_,
    bindparam,
    literal,
    or_,
    select,
    true,
    union_all,
)

from lightmem.adapters.ledger.appending import Append, append
from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor, page
from lightmem.adapters.ledger.database import LedgerPart, slices
from lightmem.adapters.ledger.deletion import delete_one_turn
from lightmem.adapters.ledger.rows import to_session, to_turn
from lightmem.adapters.ledger.tables import sessions, turns
from lightmem.errors import NotFound
from lightmem.model import AcceptedTurns, Gathering, Idempotency, NewTurn, Page, Session, Turn


class SqlTurns(LedgerPart):
    """What was said."""

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
        if idempotency is not None:
            await self._sweep_answers()
        now = self._clock.now()
        wish = Append(
            tenant_id,
            user_id,
            session_id,
            turns,
            actor,
            idempotency,
            now,
            gathering,
            forgetting_state,
        )
        return await self._database.write(lambda connection: append(connection, wish))

    async def get_turn(self, tenant_id: str, turn_id: str, *, user_id: str | None = None) -> Turn:
        theirs = and_(turns.c.tenant_id == tenant_id, turns.c.id == turn_id)
        if user_id is not None:
            theirs = and_(theirs, turns.c.user_id == user_id)
        wanted = select(turns).where(theirs)
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        if row is None:
            raise NotFound(f"no turn {turn_id!r}", turn_id=turn_id)
        return to_turn(row)

    async def get_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, neighbours: int = 0
    ) -> list[Turn]:
        rows = await self._database.read(
            lambda connection: _with_neighbours(
                connection, _of(tenant_id, user_id), turn_ids, neighbours
            )
        )
        return [to_turn(row) for row in sorted(rows, key=lambda row: (row.session_id, row.seq))]

    async def get_turns_around(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, places: int
    ) -> list[Turn]:
        wanted = _around_places(places)
        whose = {"tenant_id": tenant_id, "user_id": user_id}

        def read(connection: Connection) -> dict[str, Row[Any]]:
            pieces = [{**whose, "turn_ids": list(piece)} for piece in slices(turn_ids)]
            return {row.id: row for one in pieces for row in connection.execute(wanted, one)}

        rows = (await self._database.read(read)).values() if turn_ids else ()
        return [to_turn(row) for row in sorted(rows, key=lambda row: (row.session_id, row.seq))]

    async def list_turns(
        self,
        tenant_id: str,
        user_id: str,
        *,
        session_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Turn]:
        wanted = select(turns).where(_of(tenant_id, user_id))
        if session_id is not None:
            wanted = wanted.where(turns.c.session_id == session_id)
        if cursor is not None:
            (after,) = decode_cursor("turns", cursor, str)
            wanted = wanted.where(turns.c.id > after)
        wanted = wanted.order_by(turns.c.id).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(rows, limit, value=to_turn, cursor=lambda row: encode_cursor("turns", row.id))

    async def list_sessions(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Session]:
        wanted = select(sessions).where(
            sessions.c.tenant_id == tenant_id, sessions.c.user_id == user_id
        )
        if cursor is not None:
            wanted = wanted.where(_before(cursor))
        latest = (sessions.c.last_at.desc(), sessions.c.session_id.desc())
        wanted = wanted.order_by(*latest).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(
            rows,
            limit,
            value=to_session,
            cursor=lambda row: encode_cursor("sessions", row.last_at, row.session_id),
        )

    async def delete_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None, actor: str
    ) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: delete_one_turn(
                connection, tenant_id, turn_id, user_id=user_id, actor=actor, now=now
            )
        )
        await self._database.empty_log()


def _of(tenant_id: object, user_id: object) -> ColumnElement[bool]:
    return and_(turns.c.tenant_id == tenant_id, turns.c.user_id == user_id)


def _before(cursor: str) -> ColumnElement[bool]:
    last_at, session_id = decode_cursor("sessions", cursor, datetime, str)
    return or_(
        sessions.c.last_at < last_at,
        and_(sessions.c.last_at == last_at, sessions.c.session_id < session_id),
    )


@lru_cache
def _around_places(places: int) -> Select[Any]:
    """The turns at the places of others and so many places either side, in one statement.

    Made once: making it takes as long as answering it.
    """
    tenant_id, user_id = bindparam("tenant_id", type_=Text), bindparam("user_id", type_=Text)
    steps = union_all(*(select(literal(step).label("step")) for step in range(-places, places + 1)))
    step = steps.subquery("steps")
    asked = turns.alias("asked")
    near = (
        select(asked.c.session_id, (asked.c.seq + step.c.step).label("seq"))
        .select_from(asked.join(step, true()))
        .where(asked.c.tenant_id == tenant_id, asked.c.user_id == user_id)
        .where(asked.c.id.in_(bindparam("turn_ids", expanding=True)))
        .distinct()
        .subquery("near")
    )
    is_near = and_(turns.c.session_id == near.c.session_id, turns.c.seq == near.c.seq)
    return select(turns).join(near, is_near).where(_of(tenant_id, user_id))


def _with_neighbours(
    connection: Connection, theirs: ColumnElement[bool], turn_ids: Sequence[str], neighbours: int
) -> list[Row[Any]]:
    """The turns that exist, each once, with those around them."""
    found: dict[str, Row[Any]] = {}
    for ids in slices(list(dict.fromkeys(turn_ids))):
        wanted = select(turns).where(theirs, turns.c.id.in_(ids))
        found.update((row.id, row) for row in connection.execute(wanted))
    if neighbours > 0:
        for session_id, first, last in _runs(list(found.values()), neighbours):
            session = and_(theirs, turns.c.session_id == session_id)
            around = _around(connection, session, first, last, neighbours)
            found.update((row.id, row) for row in around)
    return list(found.values())


def _runs(rows: Sequence[Row[Any]], neighbours: int) -> Iterator[tuple[str, int, int]]:
    """(session, first seq, last seq) of turns so close that all between them are neighbours."""
    places = sorted((row.session_id, row.seq) for row in rows)
    start = 0
    for position in range(1, len(places) + 1):
        session_id, last = places[position - 1]
        if position < len(places):
            next_session_id, next_seq = places[position]
            if next_session_id == session_id and next_seq - last <= 2 * neighbours + 1:
                continue
        yield session_id, places[start][1], last
        start = position


def _around(
    connection: Connection,
    session: ColumnElement[bool],
    first: int,
    last: int,
    neighbours: int,
) -> Iterator[Row[Any]]:
    """The turns from `first` to `last` and `neighbours` either side, over deleted ones."""
    within = select(turns).where(session, turns.c.seq > first, turns.c.seq < last)
    before = select(turns).where(session, turns.c.seq < first).order_by(turns.c.seq.desc())
    after = select(turns).where(session, turns.c.seq > last).order_by(turns.c.seq)
    if last - first > 1:
        yield from connection.execute(within)
    yield from connection.execute(before.limit(neighbours))
    yield from connection.execute(after.limit(neighbours))
