"""A foreign id and an unknown one give the same answer, on every method."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import NotFound, VersionConflict
from lightmem.model import (
    JobKind,
    Memory,
    MemoryChange,
    Outcome,
    Source,
    SupersedeMemory,
    SupportMemory,
    TurnOutcome,
)
from support.ledgers import FREE, add, learn, say


@dataclass(frozen=True, slots=True)
class Anas:
    """What Ana, a user of Acme, has in the ledger."""

    ledger: SqlLedger
    tenant_id: str
    other_tenant_id: str
    turn_id: str
    operation_id: str
    memory: Memory


@pytest.fixture
async def anas(ledger: SqlLedger, acme: str) -> Anas:
    memory = await learn(ledger, acme, "I live in Lisbon.")
    accepted = await say(ledger, acme, "And I like tea.")
    other = await ledger.create_tenant("other", k_anonymity=3, actor="test")
    return Anas(ledger, acme, other.id, accepted.turn_ids[0], accepted.operation.id, memory)


Call = Callable[[Anas, str, str | None], Awaitable[object]]

BY_ID: dict[str, Call] = {
    "get_turn": lambda a, t, u: a.ledger.get_turn(t, a.turn_id, user_id=u),
    "delete_turn": lambda a, t, u: a.ledger.delete_turn(t, a.turn_id, user_id=u, actor="x"),
    "get_operation": lambda a, t, u: a.ledger.get_operation(t, a.operation_id, user_id=u),
    "retry_operation": lambda a, t, u: a.ledger.retry_operation(
        t, a.operation_id, user_id=u, actor="x"
    ),
    "get_memory": lambda a, t, u: a.ledger.get_memory(t, a.memory.id, user_id=u),
    "memory_history": lambda a, t, u: a.ledger.memory_history(t, a.memory.id, user_id=u),
    "commit_writing": lambda a, t, u: a.ledger.commit_writing(
        t,
        u or "ana",
        a.operation_id,
        changes=[],
        outcomes=[TurnOutcome(a.turn_id, Outcome.NO_FACTS)],
        extraction=FREE,
    ),
}


@pytest.mark.parametrize("name", BY_ID)
async def test_another_tenant_does_not_find_it(anas: Anas, name: str) -> None:
    with pytest.raises(NotFound):
        await BY_ID[name](anas, anas.other_tenant_id, None)


@pytest.mark.parametrize("name", BY_ID)
async def test_another_user_does_not_find_it(anas: Anas, name: str) -> None:
    with pytest.raises(NotFound):
        await BY_ID[name](anas, anas.tenant_id, "bob")


@pytest.mark.parametrize("name", BY_ID)
async def test_what_others_tried_left_it_untouched(anas: Anas, name: str) -> None:
    for tenant_id, user_id in ((anas.other_tenant_id, None), (anas.tenant_id, "bob")):
        with pytest.raises(NotFound):
            await BY_ID[name](anas, tenant_id, user_id)

    operation = await anas.ledger.get_operation(anas.tenant_id, anas.operation_id, user_id="ana")
    assert operation.outcomes[0].outcome is Outcome.PENDING
    assert (await anas.ledger.get_turn(anas.tenant_id, anas.turn_id, user_id="ana")).seq == 2
    assert await anas.ledger.get_memory(anas.tenant_id, anas.memory.id) == anas.memory


@pytest.mark.parametrize("user_id", ["bob", "", "*", "%", "ANA", "ana ", "' OR '1'='1"])
async def test_lists_hold_only_what_is_the_users_own(anas: Anas, user_id: str) -> None:
    await nothing_is_listed(anas, anas.tenant_id, user_id)


async def test_lists_hold_only_what_is_the_tenants_own(anas: Anas) -> None:
    await nothing_is_listed(anas, anas.other_tenant_id, "ana")


async def nothing_is_listed(anas: Anas, tenant_id: str, user_id: str) -> None:
    ledger, whose = anas.ledger, (tenant_id, user_id)
    asked = [anas.turn_id, anas.memory.id]
    turns = await ledger.list_turns(*whose, session_id=None, limit=9, cursor=None)
    session = await ledger.list_turns(*whose, session_id="s1", limit=9, cursor=None)
    sessions = await ledger.list_sessions(*whose, limit=9, cursor=None)
    memories = await ledger.list_memories(
        *whose, status=None, kind=None, query=None, limit=9, cursor=None
    )

    assert [turns.items, session.items, sessions.items, memories.items] == [[]] * 4
    assert await ledger.get_turns(*whose, asked, neighbours=5) == []
    assert await ledger.get_memories(*whose, asked) == []


async def test_a_cursor_of_another_users_list_shows_only_ones_own(anas: Anas) -> None:
    await say(anas.ledger, anas.tenant_id, "I am Bob.", user_id="bob")
    page = await anas.ledger.list_turns(
        anas.tenant_id, "ana", session_id=None, limit=1, cursor=None
    )

    own = await anas.ledger.list_turns(
        anas.tenant_id, "bob", session_id=None, limit=9, cursor=page.next_cursor
    )

    assert {turn.user_id for turn in own.items} == {"bob"}


async def test_neighbours_are_never_of_another_user_with_the_same_session_id(
    anas: Anas,
) -> None:
    bobs = await say(anas.ledger, anas.tenant_id, "I am Bob.", user_id="bob", session_id="s1")

    turns = await anas.ledger.get_turns(anas.tenant_id, "bob", bobs.turn_ids, neighbours=5)

    assert [turn.content for turn in turns] == ["I am Bob."]


async def test_a_memory_never_quotes_or_changes_what_is_anothers(anas: Anas) -> None:
    bobs = await say(anas.ledger, anas.tenant_id, "I am Bob.", user_id="bob")
    (turn,) = bobs.turns
    quote_of_ana = Source(anas.turn_id, "I like tea")
    own = Source(turn.id, "I am Bob.")
    supersede = SupersedeMemory(anas.memory.id, 1, add("x", own), None)
    changes: list[MemoryChange] = [SupportMemory(anas.memory.id, [own]), supersede]

    touched = await bob_writes(anas, bobs.operation.id, add("Bob likes tea", quote_of_ana))
    for change in changes:
        with pytest.raises(VersionConflict):
            await bob_writes(anas, bobs.operation.id, change)

    assert touched == []
    assert await anas.ledger.get_memory(anas.tenant_id, anas.memory.id) == anas.memory


async def test_the_same_words_of_two_users_are_two_memories(anas: Anas) -> None:
    bobs = await learn(anas.ledger, anas.tenant_id, "I live in Lisbon.", user_id="bob")
    others = await learn(anas.ledger, anas.other_tenant_id, "I live in Lisbon.")

    assert len({anas.memory.id, bobs.id, others.id}) == 3
    assert await anas.ledger.get_memory(anas.tenant_id, anas.memory.id) == anas.memory


async def test_jobs_carry_whose_they_are(anas: Anas) -> None:
    await say(anas.ledger, anas.other_tenant_id, "Hi.", user_id="eve")

    jobs = await anas.ledger.lease_jobs([JobKind.WRITE], limit=9, lease_s=60.0)

    whose = {job.payload["operation_id"]: (job.tenant_id, job.user_id) for job in jobs}
    assert whose[anas.operation_id] == (anas.tenant_id, "ana")
    assert (anas.other_tenant_id, "eve") in whose.values()


async def bob_writes(anas: Anas, operation_id: str, change: MemoryChange) -> list[Memory]:
    return await anas.ledger.commit_writing(
        anas.tenant_id, "bob", operation_id, changes=[change], outcomes=[], extraction=FREE
    )
