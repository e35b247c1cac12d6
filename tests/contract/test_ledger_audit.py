"""Every change leaves an entry in its tenant's chain, and the chain holds."""

import asyncio

from sqlalchemy import create_engine

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.tables import audit
from lightmem.domain.audit import INSTALLATION, AuditEntry, first_break
from lightmem.model import KeyRole, Outcome, TurnOutcome
from support.ledgers import FREE, say


async def trail_of(ledger: SqlLedger, tenant_id: str) -> list[AuditEntry]:
    page = await ledger.list_audit(tenant_id, limit=1000, cursor=None)
    return list(page.items)


async def test_each_change_is_an_entry(ledger: SqlLedger, acme: str) -> None:
    key = await ledger.create_key(
        acme, key_hash="h", role=KeyRole.TENANT, user_id=None, expires_at=None, actor="boss"
    )
    accepted = await say(ledger, acme, "One.")
    operation_id, (turn,) = accepted.operation.id, accepted.turns
    quarantine = [TurnOutcome(turn.id, Outcome.QUARANTINED, reason="poison")]
    await ledger.commit_writing(
        acme, "ana", operation_id, changes=[], outcomes=quarantine, extraction=FREE
    )
    await ledger.retry_operation(acme, operation_id, user_id=None, actor="boss")
    await ledger.delete_turn(acme, turn.id, user_id=None, actor="boss")
    await ledger.delete_key(acme, key.id, actor="boss")

    entries = await trail_of(ledger, acme)

    assert [(entry.actor, entry.action, entry.target) for entry in entries] == [
        ("test", "tenant.create", acme),
        ("boss", "key.create", key.id),
        ("test", "turns.append", operation_id),
        ("writer", "memories.write", operation_id),
        ("boss", "operation.retry", operation_id),
        ("boss", "turn.delete", turn.id),
        ("boss", "key.delete", key.id),
    ]
    assert first_break(entries) is None


async def test_the_chain_holds_under_writers_at_once(ledger: SqlLedger, acme: str) -> None:
    await asyncio.gather(
        *[say(ledger, acme, "Hi.", user_id=f"user-{number}") for number in range(30)]
    )

    entries = await trail_of(ledger, acme)

    assert [entry.seq for entry in entries] == list(range(1, 32))
    assert first_break(entries) is None


async def test_chains_of_tenants_are_apart(ledger: SqlLedger, acme: str) -> None:
    other = (await ledger.create_tenant("other", k_anonymity=3, actor="test")).id
    await say(ledger, acme, "One.")
    await say(ledger, other, "Two.")

    for tenant_id in (acme, other):
        entries = await trail_of(ledger, tenant_id)

        assert {entry.tenant_id for entry in entries} == {tenant_id}
        assert first_break(entries) is None


async def test_what_concerns_no_tenant_is_in_a_chain_of_its_own(
    ledger: SqlLedger, acme: str
) -> None:
    key = await ledger.create_key(
        None, key_hash="h", role=KeyRole.ADMIN, user_id=None, expires_at=None, actor="boss"
    )

    await ledger.delete_tenant(acme, actor="boss")

    entries = await trail_of(ledger, INSTALLATION)
    assert [(entry.action, entry.target) for entry in entries] == [
        ("key.create", key.id),
        ("tenant.delete", acme),
    ]
    assert first_break(entries) is None


async def test_a_refused_change_leaves_no_entry(ledger: SqlLedger, acme: str) -> None:
    before = await trail_of(ledger, acme)

    await asyncio.gather(
        ledger.delete_turn(acme, "nothing", user_id=None, actor="test"),
        ledger.delete_key(acme, "nothing", actor="test"),
        ledger.retry_operation(acme, "nothing", user_id=None, actor="test"),
        return_exceptions=True,
    )

    assert await trail_of(ledger, acme) == before


async def test_a_changed_row_shows(ledger: SqlLedger, acme: str, ledger_url: str) -> None:
    for _ in range(3):
        await say(ledger, acme, "Hi.")
    engine = create_engine(ledger_url)
    with engine.begin() as connection:
        connection.execute(audit.update().where(audit.c.seq == 2).values(actor="nobody"))
    engine.dispose()

    broken = first_break(await trail_of(ledger, acme))

    assert broken is not None
    assert broken.seq == 2


async def test_the_trail_is_listed_by_pages(ledger: SqlLedger, acme: str) -> None:
    for _ in range(4):
        await say(ledger, acme, "Hi.")

    first = await ledger.list_audit(acme, limit=3, cursor=None)
    second = await ledger.list_audit(acme, limit=3, cursor=first.next_cursor)

    assert [entry.seq for entry in [*first.items, *second.items]] == [1, 2, 3, 4, 5]
    assert second.next_cursor is None
