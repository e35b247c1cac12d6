"""Dreams in the ledger: asked for, planned, applied, undone, each in one transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor
from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.dream_basis import promoted_among, read_basis
from lightmem.adapters.ledger.dream_deciding import Deciding, commit_plan, fail
from lightmem.adapters.ledger.dream_due import due_dreams
from lightmem.adapters.ledger.dream_reading import find_dream, load_dream, with_steps
from lightmem.adapters.ledger.dream_rows import to_claim
from lightmem.adapters.ledger.dream_wishing import request
from lightmem.adapters.ledger.tables import dream_steps, dreams
from lightmem.adapters.ledger.whose import lock_user
from lightmem.model import (
    Dream,
    DreamAction,
    DreamBasis,
    DreamPlan,
    DreamStatus,
    DueDream,
    Page,
    Promotion,
)
from lightmem.ports.dreams import DreamTimes, DreamWish


class SqlDreams(LedgerPart):
    """What was dreamt."""

    async def request_dream(
        self, tenant_id: str, user_id: str, wish: DreamWish, *, actor: str
    ) -> Dream | None:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: request(connection, tenant_id, user_id, wish, actor=actor, now=now)
        )

    async def get_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None = None
    ) -> Dream:
        return await self._database.read(
            lambda connection: load_dream(connection, tenant_id, dream_id, user_id=user_id)
        )

    async def list_dreams(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Dream]:
        return await self._database.read(
            lambda connection: _page(connection, tenant_id, user_id, limit=limit, cursor=cursor)
        )

    async def claim_dreaming(
        self, tenant_id: str, user_id: str, dream_id: str, *, lease_s: float
    ) -> bool:
        now = self._clock.now()
        until = now + timedelta(seconds=lease_s)
        return await self._database.write(
            lambda connection: _claim(
                connection, tenant_id, user_id, dream_id, now=now, until=until
            )
        )

    async def dream_basis(
        self,
        tenant_id: str,
        user_id: str,
        dream_id: str,
        *,
        limit: int,
        pressed_from: int,
        unused_for: timedelta,
    ) -> DreamBasis:
        unused_before = self._clock.now() - unused_for
        return await self._database.read(
            lambda connection: read_basis(
                connection,
                find_dream(connection, tenant_id, dream_id, user_id=user_id),
                limit=limit,
                pressed_from=pressed_from,
                unused_before=unused_before,
            )
        )

    async def promoted_among(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> frozenset[str]:
        return await self._database.read(
            lambda connection: promoted_among(connection, tenant_id, user_id, memory_ids)
        )

    async def commit_plan(
        self, tenant_id: str, user_id: str, dream_id: str, plan: DreamPlan
    ) -> Dream:
        now = self._clock.now()
        return await self._database.write(
            lambda connection: commit_plan(
                connection, tenant_id, user_id, dream_id, plan=plan, now=now
            )
        )

    async def fail_dream(self, tenant_id: str, user_id: str, dream_id: str, reason: str) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: fail(
                connection, tenant_id, user_id, dream_id, reason=reason, now=now
            )
        )

    async def apply_dream(
        self,
        tenant_id: str,
        dream_id: str,
        *,
        step_ids: Sequence[str] | None,
        user_id: str | None,
        actor: str,
    ) -> Dream:
        deciding = Deciding(tenant_id, dream_id, user_id, actor, self._clock.now())
        return await self._database.write(
            lambda connection: deciding.apply(connection, step_ids=step_ids)
        )

    async def undo_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        deciding = Deciding(tenant_id, dream_id, user_id, actor, self._clock.now())
        return await self._database.write(deciding.undo)

    async def reject_dream(
        self, tenant_id: str, dream_id: str, *, user_id: str | None, actor: str
    ) -> Dream:
        deciding = Deciding(tenant_id, dream_id, user_id, actor, self._clock.now())
        return await self._database.write(deciding.reject)

    async def promotions(self, tenant_id: str, user_id: str) -> list[Promotion]:
        return await self._database.read(
            lambda connection: _promotions(connection, tenant_id, user_id)
        )

    async def due_dreams(self, times: DreamTimes, *, limit: int) -> list[DueDream]:
        now = self._clock.now()
        return await self._database.read(
            lambda connection: due_dreams(connection, times, limit=limit, now=now)
        )


def _page(
    connection: Connection, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
) -> Page[Dream]:
    wanted = select(dreams).where(dreams.c.tenant_id == tenant_id, dreams.c.user_id == user_id)
    if cursor is not None:
        (before,) = decode_cursor("dreams", cursor, str)
        wanted = wanted.where(dreams.c.id < before)
    rows = connection.execute(wanted.order_by(dreams.c.id.desc()).limit(limit + 1)).all()
    items = with_steps(connection, tenant_id, rows[:limit])
    more = len(rows) > limit and items
    return Page(items, encode_cursor("dreams", items[-1].id) if more else None)


def _claim(
    connection: Connection,
    tenant_id: str,
    user_id: str,
    dream_id: str,
    *,
    now: datetime,
    until: datetime,
) -> bool:
    lock_user(connection, tenant_id, user_id, now=now)
    find_dream(connection, tenant_id, dream_id, user_id=user_id)
    other = select(dreams.c.id).where(
        dreams.c.tenant_id == tenant_id,
        dreams.c.user_id == user_id,
        dreams.c.id != dream_id,
        dreams.c.status == DreamStatus.PLANNING.value,
        dreams.c.claimed_until > now,
    )
    if connection.execute(other).first() is not None:
        return False
    mine = dreams.update().where(dreams.c.tenant_id == tenant_id, dreams.c.id == dream_id)
    connection.execute(mine.values(claimed_until=until))
    return True


def _promotions(connection: Connection, tenant_id: str, user_id: str) -> list[Promotion]:
    query = (
        select(dream_steps.c.id, dream_steps.c.dream_id, dream_steps.c.claim, dreams.c.applied_at)
        .join(dreams, dreams.c.id == dream_steps.c.dream_id)
        .where(
            dream_steps.c.tenant_id == tenant_id,
            dream_steps.c.user_id == user_id,
            dream_steps.c.action == DreamAction.PROMOTE.value,
            dream_steps.c.is_applied,
        )
        .order_by(dream_steps.c.dream_id, dream_steps.c.position)
    )
    found: list[Promotion] = []
    for row in connection.execute(query):
        claim = to_claim(row.claim)
        if claim is not None:
            found.append(_promotion(row, claim))
    return found


def _promotion(row: Any, claim: Any) -> Promotion:
    return Promotion(row.id, row.dream_id, row.id, claim, row.applied_at)
