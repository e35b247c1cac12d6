"""Who is asking: keys, what they reach, and a short memory of them."""

import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from starlette.requests import Request

from lightmem.domain.keys import hash_key
from lightmem.errors import (
    InvalidInput,
    LedgerUnavailable,
    NotAllowed,
    NotAuthenticated,
    NotFound,
)
from lightmem.model import ApiKey, KeyRole, Tenant
from lightmem.ports import Clock

#: How long a key is trusted without asking the ledger; and while the ledger does not answer.
FRESH_S, STALE_S = 3.0, 600.0
#: How long the ledger is left alone after it did not answer.
REST_S = 1.0
MOST_REMEMBERED = 10_000

TENANT_HEADER = "X-LightMem-Tenant"

_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)
_KEY = re.compile(r"lm_(admin|tenant|user)_[A-Za-z0-9_-]{43}")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request speaks for. `user_id` is set when the key reaches that user alone."""

    tenant_id: str
    user_id: str | None
    actor: str


class _Memory(Generic[T]):
    """What was read a moment ago: trusted briefly, or for minutes while the ledger is down."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._read: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._rests_until = -1.0
        self._generation = 0

    async def get(self, name: str, read: Callable[[], Awaitable[T | None]]) -> T | None:
        """The remembered value, or what `read` gives; nothing is remembered of an absence."""
        now = self._timer()
        kept = self._read.get(name)
        if kept is not None and now - kept[0] < (STALE_S if now < self._rests_until else FRESH_S):
            return kept[1]
        generation = self._generation
        try:
            value = await read()
        except LedgerUnavailable:
            self._rests_until = self._timer() + REST_S
            if kept is not None and now - kept[0] < STALE_S:
                return kept[1]
            raise
        # What was read before a deletion must not outlive it.
        if generation == self._generation:
            self._put(name, value)
        return value

    def forget(self, chosen: Callable[[T], bool]) -> None:
        """Drop the chosen values, and whatever is being read right now."""
        self._generation += 1
        for name in [name for name, (_, value) in self._read.items() if chosen(value)]:
            del self._read[name]

    def _put(self, name: str, value: T | None) -> None:
        self._read.pop(name, None)
        if value is not None:
            self._read[name] = (self._timer(), value)
            while len(self._read) > MOST_REMEMBERED:
                self._read.popitem(last=False)


class KeyDirectory(Protocol):
    """Where keys and tenants are looked up."""

    async def find_key(self, key_hash: str) -> ApiKey | None: ...

    async def get_tenant(self, tenant_id: str) -> Tenant: ...


class KeyRing:
    """Knows keys and tenants, asking the ledger once every few seconds.

    A deleted key stops at once here and within `FRESH_S` in other processes. While the ledger
    does not answer, keys seen in the last ten minutes go on.
    """

    def __init__(
        self,
        directory: KeyDirectory,
        *,
        clock: Clock,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._keys: _Memory[ApiKey] = _Memory(timer)
        self._tenants: _Memory[str] = _Memory(timer)

    async def identify(self, authorization: str | None) -> ApiKey:
        """The key that an `Authorization` header carries.

        Raises:
            NotAuthenticated: there is none, or none that is known and in force.
        """
        text = _BEARER.fullmatch(authorization or "")
        if text is None:
            raise NotAuthenticated("send the header Authorization: Bearer KEY")
        if _KEY.fullmatch(text[1]) is None:
            raise NotAuthenticated("the key is not known")
        hashed = hash_key(text[1])
        key = await self._keys.get(hashed, lambda: self._directory.find_key(hashed))
        if key is None or (key.expires_at is not None and key.expires_at <= self._clock.now()):
            raise NotAuthenticated("the key is not known")
        return key

    async def caller(self, key: ApiKey, named_tenant: str | None) -> Caller:
        """Who the key speaks for, given the tenant that the request names, if any.

        Raises:
            InvalidInput: an admin key without a tenant.
            NotFound: the tenant is unknown, or not the key's.
        """
        actor = f"key:{key.id}"
        if key.role is KeyRole.ADMIN:
            if not named_tenant:
                raise InvalidInput.of(TENANT_HEADER, "is required with an admin key")
            await self._check_tenant(named_tenant)
            return Caller(named_tenant, None, actor)
        assert key.tenant_id is not None
        if named_tenant is not None and named_tenant != key.tenant_id:
            raise NotFound(f"no tenant {named_tenant!r}")
        return Caller(key.tenant_id, key.user_id, actor)

    def forget_key(self, key_id: str) -> None:
        """Stop trusting a key that was deleted."""
        self._keys.forget(lambda key: key.id == key_id)

    def forget_tenant(self, tenant_id: str) -> None:
        """Stop trusting a tenant that was deleted, and its keys."""
        self._tenants.forget(lambda known: known == tenant_id)
        self._keys.forget(lambda key: key.tenant_id == tenant_id)

    async def _check_tenant(self, tenant_id: str) -> None:
        async def read() -> str:
            return (await self._directory.get_tenant(tenant_id)).id

        await self._tenants.get(tenant_id, read)


def is_key(text: str, role: KeyRole) -> bool:
    """Whether a text has the shape of a key of this role."""
    shape = _KEY.fullmatch(text)
    return shape is not None and shape[1] == role


# --- a request's key ------------------------------------------------------------------------


async def authenticate(request: Request) -> ApiKey:
    """Put the request's key into its state, for those who ask later."""
    ring: KeyRing = request.app.state.gateway.keys
    key = await ring.identify(request.headers.get("authorization"))
    request.state.key = key
    return key


def key_of(request: Request) -> ApiKey:
    """The key that `authenticate` found."""
    key: ApiKey = request.state.key
    return key


def require_admin(key: ApiKey) -> None:
    """Raise `NotAllowed` for any but an admin key."""
    if key.role is not KeyRole.ADMIN:
        raise NotAllowed("only an admin key reaches this")
