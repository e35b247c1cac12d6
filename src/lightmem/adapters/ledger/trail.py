"""The audit trail, written within the transaction of the change it tells of."""

from datetime import datetime

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor, page
from lightmem.adapters.ledger.database import LedgerPart, insert_into
from lightmem.adapters.ledger.rows import from_entry, to_entry
from lightmem.adapters.ledger.tables import audit, audit_heads
from lightmem.domain.audit import GENESIS, AuditEntry, seal
from lightmem.domain.ids import new_id
from lightmem.model import Page


def record(
    connection: Connection, tenant_id: str, *, at: datetime, actor: str, action: str, target: str
) -> None:
    """Append to the tenant's chain. Call it last: it makes the tenant's other writers wait."""
    head = insert_into(connection, audit_heads).values(tenant_id=tenant_id, seq=1, hash=GENESIS)
    locked = connection.execute(
        head.on_conflict_do_update(
            index_elements=["tenant_id"], set_={"seq": audit_heads.c.seq + 1}
        ).returning(audit_heads.c.seq, audit_heads.c.hash)
    ).one()
    entry = seal(
        id=new_id(),
        tenant_id=tenant_id,
        seq=locked.seq,
        at=at,
        actor=actor,
        action=action,
        target=target,
        prev_hash=locked.hash,
    )
    connection.execute(audit.insert(), from_entry(entry))
    connection.execute(
        audit_heads.update().where(audit_heads.c.tenant_id == tenant_id).values(hash=entry.hash)
    )


class SqlAuditTrail(LedgerPart):
    """Reads the chains."""

    async def list_audit(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[AuditEntry]:
        """The tenant's entries, oldest first, as they were chained."""
        wanted = select(audit).where(audit.c.tenant_id == tenant_id)
        if cursor is not None:
            (after,) = decode_cursor("audit", cursor, int)
            wanted = wanted.where(audit.c.seq > after)
        wanted = wanted.order_by(audit.c.seq).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(rows, limit, value=to_entry, cursor=lambda row: encode_cursor("audit", row.seq))
