"""Tenants and the keys of those who may ask."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, or_, select

from lightmem.adapters.ledger.cursors import decode_cursor, encode_cursor, page
from lightmem.adapters.ledger.database import LedgerPart
from lightmem.adapters.ledger.deletion import delete_all_of_tenant
from lightmem.adapters.ledger.rows import from_key, from_tenant, to_key, to_tenant
from lightmem.adapters.ledger.tables import api_keys, tenants
from lightmem.adapters.ledger.trail import record
from lightmem.adapters.ledger.whose import no_tenant, require_tenant
from lightmem.domain.audit import INSTALLATION
from lightmem.domain.ids import new_id
from lightmem.errors import InvalidInput, NotFound, WrongState
from lightmem.model import ApiKey, KeyRole, Page, Tenant


class SqlTenantDirectory(LedgerPart):
    """Tenants and their keys."""

    async def create_tenant(self, name: str, *, k_anonymity: int, actor: str) -> Tenant:
        tenant = Tenant(new_id(), name, k_anonymity, self._clock.now())
        await self._database.write(lambda connection: _add_tenant(connection, tenant, actor))
        return tenant

    async def get_tenant(self, tenant_id: str) -> Tenant:
        wanted = select(tenants).where(tenants.c.id == tenant_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        if row is None:
            raise no_tenant(tenant_id)
        return to_tenant(row)

    async def list_tenants(self, *, limit: int, cursor: str | None) -> Page[Tenant]:
        wanted = select(tenants)
        if cursor is not None:
            (after,) = decode_cursor("tenants", cursor, str)
            wanted = wanted.where(tenants.c.id > after)
        wanted = wanted.order_by(tenants.c.id).limit(limit + 1)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(
            rows, limit, value=to_tenant, cursor=lambda row: encode_cursor("tenants", row.id)
        )

    async def delete_tenant(self, tenant_id: str, *, actor: str) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: delete_all_of_tenant(connection, tenant_id, actor=actor, now=now),
            timeout_s=None,
        )
        await self._database.empty_log()

    async def create_key(
        self,
        tenant_id: str | None,
        *,
        key_hash: str,
        role: KeyRole,
        user_id: str | None,
        expires_at: datetime | None,
        actor: str,
    ) -> ApiKey:
        _check_reach(role, tenant_id, user_id)
        key = ApiKey(new_id(), role, tenant_id, user_id, self._clock.now(), expires_at)
        await self._database.write(lambda connection: _add_key(connection, key, key_hash, actor))
        return key

    async def find_key(self, key_hash: str) -> ApiKey | None:
        wanted = select(api_keys).where(
            api_keys.c.key_hash == key_hash,
            or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > self._clock.now()),
        )
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        return to_key(row) if row is not None else None

    async def list_keys(self, tenant_id: str, *, limit: int, cursor: str | None) -> Page[ApiKey]:
        wanted = select(api_keys).where(api_keys.c.tenant_id == tenant_id)
        if cursor is not None:
            (after,) = decode_cursor("keys", cursor, str)
            wanted = wanted.where(api_keys.c.id > after)
        wanted = wanted.order_by(api_keys.c.id).limit(limit + 1)
        await self.get_tenant(tenant_id)
        rows = await self._database.read(lambda connection: connection.execute(wanted).all())
        return page(rows, limit, value=to_key, cursor=lambda row: encode_cursor("keys", row.id))

    async def get_key(self, tenant_id: str, key_id: str) -> ApiKey:
        wanted = _reaching(tenant_id, key_id)
        row = await self._database.read(lambda connection: connection.execute(wanted).first())
        if row is None:
            raise _no_key(key_id)
        return to_key(row)

    async def delete_key(self, tenant_id: str, key_id: str, *, actor: str) -> None:
        now = self._clock.now()
        await self._database.write(
            lambda connection: _drop_key(connection, tenant_id, key_id, actor=actor, now=now)
        )


def _add_tenant(connection: Connection, tenant: Tenant, actor: str) -> None:
    connection.execute(tenants.insert().values(from_tenant(tenant)))
    record(
        connection,
        tenant.id,
        at=tenant.created_at,
        actor=actor,
        action="tenant.create",
        target=tenant.id,
    )


def _check_reach(role: KeyRole, tenant_id: str | None, user_id: str | None) -> None:
    """Raise `InvalidInput` unless the key names exactly whose data its role reaches."""
    if (role is KeyRole.ADMIN) != (tenant_id is None):
        raise InvalidInput.of("tenant_id", "is for all keys but those of an admin")
    if (role is KeyRole.USER) != (user_id is not None):
        raise InvalidInput.of("user_id", "is for the keys of a user, and for no others")


def _add_key(connection: Connection, key: ApiKey, key_hash: str, actor: str) -> None:
    if key.tenant_id is not None:
        require_tenant(connection, key.tenant_id)
    connection.execute(api_keys.insert().values(from_key(key, key_hash=key_hash)))
    record(
        connection,
        key.tenant_id or INSTALLATION,
        at=key.created_at,
        actor=actor,
        action="key.create",
        target=key.id,
    )


def _drop_key(
    connection: Connection, tenant_id: str, key_id: str, *, actor: str, now: datetime
) -> None:
    require_tenant(connection, tenant_id)
    key = connection.execute(_reaching(tenant_id, key_id)).one_or_none()
    if key is None:
        raise _no_key(key_id)
    if key.tenant_id is None:
        _check_other_admin(connection, key_id)
    connection.execute(api_keys.delete().where(api_keys.c.id == key_id))
    trail = key.tenant_id or INSTALLATION
    record(connection, trail, at=now, actor=actor, action="key.delete", target=key_id)


def _reaching(tenant_id: str, key_id: str) -> Select[Any]:
    """The key, if it is the tenant's or the installation's, which reaches every tenant."""
    whose = or_(api_keys.c.tenant_id == tenant_id, api_keys.c.tenant_id.is_(None))
    return select(api_keys).where(whose, api_keys.c.id == key_id)


def _no_key(key_id: str) -> NotFound:
    return NotFound(f"no key {key_id!r}", key_id=key_id)


def _check_other_admin(connection: Connection, key_id: str) -> None:
    """Raise `WrongState` for the last admin key that does not end: nobody could make another."""
    # Locked, so that of two keys that are deleted at once one stays.
    wanted = select(api_keys.c.id, api_keys.c.expires_at).where(api_keys.c.tenant_id.is_(None))
    left = connection.execute(wanted.order_by(api_keys.c.id).with_for_update()).all()
    if not any(key.id != key_id and key.expires_at is None for key in left):
        raise WrongState("it is the last admin key that does not end", key_id=key_id)
