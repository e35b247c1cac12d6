"""The schema, the health and the facts of the installation itself."""

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.database import LedgerPart, insert_into
from lightmem.adapters.ledger.schema import head_revision, revision_of, upgrade
from lightmem.adapters.ledger.tables import memories, meta, turns
from lightmem.errors import LedgerUnavailable
from lightmem.model import Health, MemoryStatus


class SqlMaintenance(LedgerPart):
    """What concerns no tenant alone."""

    async def migrate(self) -> None:
        await self._database.write(upgrade, timeout_s=None)

    async def check(self) -> Health:
        try:
            revision = await self._database.read(revision_of)
        except LedgerUnavailable:
            return Health("ledger", "down", "does not answer")
        if revision != head_revision():
            return Health("ledger", "down", "its schema has another revision")
        return Health("ledger", "ok")

    async def get_meta(self, name: str) -> str | None:
        wanted = select(meta.c.value).where(meta.c.name == name)
        found = await self._database.read(
            lambda connection: connection.execute(wanted).scalar_one_or_none()
        )
        return None if found is None else str(found)

    async def put_meta(self, name: str, value: str) -> None:
        await self._database.write(lambda connection: _put_meta(connection, name, value))

    async def settle_meta(self, name: str, value: str) -> str:
        return await self._database.write(lambda connection: _settle(connection, name, value))

    async def turn_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        wanted = select(turns.c.tenant_id, turns.c.user_id, turns.c.id)
        if after is not None:
            wanted = wanted.where(turns.c.id > after)
        wanted = wanted.order_by(turns.c.id).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [(row.tenant_id, row.user_id, row.id) for row in rows]

    async def memory_ids(self, *, after: str | None, limit: int) -> list[tuple[str, str, str]]:
        wanted = select(memories.c.tenant_id, memories.c.user_id, memories.c.id)
        kept = (MemoryStatus.ACTIVE.value, MemoryStatus.SUPERSEDED.value)
        wanted = wanted.where(memories.c.status.in_(kept))
        if after is not None:
            wanted = wanted.where(memories.c.id > after)
        wanted = wanted.order_by(memories.c.id).limit(limit)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return [(row.tenant_id, row.user_id, row.id) for row in rows]

    async def close(self) -> None:
        await self._database.close()


def _settle(connection: Connection, name: str, value: str) -> str:
    statement = insert_into(connection, meta).values(name=name, value=value)
    connection.execute(statement.on_conflict_do_nothing())
    return str(connection.execute(select(meta.c.value).where(meta.c.name == name)).scalar_one())


def _put_meta(connection: Connection, name: str, value: str) -> None:
    statement = insert_into(connection, meta).values(name=name, value=value)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name"], set_={"value": statement.excluded.value}
        )
    )
