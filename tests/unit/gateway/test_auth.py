"""Keys are asked for now and then, stop when deleted, and outlive a ledger that is down."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from lightmem.domain.keys import hash_key, new_key
from lightmem.errors import InvalidInput, LedgerUnavailable, NotAuthenticated, NotFound
from lightmem.model import ApiKey, KeyRole, Tenant
from lightmem_gateway.auth import FRESH_S, STALE_S, KeyRing
from support.clock import FixedClock

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)
KEY = new_key(KeyRole.TENANT)
BEARER = f"Bearer {KEY}"
STORED = ApiKey(id="k1", role=KeyRole.TENANT, tenant_id="t1", user_id=None, created_at=NOW)
ADMIN = ApiKey(id="k2", role=KeyRole.ADMIN, tenant_id=None, user_id=None, created_at=NOW)


class Directory:
    """Holds one key and one tenant, counts who asks, and can be down or slow."""

    def __init__(self) -> None:
        self.key: ApiKey | None = STORED
        self.is_down = False
        self.asked = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def find_key(self, key_hash: str) -> ApiKey | None:
        self.asked += 1
        if self.is_down:
            raise LedgerUnavailable("down")
        found = self.key
        await self.gate.wait()
        return found if key_hash == hash_key(KEY) else None

    async def get_tenant(self, tenant_id: str) -> Tenant:
        if tenant_id != "t1":
            raise NotFound(f"no tenant {tenant_id!r}")
        return Tenant(id="t1", name="one", k_anonymity=3, created_at=NOW)


class Timer:
    """Seconds that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def timer() -> Timer:
    return Timer()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def ring(directory: Directory, timer: Timer, clock: FixedClock) -> KeyRing:
    return KeyRing(directory, clock=clock, timer=timer)


async def test_a_known_key_is_looked_up_once_in_a_few_seconds(
    ring: KeyRing, directory: Directory, timer: Timer
) -> None:
    for _ in range(3):
        assert await ring.identify(BEARER) == STORED

    timer.now += FRESH_S
    await ring.identify(BEARER)

    assert directory.asked == 2


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", KEY, f"Basic {KEY}", f"Bearer {KEY} x", f"Bearer {KEY}x", "Bearer \x00"],
)
async def test_what_is_no_key_is_refused_without_asking(
    ring: KeyRing, directory: Directory, header: str | None
) -> None:
    with pytest.raises(NotAuthenticated):
        await ring.identify(header)

    assert directory.asked == 0


async def test_an_unknown_key_is_refused(ring: KeyRing) -> None:
    with pytest.raises(NotAuthenticated):
        await ring.identify(f"Bearer {new_key(KeyRole.TENANT)}")


async def test_a_key_ends_when_it_expires_even_while_it_is_remembered(
    ring: KeyRing, directory: Directory, clock: FixedClock
) -> None:
    directory.key = ApiKey(
        id="k1",
        role=KeyRole.TENANT,
        tenant_id="t1",
        user_id=None,
        created_at=NOW,
        expires_at=NOW + timedelta(seconds=1),
    )
    await ring.identify(BEARER)

    clock.advance(1)

    with pytest.raises(NotAuthenticated):
        await ring.identify(BEARER)


async def test_a_deleted_key_stops_at_once(ring: KeyRing, directory: Directory) -> None:
    await ring.identify(BEARER)
    directory.key = None

    ring.forget_key("k1")

    with pytest.raises(NotAuthenticated):
        await ring.identify(BEARER)


async def test_a_key_read_before_its_deletion_is_not_remembered_after_it(
    ring: KeyRing, directory: Directory
) -> None:
    directory.gate.clear()
    reading = asyncio.create_task(ring.identify(BEARER))
    await asyncio.sleep(0)
    directory.key = None
    ring.forget_key("k1")
    directory.gate.set()
    await reading

    with pytest.raises(NotAuthenticated):
        await ring.identify(BEARER)


async def test_known_keys_go_on_for_minutes_while_the_ledger_is_down(
    ring: KeyRing, directory: Directory, timer: Timer
) -> None:
    await ring.identify(BEARER)
    directory.is_down = True
    timer.now += STALE_S - 1

    assert await ring.identify(BEARER) == STORED

    timer.now += 2
    with pytest.raises(LedgerUnavailable):
        await ring.identify(BEARER)


async def test_a_ledger_that_is_down_is_left_alone_for_a_moment(
    ring: KeyRing, directory: Directory, timer: Timer
) -> None:
    await ring.identify(BEARER)
    directory.is_down = True
    timer.now += FRESH_S

    for _ in range(5):
        await ring.identify(BEARER)

    assert directory.asked == 2


async def test_an_admin_key_must_name_a_tenant_that_is_there(ring: KeyRing) -> None:
    caller = await ring.caller(ADMIN, "t1")

    assert (caller.tenant_id, caller.user_id) == ("t1", None)
    with pytest.raises(InvalidInput) as missing:
        await ring.caller(ADMIN, None)
    assert missing.value.errors[0].field == "X-LightMem-Tenant"
    with pytest.raises(NotFound):
        await ring.caller(ADMIN, "t2")


async def test_a_tenant_key_reaches_no_other_tenant_by_naming_it(ring: KeyRing) -> None:
    assert (await ring.caller(STORED, "t1")).tenant_id == "t1"

    with pytest.raises(NotFound):
        await ring.caller(STORED, "t2")
