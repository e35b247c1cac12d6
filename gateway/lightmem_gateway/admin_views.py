"""Answers about tenants and keys."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lightmem.model import (
    ApiKey,
    Tenant,
)
from lightmem_gateway.views import View


class TenantView(View):
    """A tenant."""

    id: str
    name: str
    k_anonymity: int
    created_at: datetime

    @classmethod
    def of(cls, tenant: Tenant) -> "TenantView":
        """The view of a tenant."""
        return cls(
            id=tenant.id,
            name=tenant.name,
            k_anonymity=tenant.k_anonymity,
            created_at=tenant.created_at,
        )


class KeyView(View):
    """A key as it is kept: without the key itself."""

    id: str
    role: str
    tenant_id: str | None
    user_id: str | None
    created_at: datetime
    expires_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> "KeyView":
        """The view of a key."""
        return cls(
            id=key.id,
            role=key.role,
            tenant_id=key.tenant_id,
            user_id=key.user_id,
            created_at=key.created_at,
            expires_at=key.expires_at,
        )


class NewKeyView(KeyView):
    """A key that was just made; `key` is shown this once."""

    key: str

    @classmethod
    def with_key(cls, kept: Mapping[str, Any], key: str) -> "NewKeyView":
        """The view of a key with its text."""
        return cls.model_validate({**kept, "key": key})
