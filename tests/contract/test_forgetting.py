"""Forgotten stays forgotten, over each ledger: no words are left, and none come back."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.forgetting import says_nothing
from lightmem.errors import ForgottenMeanwhile, NotFound
from lightmem.forgetting import ForgetMemories, ForgottenValues
from lightmem.model import (
    Forgot,
    Idempotency,
    JobKind,
    Memory,
    MemoryStatus,
    NewTurn,
    OperationKind,
    OperationStatus,
    Outcome,
    Role,
    Source,
)
from lightmem_gateway.forgetting import Forget, GoesOn
from lightmem_gateway.remembering import Remember
from support.clock import FixedClock
from support.encoders import minilm
from support.forgetting import SECRET, Remembering, opened_index, remembering
from support.indexes import files_with
from support.ledgers import FREE, NOON, add, said, stored

PHONE = "555-0142"
SAYS_PHONE = f"My phone number is {PHONE}."


@pytest.fixture
async def system(
    ledger: SqlLedger, ledger_url: str, acme: str, ledger_clock: FixedClock, tmp_path: Path
) -> AsyncIterator[Remembering]:
    async with remembering(ledger, ledger_url, acme, ledger_clock, tmp_path) as opened:
        yield opened


async def forget(system: Remembering, words: str) -> Forgot:
    memory = await system.memory_of(words)
    return await system.forget(system.tenant_id, "ana", [memory.id], actor="test")


# --- what is struck ---------------------------------------------------------------------------


async def test_no_words_of_a_forgotten_value_are_left_anywhere(system: Remembering) -> None:
    captioned = NewTurn(
        Role.USER, "Look at this card.", NOON, metadata={"caption": f"a card with {PHONE}"}
    )
    await system.say(f"{SAYS_PHONE} I love hiking in the hills.", "What a day!", captioned)
    await system.say(NewTurn(Role.ASSISTANT, "Fine, I noted 555 0142 for you.", NOON))
    memory = await system.memory_of(PHONE)
    key = Idempotency("chat", "k1", "hash")
    await system.ledger.claim(system.tenant_id, key, lease_s=60.0, owner="o")
    answer = json.dumps({"recall": {"items": [{"text": memory.text}]}, "answer": f"It is {PHONE}."})
    await system.ledger.keep(system.tenant_id, key, answer, owner="o", user_id="ana")
    before = system.rows() + await system.indexed() + await system.at_hand()

    done = await system.forget(system.tenant_id, "ana", [memory.id], actor="test")
    at_once = system.rows() + await system.indexed() + await system.at_hand()
    await system.work()
    after = system.rows() + await system.indexed() + await system.at_hand()

    assert before.count("0142") > 5
    assert "0142" not in at_once
    assert "0142" not in after
    assert memory.id in done.forgotten
    assert len(done.redacted_turns) == 3
    assert await system.contents() == [
        "[forgotten]. I love hiking in the hills.",
        "What a day!",
        "Look at this card.",
        "Fine, [forgotten].",
    ]


async def test_what_else_a_turn_says_is_found_as_before(system: Remembering) -> None:
    await system.say(f"{SAYS_PHONE} I love hiking in the hills.")

    await forget(system, PHONE)

    hiking = await system.memory_of("hiking")
    assert hiking.status is MemoryStatus.ACTIVE
    assert "I love hiking in the hills" in await system.indexed()
    assert [
        source.quote in content
        for source in hiking.sources
        for content in [(await system.contents())[0]]
    ] == [True]


async def test_every_version_of_a_forgotten_memory_loses_its_words(system: Remembering) -> None:
    await system.say("I moved to Lisbon with my dog Rex.")
    await forget(system, "Lisbon")

    (memory,) = await system.memories()

    history = await system.ledger.memory_history(system.tenant_id, memory.id)
    assert memory.status is MemoryStatus.FORGOTTEN
    assert {version.text for version in history} == {""}
    assert memory.sources == ()


async def test_a_memory_whose_every_quote_was_struck_is_forgotten_with_them(
    system: Remembering,
) -> None:
    accepted = await system.ledger.append_turns(
        system.tenant_id, "ana", "s1", [said("I moved to Lisbon with my dog Rex.")], actor="test"
    )
    (turn,) = accepted.turns
    lisbon, rex, other = await system.ledger.commit_writing(
        system.tenant_id,
        "ana",
        accepted.operation.id,
        changes=[
            add("Ana moved to Lisbon", Source(turn.id, turn.content)),
            add("Ana has a dog called Rex", Source(turn.id, turn.content)),
            add("Ana likes big dogs", Source(turn.id, "my dog Rex")),
        ],
        outcomes=stored(turn),
        extraction=FREE,
    )

    done = await system.forget(system.tenant_id, "ana", [lisbon.id], actor="test")

    assert set(done.forgotten) == {lisbon.id, rex.id, other.id}
    assert len(done.tombstones) == 1
    assert await system.contents() == ["[forgotten]."]


async def test_a_quote_that_keeps_other_words_is_what_its_turn_has_now(
    system: Remembering,
) -> None:
    content = "My phone number is 555-0142 and my sister Marta plays chess on Sundays."
    accepted = await system.ledger.append_turns(
        system.tenant_id, "ana", "s1", [said(content)], actor="test"
    )
    (turn,) = accepted.turns
    phone, chess = await system.ledger.commit_writing(
        system.tenant_id,
        "ana",
        accepted.operation.id,
        changes=[
            add("Ana's phone number is 555-0142", Source(turn.id, "My phone number is 555-0142")),
            add("Marta plays chess on Sundays", Source(turn.id, content)),
        ],
        outcomes=stored(turn),
        extraction=FREE,
    )

    await system.forget(system.tenant_id, "ana", [phone.id], actor="test")

    kept = await system.ledger.get_memory(system.tenant_id, chess.id)
    assert kept.status is MemoryStatus.ACTIVE
    assert [source.quote for source in kept.sources] == await system.contents()
    assert kept.sources[0].quote == ("[forgotten] and my sister Marta plays chess on Sundays.")


async def learn_of_phone_and_bob(system: Remembering) -> tuple[Memory, Memory]:
    """Two memories: the number alone, and the number among other things."""
    accepted = await system.ledger.append_turns(
        system.tenant_id, "ana", "s1", [said(SAYS_PHONE), said("I gave it to Bob.")], actor="test"
    )
    first, second = accepted.turns
    text = "Ana met Bob at the bar on Friday, and she gave him 555-0142."
    phone, bob = await system.ledger.commit_writing(
        system.tenant_id,
        "ana",
        accepted.operation.id,
        changes=[
            add("Ana's phone number is 555-0142", Source(first.id, SAYS_PHONE)),
            replace(add(text, Source(second.id, second.content)), attribute_key="met:bob"),
        ],
        outcomes=stored(first, second),
        extraction=FREE,
    )
    return phone, bob


async def test_a_memory_that_says_the_value_among_other_things_is_rewritten(
    system: Remembering,
) -> None:
    phone, bob = await learn_of_phone_and_bob(system)

    await system.forget(system.tenant_id, "ana", [phone.id], actor="test")

    history = await system.ledger.memory_history(system.tenant_id, bob.id)
    assert [version.text for version in history] == [
        "Ana met Bob at the bar on Friday, and [forgotten]."
    ] * 2
    assert "0142" not in system.rows()
    assert "met:bob" not in system.rows()


@pytest.mark.parametrize("kind", [JobKind.INDEX_TURNS, JobKind.INDEX_MEMORIES])
async def test_no_file_of_the_index_has_struck_words_after_the_next_start(
    system: Remembering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: JobKind
) -> None:
    async def killed(*_: object) -> None:
        """The process ends once the forgetting is durable; its jobs are left."""

    phone, _ = await learn_of_phone_and_bob(system)
    await system.work()
    said_before = files_with(tmp_path / "index", PHONE)
    monkeypatch.setattr(ForgetMemories, "reach", killed)
    await system.forget(system.tenant_id, "ana", [phone.id], actor="test")
    await system.work(without=[kind])
    # As after a start at which the files were written anew, for what had been deleted by then.
    (tmp_path / "index" / "deleted").unlink()

    await system.work()

    after = tmp_path / "started again"
    shutil.copytree(tmp_path / "index", after)
    async with opened_index(after):
        assert said_before
        assert files_with(after, PHONE) == []


async def test_a_dry_run_tells_the_same_and_changes_nothing(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    memory = await system.memory_of(PHONE)
    before = system.rows()

    would = await system.forget(system.tenant_id, "ana", [memory.id], actor="test", dry_run=True)

    assert list(would.forgotten) == [memory.id]
    assert system.rows() == before


async def test_one_unknown_id_and_nothing_is_forgotten(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    await system.say("I keep bees in my garden.", user_id="bob")
    mine = await system.memory_of(PHONE)
    (theirs,) = await system.memories("bob")

    for other in (theirs.id, "01890000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound):
            await system.forget(system.tenant_id, "ana", [mine.id, other], actor="test")

    assert (await system.memory_of(PHONE)).status is MemoryStatus.ACTIVE


# --- what does not come back ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("again", "left"),
    [
        (SAYS_PHONE, "[forgotten]."),
        ("MY PHONE NUMBER IS ５５５－０１４２", "[forgotten]"),
        ("my ph\u200bone number: (555) 0142!", "my ph\u200bone number: ([forgotten]!"),
        ("By the way, my phone number is 555 0142.", "By the way, [forgotten]."),
        ("Call me at 5550142, and bring the bread.", "[forgotten], and bring the bread."),
    ],
    ids=["same", "width-and-case", "invisible", "within", "other-words"],
)
async def test_a_forgotten_value_said_again_is_struck_before_it_is_stored(
    system: Remembering, again: str, left: str
) -> None:
    await system.say(SAYS_PHONE)
    await forget(system, PHONE)

    accepted = await system.say(again)

    (outcome,) = accepted.operation.outcomes
    assert (await system.contents())[1:] == [left]
    assert (outcome.outcome is Outcome.REJECTED) == says_nothing(left)
    assert outcome.reason == ("FORGOTTEN" if says_nothing(left) else None)
    assert bool(accepted.turns) == (not says_nothing(left))
    assert "0142" not in system.rows()


async def test_another_process_strikes_what_was_forgotten_here(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    forgotten = ForgottenValues(ledger=system.ledger, encoder=minilm(), secret=SECRET)
    elsewhere = Remember(
        ledger=system.ledger,
        short_term=system.short_term,
        indexing=system.indexing,
        notify=lambda: None,
        forgotten=forgotten,
    )
    whose = (system.tenant_id, "ana", "s1")
    await elsewhere(*whose, [said("I keep bees.")], actor="test")
    done = await forget(system, PHONE)

    first = await elsewhere(*whose, [said(SAYS_PHONE)], actor="test")
    await system.ledger.lift_tombstone(*whose[:2], done.tombstones[0], actor="test")
    second = await elsewhere(*whose, [said(SAYS_PHONE)], actor="test")
    await elsewhere.settle()

    outcomes = [one.accepted.operation.outcomes[0].outcome for one in (first, second)]
    assert outcomes == [Outcome.REJECTED, Outcome.PENDING]


async def test_another_value_of_the_same_kind_is_learnt(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    await forget(system, PHONE)

    await system.say("My phone number is 555-0199.")

    assert (await system.memory_of("555-0199")).status is MemoryStatus.ACTIVE


async def test_another_user_may_say_it(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    await forget(system, PHONE)

    await system.say(SAYS_PHONE, user_id="bob")

    (memory,) = await system.memories("bob")
    assert PHONE in memory.text


async def test_a_lifted_tombstone_lets_the_value_be_learnt_and_restores_nothing(
    system: Remembering,
) -> None:
    await system.say(SAYS_PHONE)
    done = await forget(system, PHONE)

    await system.ledger.lift_tombstone(system.tenant_id, "ana", done.tombstones[0], actor="key:1")
    before = await system.contents()
    await system.say(SAYS_PHONE)

    assert before == ["[forgotten]."]
    assert (await system.memory_of(PHONE)).status is MemoryStatus.ACTIVE
    trail = await system.ledger.list_audit(system.tenant_id, limit=200, cursor=None)
    lifted = [entry for entry in trail.items if entry.action == "tombstone.lift"]
    assert [(entry.actor, entry.target) for entry in lifted] == [("key:1", done.tombstones[0])]


async def test_the_same_turn_sent_again_is_the_same_turn(system: Remembering) -> None:
    turn = said(f"{SAYS_PHONE} I love hiking in the hills.", client_id="c1")
    first = await system.say(turn)
    await forget(system, PHONE)

    again = await system.say(turn)

    assert again.turn_ids == first.turn_ids
    assert [one.outcome for one in again.operation.outcomes] == [Outcome.DUPLICATE]
    assert "0142" not in system.rows()


async def test_words_that_were_held_against_another_state_are_refused(
    system: Remembering,
) -> None:
    before = await system.forgotten.screen(system.tenant_id, "ana", [SAYS_PHONE])
    accepted = await system.say(SAYS_PHONE)
    await forget(system, PHONE)

    with pytest.raises(ForgottenMeanwhile):
        await system.ledger.append_turns(
            system.tenant_id,
            "ana",
            "s1",
            [said(SAYS_PHONE)],
            actor="test",
            forgetting_state=before.state,
        )
    with pytest.raises(ForgottenMeanwhile):
        await system.ledger.commit_writing(
            system.tenant_id,
            "ana",
            accepted.operation.id,
            changes=[add(SAYS_PHONE, Source(accepted.turn_ids[0], "phone"))],
            outcomes=[],
            extraction=FREE,
            forgetting_state=before.state,
        )


async def test_a_write_that_races_a_forget_does_not_bring_the_value_back(
    system: Remembering,
) -> None:
    await system.say(SAYS_PHONE)
    memory = await system.memory_of(PHONE)
    turns = [[said(f"Note {place}: {SAYS_PHONE}")] for place in range(12)]

    await asyncio.gather(
        *(
            system.remember(system.tenant_id, "ana", f"s{place}", given, actor="test")
            for place, given in enumerate(turns[:6])
        ),
        system.forget(system.tenant_id, "ana", [memory.id], actor="test"),
        *(
            system.remember(system.tenant_id, "ana", f"t{place}", given, actor="test")
            for place, given in enumerate(turns[6:])
        ),
    )
    at_once = await system.indexed() + await system.at_hand()
    await system.work()

    assert "0142" not in system.rows()
    assert "0142" not in at_once
    assert "0142" not in await system.indexed() + await system.at_hand()


async def test_tombstones_hold_no_words(system: Remembering) -> None:
    await system.say("My sister Marta is getting divorced in Lisbon.")
    await forget(system, "Marta")

    kept = await system.ledger.tombstones(system.tenant_id, "ana")

    assert len(kept.items) == 1
    rows = system.rows().casefold()
    assert not [word for word in ("marta", "divorc", "lisbon", "sister") if word in rows]


async def test_a_question_finds_what_it_means(system: Remembering) -> None:
    await system.say(SAYS_PHONE, "I love hiking in the hills.", "My dog Rex is three.")

    found = await system.find(system.tenant_id, "ana", "phone number")

    assert [memory.text for memory in found] == [(await system.memory_of(PHONE)).text]
    assert await system.find(system.tenant_id, "bob", "phone number") == []


# --- what takes long --------------------------------------------------------------------------


async def test_what_takes_longer_than_a_caller_waits_ends_in_its_operation(
    system: Remembering,
) -> None:
    await system.say(SAYS_PHONE)
    memory = await system.memory_of(PHONE)
    forget = Forget(ledger=system.ledger, forget=system.forget, notify=lambda: None, wait_s=0.0)

    goes_on = await forget(system.tenant_id, "ana", [memory.id], actor="test")
    assert isinstance(goes_on, GoesOn)
    await forget.settle()
    operation = await system.ledger.get_operation(system.tenant_id, goes_on.operation_id)
    await system.work()

    assert operation.status is OperationStatus.SUCCEEDED
    assert operation.result is not None
    assert operation.result["forgotten"] == [memory.id]
    assert operation.result["redacted_turns"] == 1
    assert "0142" not in system.rows()


async def test_a_forgetting_whose_process_ended_is_done_by_its_job(system: Remembering) -> None:
    await system.say(SAYS_PHONE)
    memory = await system.memory_of(PHONE)

    operation_id = await system.ledger.begin_forgetting(
        system.tenant_id, "ana", [memory.id], actor="test"
    )
    await system.work()

    operation = await system.ledger.get_operation(system.tenant_id, operation_id)
    assert operation.kind is OperationKind.FORGET
    assert operation.status is OperationStatus.SUCCEEDED
    assert operation.result is not None
    assert operation.result["forgotten"] == [memory.id]
    assert "0142" not in system.rows() + await system.indexed()


# --- turns that are deleted -------------------------------------------------------------------


async def test_a_deleted_turn_leaves_kept_answers_too(system: Remembering) -> None:
    accepted = await system.say(SAYS_PHONE)
    key = Idempotency("chat", "k1", "hash")
    await system.ledger.claim(system.tenant_id, key, lease_s=60.0, owner="o")
    answer = json.dumps({"recall": {"context": f"ana said: {SAYS_PHONE}"}})
    await system.ledger.keep(system.tenant_id, key, answer, owner="o", user_id="ana")

    await system.ledger.delete_turn(
        system.tenant_id, accepted.turn_ids[0], user_id="ana", actor="test"
    )
    await system.work()

    assert "0142" not in system.rows() + await system.indexed()


async def test_an_answer_that_was_held_against_another_state_is_not_kept(
    system: Remembering,
) -> None:
    await system.say(SAYS_PHONE)
    key = Idempotency("POST /v1/chat", "k1", "body")
    await system.ledger.claim(system.tenant_id, key, lease_s=30.0, owner="o")
    before = await system.ledger.forgetting_state(system.tenant_id, "ana")
    await forget(system, PHONE)

    for state in (before, "another"):
        with pytest.raises(ForgottenMeanwhile):
            await system.ledger.keep(
                system.tenant_id,
                key,
                json.dumps({"answer": SAYS_PHONE}),
                owner="o",
                user_id="ana",
                forgetting_state=state,
            )

    assert "0142" not in system.rows()
