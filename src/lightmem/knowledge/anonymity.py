"""How many users a tenant asks for before anything is served, looked up once in a while."""

import time
from collections.abc import Callable
from typing import Protocol

from lightmem.errors import Unavailable
from lightmem.model import Tenant

#: A tenant keeps its number for life; what is gone is noticed after so long.
FRESH_S = 60.0
#: Tenants that are remembered.
MOST = 10_000


class TenantLookup(Protocol):
    """Where a tenant's own number is written."""

    async def get_tenant(self, tenant_id: str) -> Tenant: ...


class Anonymity:
    """The `k_anonymity` of tenants.

    Args:
        now_s: A clock that only runs forward, in seconds.
    """

    def __init__(
        self, tenants: TenantLookup, *, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._tenants = tenants
        self._now_s = now_s
        self._known: dict[str, tuple[int, float]] = {}

    async def __call__(self, tenant_id: str) -> int:
        """Distinct users that must support what is served.

        Raises:
            NotFound: no such tenant.
            LedgerUnavailable: it is not known, and the ledger does not answer.
        """
        k, until = self._known.get(tenant_id, (0, 0.0))
        if self._now_s() < until:
            return k
        try:
            tenant = await self._tenants.get_tenant(tenant_id)
        except Unavailable:
            if k:
                return k
            raise
        k = tenant.k_anonymity
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[tenant_id] = (k, self._now_s() + FRESH_S)
        return k
