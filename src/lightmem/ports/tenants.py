"""The ledger's part in tenants and their keys."""

from datetime import datetime
from typing import Protocol

from lightmem.model import (
    ApiKey,
    KeyRole,
    Page,
    Tenant,
)


class TenantDirectory(Protocol):
    """Tenants and their keys."""

    async def create_tenant(self, name: str, *, k_anonymity: int, actor: str) -> Tenant: ...

    async def get_tenant(self, tenant_id: str) -> Tenant: ...

    async def list_tenants(self, *, limit: int, cursor: str | None) -> Page[Tenant]: ...

    async def delete_tenant(self, tenant_id: str, *, actor: str) -> None:
        """Remove the tenant, its keys and all that the ledger holds of it."""
        ...

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
        """Store a key by its hash. `tenant_id` is None for ADMIN keys only.

        Raises:
            NotFound: no such tenant.
        """
        ...

    async def find_key(self, key_hash: str) -> ApiKey | None:
        """The key with this hash, unless it expired or was deleted."""
        ...

    async def list_keys(
        self, tenant_id: str, *, limit: int, cursor: str | None
    ) -> Page[ApiKey]: ...

    async def get_key(self, tenant_id: str, key_id: str) -> ApiKey:
        """A key of the tenant, or of the installation.

        Raises:
            NotFound: it is another tenant's, or there is none.
        """
        ...

    async def delete_key(self, tenant_id: str, key_id: str, *, actor: str) -> None:
        """Delete a key of the tenant, or of the installation.

        Raises:
            NotFound: it is another tenant's, or there is none.
            WrongState: it is the last admin key that does not end.
        """
        ...
