"""What a memory claims is found again where its words come or change without a Writer."""

from dataclasses import replace
from typing import Any

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.fingerprint import fingerprint
from lightmem.errors import AttributeTaken
from lightmem.model import AddMemory, Memory, MemoryPatch, MemoryStatus, OperationStatus, Source
from support.clock import FixedClock
from support.ledgers import FREE, add, say, stored
from support.portability import documents, exported, imported, text_of

LIVES, WORKS = "lives in:>>", "works at:>>"
PORTO, LISBON, ACME = "I live in Porto.", "I live in Lisbon.", "I work at Acme."


async def learn(ledger: SqlLedger, tenant_id: str, content: str, key: str | None) -> Memory:
    accepted = await say(ledger, tenant_id, content)
    added: AddMemory = add(content, Source(accepted.turn_ids[0], content))
    [memory] = await ledger.commit_writing(
        tenant_id,
        "ana",
        accepted.operation.id,
        changes=[replace(added, attribute_key=key)],
        outcomes=stored(accepted.turns[0]),
        extraction=FREE,
    )
    return memory


async def patch(ledger: SqlLedger, tenant_id: str, memory: Memory, text: str) -> Memory:
    change = MemoryPatch(memory, replace(memory, text=text, language="en"), fingerprint(text))
    return await ledger.patch_memory(tenant_id, "ana", change, forgetting_state=None, actor="test")


async def ids_of(ledger: SqlLedger, tenant_id: str, key: str, user_id: str = "ana") -> list[str]:
    found = await ledger.memories_of_attributes(tenant_id, user_id, [key])
    return [one.id for one in found.get(key, []) if one.status is MemoryStatus.ACTIVE]


def keyless(text: bytes) -> bytes:
    """The export as a version without attributes wrote it."""
    lines: list[dict[str, Any]] = documents(text)
    for line in lines:
        line.pop("attribute_key", None)
    return text_of(lines)


# --- import -------------------------------------------------------------------------------------


async def test_memories_that_come_without_attributes_get_those_that_their_words_claim(
    ledger: SqlLedger, acme: str
) -> None:
    await learn(ledger, acme, PORTO, None)
    await learn(ledger, acme, "The weather was awful.", None)

    done = await imported(ledger, acme, keyless(await exported(ledger, acme)), "ben")

    assert done.status is OperationStatus.SUCCEEDED
    assert len(await ids_of(ledger, acme, LIVES, "ben")) == 1


async def test_of_several_without_attributes_the_one_said_last_holds_and_the_other_is_dated(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await learn(ledger, acme, PORTO, None)
    ledger_clock.advance(3600)
    await learn(ledger, acme, LISBON, None)

    await imported(ledger, acme, keyless(await exported(ledger, acme)), "ben")

    found = await ledger.memories_of_attributes(acme, "ben", [LIVES])
    old, new = sorted(found[LIVES], key=lambda one: one.status is MemoryStatus.ACTIVE)
    assert (old.text, new.text) == (PORTO, LISBON)
    assert (old.status, old.superseded_by) == (MemoryStatus.SUPERSEDED, new.id)
    assert old.valid_to is not None


async def test_an_attribute_that_is_known_to_be_none_stays_none(
    ledger: SqlLedger, acme: str
) -> None:
    await learn(ledger, acme, PORTO, None)
    before = await exported(ledger, acme)

    await imported(ledger, acme, before, "ben")

    assert await ids_of(ledger, acme, LIVES, "ben") == []


# --- corrections --------------------------------------------------------------------------------


async def test_a_corrected_memory_claims_what_its_new_words_do(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, PORTO, LIVES)

    await patch(ledger, acme, memory, ACME)

    assert await ids_of(ledger, acme, LIVES) == []
    assert await ids_of(ledger, acme, WORKS) == [memory.id]


async def test_a_corrected_value_is_still_that_of_its_attribute(
    ledger: SqlLedger, acme: str
) -> None:
    memory = await learn(ledger, acme, PORTO, LIVES)

    await patch(ledger, acme, memory, LISBON)

    assert await ids_of(ledger, acme, LIVES) == [memory.id]


async def test_a_correction_to_an_attribute_that_another_memory_holds_is_refused(
    ledger: SqlLedger, acme: str
) -> None:
    porto = await learn(ledger, acme, PORTO, LIVES)
    work = await learn(ledger, acme, ACME, WORKS)

    with pytest.raises(AttributeTaken) as refused:
        await patch(ledger, acme, work, LISBON)

    assert refused.value.details["memory_id"] == porto.id
    assert (await ledger.get_memory(acme, work.id, user_id="ana")).text == ACME
    assert await ids_of(ledger, acme, WORKS) == [work.id]
