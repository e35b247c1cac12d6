"""A dream costs what is new and what is near it, however much there is: counted, not timed."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from lightmem.adapters.ledger import SqlLedger
from lightmem.model import DreamBasis, DreamPolicy, DreamStatus, JobKind, MemoryKind
from lightmem.ports.dreams import DreamWish
from lightmem_consolidator.near import MOST_OLDER
from support.clock import FixedClock
from support.dreaming import Dreamer
from support.dreams import forget, merge, planned, rows_of_user
from support.indexes import ENCODER
from support.ledgers import learn

AUTO = DreamWish(DreamPolicy.AUTO)
MONTH_S = 30 * 86_400
#: Of a dream that is asked for, planned and applied, whatever is in it.
MOST_STATEMENTS = 75


@contextmanager
def statements() -> Iterator[list[str]]:
    """All statements that ledgers are given meanwhile."""
    given: list[str] = []

    def executed(connection: object, cursor: object, statement: str, *others: object) -> None:
        given.append(statement)

    event.listen(Engine, "before_cursor_execute", executed)
    try:
        yield given
    finally:
        event.remove(Engine, "before_cursor_execute", executed)


async def known_before(dreamer: Dreamer, count: int) -> None:
    """So many memories that share all their words but one with the others, dreamt over already."""
    await dreamer.learn(*(f"The tram passed stop {number} today." for number in range(count)))
    await dreamer.dream(memories=1_000)


@pytest.mark.parametrize("pairs", [2, 20])
async def test_as_many_statements_apply_and_undo_a_large_plan_as_a_small_one(
    ledger: SqlLedger, acme: str, ledger_url: str, pairs: int
) -> None:
    learnt = [await learn(ledger, acme, f"It was {number}.") for number in range(3 * pairs)]
    steps = [
        step
        for number in range(pairs)
        for step in (
            merge(f"Both {number}.", *learnt[3 * number : 3 * number + 2]),
            forget(learnt[3 * number + 2]),
        )
    ]
    before = rows_of_user(ledger_url, acme)

    with statements() as applying:
        dream = await planned(ledger, acme, *steps, wish=AUTO)
    with statements() as undoing:
        await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert all(step.is_applied for step in dream.steps)
    assert len(applying) <= MOST_STATEMENTS
    assert len(undoing) <= MOST_STATEMENTS
    assert rows_of_user(ledger_url, acme) == before


async def test_a_dream_encodes_what_is_new_and_a_few_that_are_near_it_however_much_there_is(
    dreamer: Dreamer,
) -> None:
    await known_before(dreamer, 40)
    await dreamer.learn("The tram passed the harbour today.")
    encoded = len(ENCODER.encoded)

    with statements() as asked:
        dream = await dreamer.dream()

    assert dream.status is DreamStatus.APPLIED
    assert len(ENCODER.encoded) - encoded <= 1 + MOST_OLDER
    assert len(asked) <= MOST_STATEMENTS


async def test_what_a_later_dream_will_read_is_left_to_it(dreamer: Dreamer) -> None:
    await dreamer.learn(*(f"The tram passed stop {number} today." for number in range(12)))
    encoded = len(ENCODER.encoded)

    await dreamer.dream(memories=4)

    assert len(ENCODER.encoded) - encoded == 4


async def test_what_was_superseded_is_not_encoded_again_for_the_index(dreamer: Dreamer) -> None:
    await dreamer.learn("I like green tea.", "I like green tea with honey.")
    dream = await dreamer.dream()
    (job, *_) = [
        job
        for job in await dreamer.ledger.lease_jobs([JobKind.INDEX_MEMORIES], limit=9, lease_s=60.0)
        if len(job.payload["memory_ids"]) == 3
    ]
    encoded = len(ENCODER.encoded)

    await dreamer.indexing.index_memories(dreamer.tenant_id, "ana", job.payload["memory_ids"])

    made = {step.after.text for step in dream.steps if step.after is not None}
    assert set(ENCODER.encoded[encoded:]) == made
    items = await dreamer.index.get(dreamer.tenant_id, "ana", job.payload["memory_ids"])
    assert sum(item.superseded_at is not None for item in items) == 2


async def basis_of(dreamer: Dreamer, *, pressed_from: int = 1_000) -> DreamBasis:
    """What a dream by itself would begin with now."""
    dream = await dreamer.ledger.request_dream(dreamer.tenant_id, "ana", AUTO, actor="test")
    assert dream is not None
    month = dreamer.consolidator()._limits.unused_for
    return await dreamer.ledger.dream_basis(
        dreamer.tenant_id, "ana", dream.id, limit=500, pressed_from=pressed_from, unused_for=month
    )


async def test_what_nobody_recalled_is_looked_at_once(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    await dreamer.learn(*(f"The tram passed stop {number} today." for number in range(9)))
    early = await basis_of(dreamer)
    ledger_clock.advance(MONTH_S)
    due = await basis_of(dreamer)

    await dreamer.dream()

    assert (len(early.unused), len(due.unused)) == (0, 9)
    assert list((await basis_of(dreamer)).unused) == []


async def test_what_there_was_no_room_for_is_looked_at_again(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    await dreamer.learn(
        "I'm so happy for you!", "I'm super thankful.", "I'm a huge fan.", "It was."
    )
    ledger_clock.advance(MONTH_S)

    await dreamer.dream()

    left = await basis_of(dreamer)
    assert "I'm super thankful." in {memory.text for memory in left.unused}


async def test_under_pressure_nothing_is_proposed_that_is_kept_anyway(dreamer: Dreamer) -> None:
    await dreamer.learn(*(f"My knee hurts on day {number}." for number in range(8)))
    await dreamer.learn("The tram is yellow.", kind=MemoryKind.OTHER)

    dream = await dreamer.dream(pressed_from=3)

    assert [[one.text for one in step.before] for step in dream.steps] == [["The tram is yellow."]]
