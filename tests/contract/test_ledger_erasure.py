"""Erasing a user: every row is gone, what is under way brings nothing back, they may begin anew."""

import asyncio
import json
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import create_engine

from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.tables import metadata
from lightmem.errors import Erased, LightMemError, NotFound, WrongState
from lightmem.model import Idempotency, JobKind, OperationKind, OperationStatus, Source
from support.clock import FixedClock
from support.ledgers import FREE, add, learn, said, say, stored

SECRET = "Xylophonist Quetzal"
EMPTY = {"qdrant": 0, "neo4j": 0, "redis": 0}


async def erase(ledger: SqlLedger, tenant_id: str, user_id: str = "ana") -> dict[str, Any]:
    begun = await ledger.begin_erasure(tenant_id, user_id, actor="test")
    ended = await ledger.end_erasure(tenant_id, begun.id, remaining=EMPTY)
    assert ended.result is not None
    return dict(ended.result)


def counts(receipt: dict[str, Any], name: str) -> dict[str, int]:
    return {one["store"]: one[name] for one in receipt["stores"]}


def everything_in(url: str) -> str:
    """All rows of all tables, as text."""
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = [
            str(tuple(row))
            for table in metadata.tables.values()
            for row in connection.execute(table.select())
        ]
    engine.dispose()
    return "\n".join(rows)


