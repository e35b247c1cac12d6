"""What is forgotten or deleted leaves what dreams made of it too, and nothing else goes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.model import (
    AddMemory,
    Claim,
    ConceptType,
    Dream,
    DreamAction,
    DreamPlan,
    DreamPolicy,
    Memory,
    MemoryStatus,
    PlannedStep,
    Relation,
    Source,
    Statement,
    Term,
    Verdict,
)
from lightmem.ports.dreams import DreamWish
from support.clock import FixedClock
from support.dreams import forget, merge, planned, refs, rows_of_user, update
from support.forgetting import Remembering, remembering
from support.ledgers import FREE, add, say, stored

AUTO = DreamWish(DreamPolicy.AUTO)
CODE, TEA = "The gate code is zebra 7719.", "I like green tea in the morning."
BOTH = f"{CODE} {TEA}"
ACTIVE, SUPERSEDED, FORGOTTEN = (
    MemoryStatus.ACTIVE,
    MemoryStatus.SUPERSEDED,
    MemoryStatus.FORGOTTEN,
)


@pytest.fixture
async def system(
    ledger: SqlLedger, ledger_url: str, acme: str, ledger_clock: FixedClock, tmp_path: Path
) -> AsyncIterator[Remembering]:
    async with remembering(ledger, ledger_url, acme, ledger_clock, tmp_path) as opened:
        yield opened


async def learnt(system: Remembering, text: str) -> Memory:
    """A turn of these words and one memory that says them."""
    accepted = await say(system.ledger, system.tenant_id, text)
    (memory,) = await system.ledger.commit_writing(
        system.tenant_id,
        "ana",
        accepted.operation.id,
        changes=[add(text, Source(accepted.turn_ids[0], text))],
        outcomes=stored(*accepted.turns),
        extraction=FREE,
    )
    return memory


async def merged(system: Remembering, text: str, *memories: Memory) -> Memory:
    """What a dream made of the memories."""
    dream = await planned(system.ledger, system.tenant_id, merge(text, *memories), wish=AUTO)
    return await made_by(system, dream)


async def made_by(system: Remembering, dream: Dream) -> Memory:
    return await system.ledger.get_memory(system.tenant_id, dream.steps[0].memory_id or "")


async def statuses(system: Remembering, *memories: Memory) -> list[MemoryStatus]:
    found = await system.ledger.get_memories(system.tenant_id, "ana", [one.id for one in memories])
    return [one.status for one in found]


async def let_go(system: Remembering, memory: Memory) -> list[str]:
    done = await system.forget(system.tenant_id, "ana", [memory.id], actor="test")
    await system.work()
    return list(done.forgotten)


async def everything(system: Remembering) -> str:
    await system.work()
    return system.rows() + await system.indexed() + await system.at_hand()


async def test_forgetting_what_a_dream_made_forgets_what_it_was_made_of(
    system: Remembering,
) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    made = await merged(system, BOTH, code, tea)
    before = await everything(system)

    forgotten = await let_go(system, made)

    assert set(forgotten) == {made.id, code.id, tea.id}
    assert "7719" in before
    assert "green" in before
    after = await everything(system)
    assert "7719" not in after
    assert "green" not in after


async def test_forgetting_one_original_takes_the_merge_back_and_keeps_the_other(
    system: Remembering,
) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    made = await merged(system, BOTH, code, tea)

    forgotten = await let_go(system, code)

    assert set(forgotten) == {code.id, made.id}
    assert await statuses(system, code, tea, made) == [FORGOTTEN, ACTIVE, FORGOTTEN]
    after = await everything(system)
    assert "7719" not in after
    assert TEA in await system.indexed()


async def test_deleting_the_turn_of_one_original_takes_the_merge_back(system: Remembering) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    made = await merged(system, BOTH, code, tea)

    await system.ledger.delete_turn(
        system.tenant_id, code.sources[0].turn_id, user_id=None, actor="test"
    )

    assert "7719" not in await everything(system)
    assert await statuses(system, code, tea, made) == [FORGOTTEN, ACTIVE, FORGOTTEN]


async def test_what_an_original_says_by_itself_stays_when_another_is_deleted(
    system: Remembering,
) -> None:
    less, tea = await learnt(system, "I like green tea."), await learnt(system, TEA)
    made = await merged(system, TEA, less, tea)

    await system.ledger.delete_turn(
        system.tenant_id, less.sources[0].turn_id, user_id=None, actor="test"
    )

    assert await statuses(system, less, tea, made) == [FORGOTTEN, SUPERSEDED, ACTIVE]


async def test_what_was_made_of_what_was_made_goes_too(system: Remembering) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    hill = await learnt(system, "I walk up the hill with Rex.")
    first = await merged(system, BOTH, code, tea)
    second = await merged(system, f"{BOTH} {hill.text}", first, hill)

    await let_go(system, code)

    assert "7719" not in await everything(system)
    left = await statuses(system, code, first, second, tea, hill)
    assert left == [FORGOTTEN, FORGOTTEN, FORGOTTEN, ACTIVE, ACTIVE]


async def test_a_dream_whose_memory_was_forgotten_is_still_taken_back(
    system: Remembering, ledger_url: str
) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    hill, hills = await learnt(system, "I walk up hills."), await learnt(system, "I walk.")
    steps = merge(BOTH, code, tea), merge(hill.text, hill, hills)
    dream = await planned(system.ledger, system.tenant_id, *steps, wish=AUTO)
    await let_go(system, code)

    await system.ledger.undo_dream(system.tenant_id, dream.id, user_id=None, actor="test")

    assert "7719" not in await everything(system)
    left = await statuses(system, code, tea, hill, hills)
    assert left == [FORGOTTEN, ACTIVE, ACTIVE, ACTIVE]
    assert rows_of_user(ledger_url, system.tenant_id, tables=("dreams",))["dreams"]


async def test_a_plan_under_review_keeps_no_words_of_what_is_forgotten(
    system: Remembering,
) -> None:
    code, tea = await learnt(system, "zebra 7719"), await learnt(system, TEA)
    dream = await planned(system.ledger, system.tenant_id, merge(f"zebra 7719. {TEA}", code, tea))

    await let_go(system, code)

    assert "7719" not in await everything(system)
    applied = await system.ledger.apply_dream(
        system.tenant_id, dream.id, step_ids=None, user_id=None, actor="test"
    )
    assert not applied.steps[0].is_applied
    assert await statuses(system, tea) == [ACTIVE]


async def test_the_value_that_replaced_another_goes_without_it_coming_back(
    system: Remembering,
) -> None:
    old = await learnt(system, "I keep my spare key with Bob.")
    new = await learnt(system, "I keep my spare key in the zebra vase.")
    dream = await planned(system.ledger, system.tenant_id, update(new.text, old, new), wish=AUTO)
    assert dream.steps[0].is_applied

    await let_go(system, new)

    assert "zebra" not in await everything(system)
    assert ACTIVE not in await statuses(system, old, new)


async def test_what_was_archived_by_a_dream_is_forgotten_as_any_other(system: Remembering) -> None:
    code = await learnt(system, CODE)
    await planned(system.ledger, system.tenant_id, forget(code), wish=AUTO)

    await let_go(system, code)

    assert "7719" not in await everything(system)


async def test_what_was_promoted_is_taken_back_with_the_memory_a_dream_made(
    system: Remembering,
) -> None:
    claim = Claim(
        Term(ConceptType.CONCEPT, "zebra", "zebra"),
        Relation.HAS_PROPERTY,
        Term(ConceptType.CONCEPT, "striped", "striped"),
    )
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    made = await merged(system, BOTH, code, tea)
    step = PlannedStep(DreamAction.PROMOTE, refs(made), None, claim)
    await planned(system.ledger, system.tenant_id, step, wish=AUTO)
    assert len(await system.ledger.promotions(system.tenant_id, "ana")) == 1

    await let_go(system, code)

    assert await system.ledger.promotions(system.tenant_id, "ana") == []
    assert "zebra" not in await everything(system)


async def test_forgetting_the_value_by_another_memory_leaves_the_rest_of_a_merge(
    system: Remembering,
) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    made = await merged(system, BOTH, code, tea)
    accepted = await say(system.ledger, system.tenant_id, "Zebra 7719 it is.")
    statement = Statement(
        "Zebra 7719.", code.kind, "en", (), [Source(accepted.turn_ids[0], "Zebra 7719")]
    )
    (other,) = await system.ledger.commit_writing(
        system.tenant_id,
        "ana",
        accepted.operation.id,
        changes=[AddMemory(statement, "zebra")],
        outcomes=stored(*accepted.turns),
        extraction=FREE,
    )

    await let_go(system, other)

    assert "7719" not in await everything(system)
    assert TEA in await system.indexed()
    assert (await statuses(system, made))[0] is not SUPERSEDED


@pytest.mark.parametrize("wish", [DreamWish(), AUTO])
async def test_a_plan_that_comes_after_a_forgetting_keeps_no_words_of_it(
    system: Remembering, wish: DreamWish
) -> None:
    code, tea = await learnt(system, CODE), await learnt(system, TEA)
    plan = DreamPlan([merge(BOTH, code, tea)])
    dream = await system.ledger.request_dream(system.tenant_id, "ana", wish, actor="test")
    assert dream is not None
    await system.forget(system.tenant_id, "ana", [code.id], actor="test")

    stored_plan = await system.ledger.commit_plan(system.tenant_id, "ana", dream.id, plan)

    assert "7719" not in await everything(system)
    assert [step.verdict for step in stored_plan.steps] == [Verdict.ABORTED]
    assert await statuses(system, code, tea) == [FORGOTTEN, ACTIVE]
