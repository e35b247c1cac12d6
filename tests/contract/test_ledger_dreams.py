"""Dreams in the ledger: planned, applied, taken back, in both databases alike."""

import asyncio
from datetime import timedelta

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.fingerprint import fingerprint
from lightmem.errors import NotFound, WrongState
from lightmem.model import (
    DreamAction,
    DreamPlan,
    DreamPolicy,
    DreamStatus,
    JobKind,
    MemoryStatus,
    OperationKind,
    OperationStatus,
    PlannedStep,
    Source,
    Verdict,
)
from lightmem.ports.dreams import DreamTimes, DreamWish
from support.clock import FixedClock
from support.dreams import forget, last_transaction, merge, planned, rows_of_user, update
from support.ledgers import FREE, add, learn, say, stored

AUTO = DreamWish(DreamPolicy.AUTO)
MONTH = timedelta(days=30)
TIMES = DreamTimes(every_turns=3, idle_s=600.0, pressed_from=1000)


async def test_a_dream_that_is_asked_for_has_an_operation_and_a_job(
    ledger: SqlLedger, acme: str
) -> None:
    dream = await ledger.request_dream(acme, "ana", DreamWish(), actor="test")

    assert dream is not None
    operation = await ledger.get_operation(acme, dream.operation_id)
    (job,) = await ledger.lease_jobs([JobKind.DREAM], limit=5, lease_s=60.0)
    assert operation.kind is OperationKind.DREAM
    assert operation.status is OperationStatus.PENDING
    assert job.payload == {"dream_id": dream.id}
    assert (await ledger.get_dream(acme, dream.id)).status is DreamStatus.PLANNING


