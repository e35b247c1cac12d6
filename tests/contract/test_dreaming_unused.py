"""Passing remarks leave the index when nobody recalled them for long, and can come back."""

from lightmem.model import DreamAction, DreamPolicy, DreamStatus, MemoryStatus, Use
from lightmem_consolidator.leaving import UNUSED
from support.clock import FixedClock
from support.dreaming import Dreamer
from support.dreams import rows_of_user

REMARK, FACT = "I'm so happy for you!", "I am vegan."
OTHERS = ("The tram is late.", "Owls hoot in the pines.", "Rain fell on the harbour.")
MONTH_S = 30 * 86_400


async def test_a_remark_goes_once_nobody_recalled_it_for_long_and_the_diff_says_why(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    remark, *_ = await dreamer.learn(REMARK, FACT, *OTHERS)
    early = await dreamer.dream()
    ledger_clock.advance(MONTH_S)

    late = await dreamer.dream()

    (step,) = late.steps
    assert early.steps == ()
    assert (step.action, step.is_applied, step.reason) == (DreamAction.FORGET, True, UNUSED)
    assert {memory.text for memory in await dreamer.active()} == {FACT, *OTHERS}
    kept = await dreamer.ledger.get_memory(dreamer.tenant_id, remark.id)
    assert (kept.status, kept.text) == (MemoryStatus.ARCHIVED, REMARK)


async def test_what_was_recalled_stays(dreamer: Dreamer, ledger_clock: FixedClock) -> None:
    remark, *_ = await dreamer.learn(REMARK, *OTHERS)
    use = Use(dreamer.tenant_id, "ana", remark.id, 1, ledger_clock.now())
    await dreamer.ledger.note_uses([use])
    ledger_clock.advance(MONTH_S)

    assert (await dreamer.dream()).steps == ()


async def test_no_more_goes_than_a_dream_may_remove(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    await dreamer.learn(REMARK, "I'm super thankful.", "I'm a huge fan.", OTHERS[0])
    ledger_clock.advance(MONTH_S)

    dream = await dreamer.dream()

    assert sum(step.is_applied for step in dream.steps) == 1
    assert len(await dreamer.active()) == 3


async def test_undoing_brings_it_back_exactly_and_no_dream_of_its_own_takes_it_again(
    dreamer: Dreamer, ledger_clock: FixedClock, ledger_url: str
) -> None:
    await dreamer.learn(REMARK, FACT, *OTHERS)
    ledger_clock.advance(MONTH_S)
    before = rows_of_user(ledger_url, dreamer.tenant_id)
    dream = await dreamer.dream()

    await dreamer.ledger.undo_dream(dreamer.tenant_id, dream.id, user_id=None, actor="test")

    assert rows_of_user(ledger_url, dreamer.tenant_id) == before
    assert (await dreamer.dream()).steps == ()


async def test_what_a_person_left_out_or_has_not_decided_on_is_not_proposed_again(
    dreamer: Dreamer, ledger_clock: FixedClock
) -> None:
    await dreamer.learn(REMARK, FACT, *OTHERS)
    ledger_clock.advance(MONTH_S)
    waiting = await dreamer.dream(policy=DreamPolicy.REVIEW)
    meanwhile = await dreamer.dream()

    applied = await dreamer.ledger.apply_dream(
        dreamer.tenant_id, waiting.id, step_ids=[], user_id=None, actor="test"
    )

    assert meanwhile.steps == ()
    assert applied.status is DreamStatus.APPLIED
    assert (await dreamer.dream()).steps == ()
