"""What recalls serve is counted in memory and written down in batches, and not lost meanwhile."""

import asyncio
from collections.abc import Sequence

from lightmem.errors import LedgerUnavailable
from lightmem.model import Item, ItemKind, Layer, Use
from lightmem_gateway.usage import MOST_ITEMS, CountUses
from support.clock import FixedClock
from support.ledgers import NOON


class UsesLedger:
    """Keeps the batches that it is given; while it is down it refuses them."""

    def __init__(self, *, is_down: bool = False) -> None:
        self.is_down = is_down
        self.batches: list[list[Use]] = []
        self.written = asyncio.Event()

    async def note_uses(self, uses: Sequence[Use]) -> None:
        if self.is_down:
            raise LedgerUnavailable("down")
        self.batches.append(list(uses))
        self.written.set()

    async def ask_for_archiving(self, tenant_id: str, user_id: str, *, capacity: int) -> bool:
        return False

    async def archive_surplus(self, tenant_id: str, user_id: str, *, capacity: int) -> list[str]:
        return []


def item(item_id: str, kind: ItemKind = ItemKind.MEMORY) -> Item:
    return Item(id=item_id, layer=Layer.MID_TERM, kind=kind, text="words", score=1.0)


def counted(ledger: UsesLedger) -> dict[tuple[str, str, str], int]:
    return {
        (use.tenant_id, use.user_id, use.item_id): use.count
        for batch in ledger.batches
        for use in batch
    }


async def test_each_item_is_counted_once_a_recall_with_the_time_of_the_last() -> None:
    ledger, clock = UsesLedger(), FixedClock(NOON)
    uses = CountUses(ledger=ledger, clock=clock)
    uses.note("acme", "ana", [item("m1"), item("t1", ItemKind.TURN)])
    clock.advance(60)
    uses.note("acme", "ana", [item("m1")])

    await uses.flush()

    assert counted(ledger) == {("acme", "ana", "m1"): 2, ("acme", "ana", "t1"): 1}
    assert {use.item_id: use.at for use in ledger.batches[0]}["m1"] == clock.now()


async def test_concepts_are_nobodys_and_users_are_counted_apart() -> None:
    ledger = UsesLedger()
    uses = CountUses(ledger=ledger, clock=FixedClock(NOON))
    uses.note("acme", "ana", [item("m1"), item("c1", ItemKind.CONCEPT)])
    uses.note("acme", "ben", [item("m1")])

    await uses.flush()

    assert counted(ledger) == {("acme", "ana", "m1"): 1, ("acme", "ben", "m1"): 1}


async def test_what_a_ledger_that_was_down_did_not_take_is_counted_on() -> None:
    ledger = UsesLedger(is_down=True)
    uses = CountUses(ledger=ledger, clock=FixedClock(NOON))
    uses.note("acme", "ana", [item("m1")])
    await uses.flush()
    uses.note("acme", "ana", [item("m1")])
    ledger.is_down = False

    await uses.flush()
    await uses.flush()

    assert counted(ledger) == {("acme", "ana", "m1"): 2}
    assert len(ledger.batches) == 1


async def test_beyond_its_room_new_items_are_passed_over_and_known_ones_counted() -> None:
    ledger = UsesLedger()
    uses = CountUses(ledger=ledger, clock=FixedClock(NOON))
    uses.note("acme", "ana", [item(f"m{number}") for number in range(MOST_ITEMS)])
    uses.note("acme", "ana", [item("m0"), item("new")])

    await uses.flush()

    found = counted(ledger)
    assert len(found) == MOST_ITEMS
    assert found["acme", "ana", "m0"] == 2


async def test_batches_are_written_by_themselves_and_the_last_at_the_end() -> None:
    ledger = UsesLedger()
    uses = CountUses(ledger=ledger, clock=FixedClock(NOON), every_s=0.01)
    await uses.start()
    uses.note("acme", "ana", [item("m1")])
    await asyncio.wait_for(ledger.written.wait(), timeout=10)
    uses.note("acme", "ana", [item("m2")])

    await uses.stop()

    assert set(counted(ledger)) == {("acme", "ana", "m1"), ("acme", "ana", "m2")}
