"""The ledger tells how it is, remembers facts of the installation, and lists all ids."""

import asyncio

import pytest

from lightmem.adapters.ledger import SqlLedger, open_ledger
from lightmem.errors import InvalidInput
from lightmem.model import Health
from support.clock import FixedClock
from support.ledgers import learn, say


async def test_a_migrated_ledger_is_well(ledger: SqlLedger) -> None:
    assert await ledger.check() == Health("ledger", "ok")


async def test_facts_of_the_installation_are_kept(ledger: SqlLedger) -> None:
    unknown = await ledger.get_meta("encoder")
    await ledger.put_meta("encoder", "minilm")
    await ledger.put_meta("encoder", "mpnet")

    assert unknown is None
    assert await ledger.get_meta("encoder") == "mpnet"


async def test_of_all_who_settle_a_fact_at_once_the_first_one_counts(ledger: SqlLedger) -> None:
    wished = [f"value {number}" for number in range(5)]

    settled = await asyncio.gather(*(ledger.settle_meta("secret", one) for one in wished))

    assert len(set(settled)) == 1
    assert settled[0] in wished
    assert await ledger.settle_meta("secret", "later") == settled[0]


async def test_all_turn_ids_are_listed_in_order_across_tenants(
    ledger: SqlLedger, acme: str
) -> None:
    other = (await ledger.create_tenant("other", k_anonymity=3, actor="test")).id
    first = await say(ledger, acme, "One.", "Two.")
    second = await say(ledger, other, "Three.", user_id="bob")
    expected = [
        (acme, "ana", first.turn_ids[0]),
        (acme, "ana", first.turn_ids[1]),
        (other, "bob", second.turn_ids[0]),
    ]

    page = await ledger.turn_ids(after=None, limit=2)
    rest = await ledger.turn_ids(after=page[-1][2], limit=2)

    assert [*page, *rest] == expected


async def test_only_active_memories_are_listed_for_re_embedding(
    ledger: SqlLedger, acme: str
) -> None:
    forgotten = await learn(ledger, acme, "One.")
    memory = await learn(ledger, acme, "Two.")
    await ledger.delete_turn(acme, forgotten.sources[0].turn_id, user_id=None, actor="test")

    assert await ledger.memory_ids(after=None, limit=9) == [(acme, "ana", memory.id)]
    assert await ledger.memory_ids(after=memory.id, limit=9) == []


@pytest.mark.parametrize("identifier", ["", " ", "nul \x00", "surrogate \ud800", "x" * 256])
async def test_what_cannot_be_an_id_is_refused_by_name(
    ledger: SqlLedger, acme: str, identifier: str
) -> None:
    for field in ("user_id", "session_id"):
        with pytest.raises(InvalidInput) as refused:
            await say(ledger, acme, "One.", **{field: identifier})

        assert [error.field for error in refused.value.errors] == [field]
    assert await ledger.turn_ids(after=None, limit=9) == []


@pytest.mark.parametrize(
    "url", ["", "no url", "mysql://host/db", "sqlite://", "sqlite:///:memory:"]
)
def test_a_url_of_no_durable_ledger_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_ledger(url, clock=FixedClock())

    assert [error.field for error in refused.value.errors] == ["ledger_url"]