async def test_a_plan_changes_no_memory_and_waits_for_review(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    before = rows_of_user(ledger_url, acme)

    dream = await planned(ledger, acme, merge("Tea, green.", tea, green))

    assert dream.status is DreamStatus.REVIEW
    assert [memory.text for memory in dream.steps[0].before] == ["Tea.", "Green tea."]
    assert rows_of_user(ledger_url, acme) == before
    operation = await ledger.get_operation(acme, dream.operation_id)
    assert operation.status is OperationStatus.SUCCEEDED
    assert operation.result is not None
    assert operation.result["counts"]["accepted"] == 1


async def test_what_is_merged_points_to_what_it_became(ledger: SqlLedger, acme: str) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    dream = await planned(ledger, acme, merge("Green tea.", tea, green))

    applied = await ledger.apply_dream(acme, dream.id, step_ids=None, user_id=None, actor="test")

    (step,) = applied.steps
    assert applied.status is DreamStatus.APPLIED
    assert step.is_applied
    assert step.memory_id is not None
    made = await ledger.get_memory(acme, step.memory_id)
    olds = await ledger.get_memories(acme, "ana", [tea.id, green.id])
    assert made.text == "Green tea."
    assert [source.quote for source in made.sources] == ["Tea.", "Green tea."]
    assert {(old.status, old.superseded_by) for old in olds} == {(MemoryStatus.SUPERSEDED, made.id)}
    jobs = await ledger.lease_jobs([JobKind.INDEX_MEMORIES], limit=9, lease_s=60.0)
    assert set(jobs[-1].payload["memory_ids"]) == {tea.id, green.id, made.id}


async def test_an_update_closes_the_earlier_memory_in_favour_of_the_later(
    ledger: SqlLedger, acme: str
) -> None:
    lisbon = await learn(ledger, acme, "I live in Lisbon.")
    porto = await learn(ledger, acme, "I live in Porto.")

    dream = await planned(ledger, acme, update(porto.text, lisbon, porto), wish=AUTO)

    old, new = await ledger.get_memories(acme, "ana", [lisbon.id, porto.id])
    assert dream.status is DreamStatus.APPLIED
    assert (old.status, old.superseded_by) == (MemoryStatus.SUPERSEDED, porto.id)
    assert new == porto


async def test_what_a_dream_forgets_leaves_the_index_and_keeps_its_words(
    ledger: SqlLedger, acme: str
) -> None:
    rain = await learn(ledger, acme, "It rains.")

    await planned(ledger, acme, forget(rain), wish=AUTO)

    found = await ledger.get_memory(acme, rain.id)
    assert (found.status, found.text) == (MemoryStatus.ARCHIVED, "It rains.")


@pytest.mark.parametrize("action", list(DreamAction))
async def test_undoing_restores_every_row_of_the_user(
    ledger: SqlLedger, acme: str, ledger_url: str, action: DreamAction, ledger_clock: FixedClock
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    steps = {
        DreamAction.MERGE: merge("Green tea and tea.", tea, green),
        DreamAction.UPDATE: update("Green tea now.", tea, green),
        DreamAction.FORGET: forget(tea),
        DreamAction.PROMOTE: PlannedStep(DreamAction.PROMOTE, ()),
    }
    before = rows_of_user(ledger_url, acme)
    dream = await planned(ledger, acme, steps[action], wish=AUTO)
    ledger_clock.advance(60)

    undone = await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    assert undone.status is DreamStatus.UNDONE
    assert not any(step.is_applied for step in undone.steps)
    assert rows_of_user(ledger_url, acme) == before


async def test_undoing_keeps_what_was_said_since(ledger: SqlLedger, acme: str) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    dream = await planned(ledger, acme, merge("Green tea.", tea, green), wish=AUTO)
    again = await say(ledger, acme, "Yes: Green tea.")
    await ledger.commit_writing(
        acme,
        "ana",
        again.operation.id,
        changes=[
            add(
                "Green tea.",
                Source(again.turn_ids[0], "Green tea."),
                fingerprint=fingerprint("Green tea."),
            )
        ],
        outcomes=stored(*again.turns),
        extraction=FREE,
    )

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    restored = await ledger.get_memory(acme, green.id)
    ended = await ledger.get_operation(acme, again.operation.id)
    assert restored.status is MemoryStatus.ACTIVE
    assert again.turn_ids[0] in {source.turn_id for source in restored.sources}
    assert ended.outcomes[0].memory_ids == (green.id,)


async def test_a_memory_that_says_the_same_by_now_gives_way_to_the_restored_one(
    ledger: SqlLedger, acme: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    dream = await planned(ledger, acme, merge("Green tea.", tea, green), wish=AUTO)
    anew = await learn(ledger, acme, "Tea.")

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    restored, other = await ledger.get_memories(acme, "ana", [tea.id, anew.id])
    assert restored.status is MemoryStatus.ACTIVE
    assert len(restored.sources) == 2
    assert (other.status, other.superseded_by) == (MemoryStatus.SUPERSEDED, tea.id)


async def test_what_was_forgotten_since_is_not_brought_back(ledger: SqlLedger, acme: str) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    dream = await planned(ledger, acme, merge("Green tea.", tea, green), wish=AUTO)
    await ledger.delete_turn(acme, tea.sources[0].turn_id, user_id=None, actor="test")

    await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")

    gone, kept = await ledger.get_memories(acme, "ana", [tea.id, green.id])
    assert (gone.status, gone.text) == (MemoryStatus.FORGOTTEN, "")
    assert (kept.status, kept.text) == (MemoryStatus.ACTIVE, "Green tea.")


async def test_a_dream_that_another_rests_on_is_not_undone_before_it(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    start = rows_of_user(ledger_url, acme)
    first = await planned(ledger, acme, merge("Green tea.", tea, green), wish=AUTO)
    made = await ledger.get_memory(acme, first.steps[0].memory_id or "")
    second = await planned(ledger, acme, forget(made), wish=AUTO)
    before = rows_of_user(ledger_url, acme)

    with pytest.raises(WrongState):
        await ledger.undo_dream(acme, first.id, user_id=None, actor="test")

    assert rows_of_user(ledger_url, acme) == before
    for dream in (second, first):
        await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")
    assert rows_of_user(ledger_url, acme) == start


async def test_a_step_whose_memory_changed_is_aborted_and_the_rest_applies(
    ledger: SqlLedger, acme: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    rain = await learn(ledger, acme, "It rains.")
    dream = await planned(ledger, acme, merge("Green tea.", tea, green), forget(rain))
    await ledger.delete_turn(acme, tea.sources[0].turn_id, user_id=None, actor="test")

    applied = await ledger.apply_dream(acme, dream.id, step_ids=None, user_id=None, actor="test")

    assert [step.verdict for step in applied.steps] == [Verdict.ABORTED, Verdict.ACCEPTED]
    assert applied.steps[0].reason
    kept, gone = await ledger.get_memories(acme, "ana", [green.id, rain.id])
    assert kept == green
    assert gone.status is MemoryStatus.ARCHIVED


async def test_only_the_steps_that_were_named_are_done(ledger: SqlLedger, acme: str) -> None:
    tea, rain = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "It rains.")
    dream = await planned(ledger, acme, forget(tea), forget(rain))

    applied = await ledger.apply_dream(
        acme, dream.id, step_ids=[dream.steps[1].id], user_id=None, actor="test"
    )

    assert [step.verdict for step in applied.steps] == [Verdict.REJECTED, Verdict.ACCEPTED]
    assert (await ledger.get_memory(acme, tea.id)).status is MemoryStatus.ACTIVE


async def test_a_step_that_is_unknown_or_refused_cannot_be_named(
    ledger: SqlLedger, acme: str
) -> None:
    tea = await learn(ledger, acme, "Tea.")
    refused = PlannedStep(DreamAction.FORGET, forget(tea).before, verdict=Verdict.REJECTED)
    dream = await planned(ledger, acme, refused)

    for step_id, error in ((dream.id, NotFound), (dream.steps[0].id, WrongState)):
        with pytest.raises(error):
            await ledger.apply_dream(acme, dream.id, step_ids=[step_id], user_id=None, actor="test")


async def test_a_call_that_does_not_fit_the_state_is_refused(ledger: SqlLedger, acme: str) -> None:
    dream = await planned(ledger, acme)
    with pytest.raises(WrongState):
        await ledger.undo_dream(acme, dream.id, user_id=None, actor="test")
    rejected = await ledger.reject_dream(acme, dream.id, user_id=None, actor="test")

    assert rejected.status is DreamStatus.REJECTED
    with pytest.raises(WrongState):
        await ledger.apply_dream(acme, dream.id, step_ids=None, user_id=None, actor="test")
    with pytest.raises(WrongState):
        await ledger.reject_dream(acme, dream.id, user_id=None, actor="test")


async def test_a_dream_of_another_is_unknown(ledger: SqlLedger, acme: str) -> None:
    other = (await ledger.create_tenant("other", k_anonymity=3, actor="test")).id
    dream = await planned(ledger, acme)

    for tenant_id, user_id in ((other, None), (acme, "ben")):
        with pytest.raises(NotFound):
            await ledger.get_dream(tenant_id, dream.id, user_id=user_id)
        with pytest.raises(NotFound):
            await ledger.apply_dream(
                tenant_id, dream.id, step_ids=None, user_id=user_id, actor="test"
            )


async def test_dreams_are_listed_latest_first_in_pages(ledger: SqlLedger, acme: str) -> None:
    first, second, third = [await planned(ledger, acme) for _ in range(3)]

    page = await ledger.list_dreams(acme, "ana", limit=2, cursor=None)
    rest = await ledger.list_dreams(acme, "ana", limit=2, cursor=page.next_cursor)

    assert [dream.id for dream in page.items] == [third.id, second.id]
    assert [dream.id for dream in rest.items] == [first.id]
    assert rest.next_cursor is None


async def test_two_dreams_of_a_user_are_not_planned_at_once(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    one = await ledger.request_dream(acme, "ana", DreamWish(), actor="test")
    two = await ledger.request_dream(acme, "ana", DreamWish(), actor="test")
    assert one is not None
    assert two is not None

    async def claim(dream_id: str) -> bool:
        return await ledger.claim_dreaming(acme, "ana", dream_id, lease_s=60.0)

    first, second = await asyncio.gather(claim(one.id), claim(two.id))

    assert sorted([first, second]) == [False, True]
    holder, waiter = (one, two) if first else (two, one)
    assert await claim(holder.id)
    ledger_clock.advance(61)
    assert await claim(waiter.id)


async def test_a_plan_is_stored_once(ledger: SqlLedger, acme: str) -> None:
    tea = await learn(ledger, acme, "Tea.")
    dream = await planned(ledger, acme, forget(tea), wish=AUTO)

    again = await ledger.commit_plan(acme, "ana", dream.id, DreamPlan([forget(tea)]))

    assert again == dream


async def test_a_dream_reads_what_is_new_since_the_last_one(ledger: SqlLedger, acme: str) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    first = await ledger.request_dream(acme, "ana", AUTO, actor="test")
    assert first is not None
    basis = await ledger.dream_basis(
        acme, "ana", first.id, limit=10, pressed_from=100, unused_for=MONTH
    )
    await ledger.commit_plan(acme, "ana", first.id, DreamPlan([], read_up_to=basis.read_up_to))
    rain = await learn(ledger, acme, "It rains.")

    second = await ledger.request_dream(acme, "ana", AUTO, actor="test")
    assert second is not None
    later = await ledger.dream_basis(
        acme, "ana", second.id, limit=10, pressed_from=3, unused_for=MONTH
    )

    assert [memory.id for memory in basis.memories] == [tea.id, green.id]
    assert later.memories[0].id == rain.id
    assert later.active == 3
    assert later.pressed


async def test_a_user_is_dreamt_over_after_enough_turns_or_a_silence(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await say(ledger, acme, "One.", "Two.", "Three.", user_id="ana")
    await say(ledger, acme, "One.", user_id="ben")
    soon = await ledger.due_dreams(TIMES, limit=10)
    ledger_clock.advance(601)
    later = await ledger.due_dreams(TIMES, limit=10)
    await planned(ledger, acme, user_id="ana")
    await planned(ledger, acme, user_id="ben")
    ledger_clock.advance(601)

    assert [(due.user_id, due.trigger) for due in soon] == [("ana", "turns")]
    assert {(due.user_id, due.trigger) for due in later} == {("ana", "turns"), ("ben", "idle")}
    assert await ledger.due_dreams(TIMES, limit=10) == []


async def test_users_with_nothing_new_do_not_keep_others_from_being_looked_at(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lightmem.adapters.ledger.dream_due._MOST_USERS", 1)
    await say(ledger, acme, "One.", "Two.", "Three.", user_id="ana")
    asked = await ledger.request_dream(acme, "ana", DreamWish(), actor="test")
    assert asked is not None
    ledger_clock.advance(1)
    # Planning takes the user's lock, which is activity of a kind.
    await ledger.claim_dreaming(acme, "ana", asked.id, lease_s=60)
    ledger_clock.advance(1)
    await say(ledger, acme, "One.", "Two.", "Three.", user_id="ben")

    due = await ledger.due_dreams(TIMES, limit=10)

    assert [one.user_id for one in due] == ["ben"]


async def test_a_wish_gives_way_to_a_dream_that_is_waiting(ledger: SqlLedger, acme: str) -> None:
    wish = DreamWish(unless_waiting=True)

    first = await ledger.request_dream(acme, "ana", wish, actor="test")

    assert first is not None
    assert await ledger.request_dream(acme, "ana", wish, actor="test") is None


async def test_a_dream_that_fails_ends_its_operation(ledger: SqlLedger, acme: str) -> None:
    dream = await ledger.request_dream(acme, "ana", DreamWish(), actor="test")
    assert dream is not None

    await ledger.fail_dream(acme, "ana", dream.id, "no try of it ended")

    ended = await ledger.get_operation(acme, dream.operation_id)
    assert (await ledger.get_dream(acme, dream.id)).status is DreamStatus.FAILED
    assert ended.status is OperationStatus.FAILED


async def test_what_is_promoted_may_be_merged_in_the_same_dream(
    ledger: SqlLedger, acme: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")
    both = merge("Green tea.", tea, green)

    dream = await planned(
        ledger, acme, both, PlannedStep(DreamAction.PROMOTE, both.before), wish=AUTO
    )

    assert [step.verdict for step in dream.steps] == [Verdict.ACCEPTED] * 2
    assert (await ledger.pending_jobs())[JobKind.PROMOTE] == 1


async def test_a_dream_done_at_once_makes_others_wait_for_the_trail_at_its_end_alone(
    ledger: SqlLedger, acme: str
) -> None:
    tea, green = await learn(ledger, acme, "Tea."), await learn(ledger, acme, "Green tea.")

    with last_transaction() as statements:
        await planned(ledger, acme, merge("Green tea.", tea, green), wish=AUTO)

    is_trail = ["audit" in statement for statement in statements]
    entries = (await ledger.list_audit(acme, limit=50, cursor=None)).items
    assert [entry.action for entry in entries][-2:] == ["dream.plan", "dream.apply"]
    assert any("UPDATE memories" in statement for statement in statements)
    assert all(is_trail[is_trail.index(True) :])