async def test_no_words_of_an_erased_user_are_left(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    await learn(ledger, acme, f"I am the {SECRET}.")

    receipt = await erase(ledger, acme)

    assert SECRET not in everything_in(ledger_url)
    assert counts(receipt, "removed")["ledger"] >= 8
    assert counts(receipt, "removed")["jobs"] >= 2
    assert set(counts(receipt, "remaining").values()) == {0}
    page = await ledger.list_turns(acme, "ana", session_id=None, limit=10, cursor=None)
    assert page.items == []


async def test_a_receipt_carries_the_digest_of_the_rest(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")

    receipt = await erase(ledger, acme)

    rest = {name: value for name, value in receipt.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    assert receipt["digest"] == sha256(text.encode()).hexdigest()
    trail = await ledger.list_audit(acme, limit=100, cursor=None)
    assert trail.items[-1].target == receipt["digest"]


async def test_an_unknown_user_is_erased_of_nothing(ledger: SqlLedger, acme: str) -> None:
    receipt = await erase(ledger, acme, "nobody")

    assert set(counts(receipt, "removed").values()) == {0}
    assert set(counts(receipt, "remaining").values()) == {0}


async def test_an_unknown_tenant_has_nobody_to_erase(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await erase(ledger, "01900000-0000-7000-8000-000000000000")


async def test_others_keep_what_is_theirs(ledger: SqlLedger, acme: str) -> None:
    other = (await ledger.create_tenant("globex", k_anonymity=3, actor="test")).id
    mine = await learn(ledger, acme, "Mine.", user_id="bob")
    theirs = await learn(ledger, other, "Theirs.", user_id="ana")
    await learn(ledger, acme, "Gone.")

    await erase(ledger, acme)

    assert (await ledger.get_memory(acme, mine.id)).text == "Mine."
    assert (await ledger.get_memory(other, theirs.id)).text == "Theirs."
    assert len(await ledger.get_turns(other, "ana", [theirs.sources[0].turn_id])) == 1


async def test_a_user_who_was_erased_begins_anew(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "Before.")
    await erase(ledger, acme)

    await learn(ledger, acme, "After.")

    page = await ledger.list_turns(acme, "ana", session_id=None, limit=10, cursor=None)
    assert [(turn.content, turn.seq) for turn in page.items] == [("After.", 1)]


async def test_nobody_writes_for_a_user_while_they_are_erased(ledger: SqlLedger, acme: str) -> None:
    begun = await ledger.begin_erasure(acme, "ana", actor="test")

    with pytest.raises(WrongState):
        await say(ledger, acme, "Meanwhile.")

    await ledger.end_erasure(acme, begun.id, remaining=EMPTY)
    await say(ledger, acme, "Afterwards.")


async def test_a_writer_that_ends_after_the_erasure_brings_nothing_back(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    accepted = await say(ledger, acme, f"I am the {SECRET}.")
    (turn,) = accepted.turns
    begun = await ledger.begin_erasure(acme, "ana", actor="test")

    for expected in (WrongState, NotFound):
        with pytest.raises(expected):
            await ledger.commit_writing(
                acme,
                "ana",
                accepted.operation.id,
                changes=[add(turn.content, Source(turn.id, turn.content))],
                outcomes=stored(turn),
                extraction=FREE,
            )
        await ledger.end_erasure(acme, begun.id, remaining=EMPTY)

    assert SECRET not in everything_in(ledger_url)


async def test_two_erasures_at_once_are_one(ledger: SqlLedger, acme: str) -> None:
    await learn(ledger, acme, "One.")

    first, second = await asyncio.gather(
        *(ledger.begin_erasure(acme, "ana", actor="test") for _ in range(2))
    )
    receipts = [await ledger.end_erasure(acme, first.id, remaining=EMPTY) for _ in range(2)]

    assert first.id == second.id
    assert receipts[0] == receipts[1]
    assert receipts[0].kind is OperationKind.ERASE
    assert receipts[0].status is OperationStatus.SUCCEEDED


async def test_the_greatest_count_of_a_store_is_told(ledger: SqlLedger, acme: str) -> None:
    begun = await ledger.begin_erasure(acme, "ana", actor="test")

    for count in (5, 0):
        await ledger.note_erased(acme, begun.id, "qdrant", count)
    ended = await ledger.end_erasure(acme, begun.id, remaining={"qdrant": 1})

    assert ended.result is not None
    assert counts(dict(ended.result), "removed")["qdrant"] == 5
    assert counts(dict(ended.result), "remaining")["qdrant"] == 1


async def test_an_erasure_that_was_left_falls_due_and_sweeps_follow_it(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    begun = await ledger.begin_erasure(acme, "ana", actor="test")
    ledger_clock.advance(60)

    (job,) = await ledger.lease_jobs([JobKind.ERASE], limit=5, lease_s=30)
    await ledger.end_erasure(acme, begun.id, remaining=EMPTY)

    assert job.payload["operation_id"] == begun.id
    assert await ledger.get_job(job.id) is None
    ledger_clock.advance(3600)
    assert len(await ledger.lease_jobs([JobKind.SWEEP], limit=5, lease_s=30)) == 2


# --- kept answers ---------------------------------------------------------------------------


async def claim(ledger: SqlLedger, acme: str, given: Idempotency) -> str | None:
    return await ledger.claim(acme, given, lease_s=60, owner="me")


async def test_kept_answers_about_the_user_are_struck(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    about, other = Idempotency("PATCH m", "k1", "hash"), Idempotency("PATCH m", "k2", "hash")
    for given, user_id in ((about, "ana"), (other, "bob")):
        await claim(ledger, acme, given)
        await ledger.keep(acme, given, f'{{"text": "{SECRET}"}}', owner="me", user_id=user_id)
    turns = Idempotency("POST turns", "k3", "hash")
    await ledger.append_turns(acme, "ana", "s", [said("x")], actor="a", idempotency=turns)

    await erase(ledger, acme)

    for given in (about, Idempotency("PATCH m", "k1", "another hash")):
        with pytest.raises(Erased):
            await claim(ledger, acme, given)
    with pytest.raises(Erased):
        await ledger.append_turns(acme, "ana", "s", [said("x")], actor="a", idempotency=turns)
    assert await claim(ledger, acme, other) is not None


async def test_an_answer_that_is_kept_after_the_erasure_is_not_given(
    ledger: SqlLedger, acme: str, ledger_url: str, ledger_clock: FixedClock
) -> None:
    given = Idempotency("PATCH m", "k1", "hash")
    await claim(ledger, acme, given)
    ledger_clock.advance(1)
    await erase(ledger, acme)
    ledger_clock.advance(1)

    await ledger.keep(acme, given, f'{{"text": "{SECRET}"}}', owner="me", user_id="ana")

    with pytest.raises(Erased):
        await claim(ledger, acme, given)
    assert SECRET not in everything_in(ledger_url)


async def test_answers_about_who_began_anew_are_kept(
    ledger: SqlLedger, acme: str, ledger_clock: FixedClock
) -> None:
    await erase(ledger, acme)
    ledger_clock.advance(1)
    turns, patch = Idempotency("POST turns", "k1", "hash"), Idempotency("PATCH m", "k2", "hash")
    await claim(ledger, acme, patch)

    await ledger.keep(acme, patch, '{"text": "new"}', owner="me", user_id="ana")
    first, second = [
        await ledger.append_turns(acme, "ana", "s", [said("x")], actor="a", idempotency=turns)
        for _ in range(2)
    ]

    assert await claim(ledger, acme, patch) == '{"text": "new"}'
    assert first.turn_ids == second.turn_ids


# --- many interleavings ---------------------------------------------------------------------


@pytest.mark.parametrize("round_", range(5))
async def test_whatever_races_an_erasure_comes_before_it_or_begins_anew(
    ledger: SqlLedger, acme: str, round_: int
) -> None:
    before = [await learn(ledger, acme, f"Before {number}.") for number in range(3)]

    async def write(number: int) -> str:
        await asyncio.sleep(0.002 * ((number * 7 + round_) % 11))
        try:
            memory = await learn(ledger, acme, f"Racing {number}.")
        except (WrongState, NotFound):
            return ""
        return memory.id

    async def erase_soon() -> dict[str, Any]:
        await asyncio.sleep(0.002 * round_)
        return await erase(ledger, acme)

    erasing = asyncio.create_task(erase_soon())
    written = await asyncio.gather(*(write(number) for number in range(12)))
    receipt = await erasing

    assert set(counts(receipt, "remaining").values()) == {0}
    for memory in before:
        with pytest.raises(LightMemError):
            await ledger.get_memory(acme, memory.id)
    kept = await ledger.list_memories(
        acme, "ana", status=None, kind=None, query=None, limit=50, cursor=None
    )
    assert {memory.id for memory in kept.items} <= set(written)
    for memory in kept.items:
        assert await ledger.get_turns(acme, "ana", [memory.sources[0].turn_id])
