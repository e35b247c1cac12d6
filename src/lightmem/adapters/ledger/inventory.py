"""Everybody, and the work under way for each."""

from datetime import timedelta

from sqlalchemy import and_, func, or_, select

from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.tables import outbox, users
from lightmem.model import JobKind

_LISTS = {
    JobKind.INDEX_TURNS.value: "turn_ids",
    JobKind.INDEX_MEMORIES.value: "memory_ids",
    JobKind.DELETE_POINTS.value: "ids",
}


class SqlInventory(LedgerPart):
    """Reads for a look over the whole system."""

    async def list_users(
        self, *, after: tuple[str, str] | None, limit: int
    ) -> list[tuple[str, str]]:
        wanted = select(users.c.tenant_id, users.c.user_id)
        if after is not None:
            tenant_id, user_id = after
            beyond = and_(users.c.tenant_id == tenant_id, users.c.user_id > user_id)
            wanted = wanted.where(or_(users.c.tenant_id > tenant_id, beyond))
        wanted = wanted.order_by(users.c.tenant_id, users.c.user_id).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [(row.tenant_id, row.user_id) for row in rows]

    async def has_user(self, tenant_id: str, user_id: str) -> bool:
        wanted = select(users.c.user_id).filter_by(tenant_id=tenant_id, user_id=user_id)
        found = await self._database.read(lambda connection: connection.execute(wanted).first())
        return found is not None

    async def ids_under_way(self, tenant_id: str, user_id: str) -> set[str]:
        wanted = (
            select(outbox.c.kind, outbox.c.payload)
            .filter_by(tenant_id=tenant_id, user_id=user_id)
            .where(outbox.c.kind.in_(_LISTS))
        )
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return {id for row in rows for id in row.payload[_LISTS[row.kind]]}

    async def is_promoting(self, tenant_id: str, user_id: str) -> bool:
        wanted = select(outbox.c.id).filter_by(
            tenant_id=tenant_id, user_id=user_id, kind=JobKind.PROMOTE.value
        )
        found = await self._database.read(lambda connection: connection.execute(wanted).first())
        return found is not None

    async def overdue_jobs(self, *, by_s: float) -> int:
        since = self._clock.now() - timedelta(seconds=by_s)
        wanted = select(func.count()).select_from(outbox).where(outbox.c.due_at <= since)
        return await self._database.read(lambda connection: connection.execute(wanted).scalar_one())
