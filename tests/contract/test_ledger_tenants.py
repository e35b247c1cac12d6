"""Tenants are apart from each other, and a key reaches exactly what it says."""

from datetime import timedelta

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.keys import hash_key, new_key
from lightmem.errors import InvalidInput, NotFound, WrongState
from lightmem.model import ApiKey, JobKind, KeyRole
from support.clock import FixedClock
from support.ledgers import NOON, learn, say


async def add_key(
    ledger: SqlLedger,
    tenant_id: str | None,
    *,
    role: KeyRole = KeyRole.TENANT,
    user_id: str | None = None,
    lives_s: float | None = None,
) -> tuple[ApiKey, str]:
    key_hash = hash_key(new_key(role))
    expires_at = NOON + timedelta(seconds=lives_s) if lives_s is not None else None
    key = await ledger.create_key(
        tenant_id,
        key_hash=key_hash,
        role=role,
        user_id=user_id,
        expires_at=expires_at,
        actor="test",
    )
    return key, key_hash


async def test_a_tenant_comes_back_as_it_was_made(ledger: SqlLedger) -> None:
    made = await ledger.create_tenant("Ácme & Söhne", k_anonymity=5, actor="test")

    assert await ledger.get_tenant(made.id) == made
    assert (made.name, made.k_anonymity, made.created_at) == ("Ácme & Söhne", 5, NOON)


async def test_tenants_are_listed_by_pages(ledger: SqlLedger) -> None:
    made = [await ledger.create_tenant(f"t{n}", k_anonymity=3, actor="test") for n in range(5)]

    first = await ledger.list_tenants(limit=3, cursor=None)
    second = await ledger.list_tenants(limit=3, cursor=first.next_cursor)

    assert [*first.items, *second.items] == made
    assert second.next_cursor is None


async def test_an_unknown_tenant_is_not_found(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await ledger.get_tenant("nobody")
    with pytest.raises(NotFound):
        await ledger.delete_tenant("nobody", actor="test")
    with pytest.raises(NotFound):
        await ledger.list_keys("nobody", limit=10, cursor=None)
    with pytest.raises(NotFound):
        await add_key(ledger, "nobody")


@pytest.mark.parametrize(
    ("role", "user_id"), [(KeyRole.TENANT, None), (KeyRole.USER, "ana"), (KeyRole.ADMIN, None)]
)
async def test_a_key_is_found_by_its_hash(
    ledger: SqlLedger, acme: str, role: KeyRole, user_id: str | None
) -> None:
    tenant_id = None if role is KeyRole.ADMIN else acme

    key, key_hash = await add_key(ledger, tenant_id, role=role, user_id=user_id)

    assert await ledger.find_key(key_hash) == key
    assert (key.role, key.tenant_id, key.user_id) == (role, tenant_id, user_id)
    assert await ledger.find_key(hash_key("something else")) is None


@pytest.mark.parametrize(
    ("role", "has_tenant", "user_id"),
    [
        (KeyRole.ADMIN, True, None),
        (KeyRole.ADMIN, False, "ana"),
        (KeyRole.TENANT, False, None),
        (KeyRole.TENANT, True, "ana"),
        (KeyRole.USER, True, None),
        (KeyRole.USER, False, "ana"),
    ],
)
async def test_a_key_names_neither_more_nor_less_than_its_role_reaches(
    ledger: SqlLedger, acme: str, role: KeyRole, has_tenant: bool, user_id: str | None
) -> None:
    with pytest.raises(InvalidInput):
        await add_key(ledger, acme if has_tenant else None, role=role, user_id=user_id)


async def test_an_expired_key_is_not_found(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    key, key_hash = await add_key(ledger, acme, lives_s=60.0)
    ledger_clock.advance(59.9)
    before = await ledger.find_key(key_hash)

    ledger_clock.advance(0.1)

    assert before == key
    assert await ledger.find_key(key_hash) is None


async def test_keys_are_listed_by_pages_and_only_the_tenants_own(
    ledger: SqlLedger, acme: str
) -> None:
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")
    await add_key(ledger, other.id)
    await add_key(ledger, None, role=KeyRole.ADMIN)
    made = [(await add_key(ledger, acme))[0] for _ in range(3)]

    first = await ledger.list_keys(acme, limit=2, cursor=None)
    second = await ledger.list_keys(acme, limit=2, cursor=first.next_cursor)

    assert [*first.items, *second.items] == made
    assert second.next_cursor is None


async def test_a_deleted_key_is_not_found(ledger: SqlLedger, acme: str) -> None:
    key, key_hash = await add_key(ledger, acme)

    await ledger.delete_key(acme, key.id, actor="test")

    assert await ledger.find_key(key_hash) is None
    with pytest.raises(NotFound):
        await ledger.delete_key(acme, key.id, actor="test")


async def test_an_admin_key_is_read_and_deleted_like_a_tenants_but_for_the_last(
    ledger: SqlLedger, acme: str
) -> None:
    passing, passing_hash = await add_key(ledger, None, role=KeyRole.ADMIN, lives_s=60.0)
    first, first_hash = await add_key(ledger, None, role=KeyRole.ADMIN)
    last, last_hash = await add_key(ledger, None, role=KeyRole.ADMIN)

    read = await ledger.get_key(acme, first.id)
    await ledger.delete_key(acme, first.id, actor="test")
    with pytest.raises(WrongState):
        await ledger.delete_key(acme, last.id, actor="test")
    await ledger.delete_key(acme, passing.id, actor="test")

    assert read == first
    found = [await ledger.find_key(one) for one in (passing_hash, first_hash, last_hash)]
    assert found == [None, None, last]


async def test_a_tenant_cannot_delete_anothers_key(ledger: SqlLedger, acme: str) -> None:
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")
    key, key_hash = await add_key(ledger, other.id)

    with pytest.raises(NotFound):
        await ledger.delete_key(acme, key.id, actor="test")
    with pytest.raises(NotFound):
        await ledger.get_key(acme, key.id)

    assert await ledger.find_key(key_hash) == key


async def test_a_deleted_tenant_leaves_only_what_the_index_must_forget(
    ledger: SqlLedger, acme: str
) -> None:
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")
    kept = await say(ledger, other.id, "We stay.")
    _, key_hash = await add_key(ledger, acme)
    memory = await learn(ledger, acme, "We moved to Lisbon.")
    bobs = await learn(ledger, acme, "I am Bob.", user_id="bob")

    await ledger.delete_tenant(acme, actor="test")

    with pytest.raises(NotFound):
        await ledger.get_tenant(acme)
    with pytest.raises(NotFound):
        await say(ledger, acme, "Are we still here?")
    assert await ledger.find_key(key_hash) is None
    assert [turn_id for _, _, turn_id in await ledger.turn_ids(after=None, limit=10)] == [
        *kept.turn_ids
    ]
    assert await ledger.memory_ids(after=None, limit=10) == []
    assert (await ledger.list_audit(acme, limit=10, cursor=None)).items == []
    jobs = await ledger.lease_jobs([JobKind.DELETE_POINTS], limit=10, lease_s=60.0)
    points = {job.user_id: set(job.payload["ids"]) for job in jobs}
    assert points == {
        "ana": {memory.id, memory.sources[0].turn_id},
        "bob": {bobs.id, bobs.sources[0].turn_id},
    }
    pending = await ledger.pending_jobs()
    assert (pending[JobKind.WRITE], pending[JobKind.INDEX_TURNS]) == (1, 1)
