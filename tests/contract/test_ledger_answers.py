"""An answer is given once under a key, and the same again whoever asks again."""

import asyncio

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import IdempotencyConflict, WrongState
from lightmem.model import Idempotency
from support.clock import FixedClock

KEY = Idempotency("POST /v1/admin/tenants", "key-1", "body-1")
OTHER_BODY = Idempotency(KEY.route, KEY.key, "body-2")
DAY_S = 86_400.0
ME, ANOTHER = "claim-1", "claim-2"


async def test_a_kept_answer_is_given_again(ledger: SqlLedger) -> None:
    first = await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)

    await ledger.keep("admin", KEY, '{"id": "1"}', owner=ME)

    assert first is None
    assert await ledger.claim("admin", KEY, lease_s=30.0, owner=ME) == '{"id": "1"}'


async def test_another_body_conflicts_before_and_after_the_answer(ledger: SqlLedger) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    with pytest.raises(IdempotencyConflict):
        await ledger.claim("admin", OTHER_BODY, lease_s=30.0, owner=ME)

    await ledger.keep("admin", KEY, "{}", owner=ME)

    with pytest.raises(IdempotencyConflict):
        await ledger.claim("admin", OTHER_BODY, lease_s=30.0, owner=ME)


async def test_a_claim_keeps_others_out_until_its_lease_ends(
    ledger: SqlLedger, ledger_clock: FixedClock
) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    with pytest.raises(WrongState):
        await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)

    ledger_clock.advance(30.0)

    assert await ledger.claim("admin", KEY, lease_s=30.0, owner=ME) is None


async def test_a_released_key_is_free_for_any_body(ledger: SqlLedger) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)

    await ledger.release("admin", KEY, owner=ME)

    assert await ledger.claim("admin", OTHER_BODY, lease_s=30.0, owner=ME) is None


async def test_an_answer_is_not_released(ledger: SqlLedger) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    await ledger.keep("admin", KEY, "{}", owner=ME)

    await ledger.release("admin", KEY, owner=ME)

    assert await ledger.claim("admin", KEY, lease_s=30.0, owner=ME) == "{}"


async def test_the_first_answer_stays(ledger: SqlLedger) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    await ledger.keep("admin", KEY, "first", owner=ME)

    await ledger.keep("admin", KEY, "second", owner=ME)

    assert await ledger.claim("admin", KEY, lease_s=30.0, owner=ME) == "first"


async def test_a_key_is_of_its_scope_and_route(ledger: SqlLedger, acme: str) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    await ledger.keep("admin", KEY, "{}", owner=ME)

    other_route = Idempotency("another", KEY.key, KEY.body_hash)

    assert await ledger.claim(acme, KEY, lease_s=30.0, owner=ME) is None
    assert await ledger.claim("admin", other_route, lease_s=30.0, owner=ME) is None


async def test_an_answer_is_kept_for_seven_days(
    ledger: SqlLedger, ledger_clock: FixedClock
) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    await ledger.keep("admin", KEY, "{}", owner=ME)
    ledger_clock.advance(6.9 * DAY_S)
    before = await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)

    ledger_clock.advance(0.1 * DAY_S)

    assert before == "{}"
    assert await ledger.claim("admin", OTHER_BODY, lease_s=30.0, owner=ME) is None


async def test_of_many_claims_at_once_one_is_granted(ledger: SqlLedger) -> None:
    results = await asyncio.gather(
        *[ledger.claim("admin", KEY, lease_s=30.0, owner=ME) for _ in range(20)],
        return_exceptions=True,
    )

    assert results.count(None) == 1
    assert sum(isinstance(result, WrongState) for result in results) == 19


async def test_who_lost_a_claim_can_neither_release_nor_answer_for_its_successor(
    ledger: SqlLedger, ledger_clock: FixedClock
) -> None:
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ME)
    ledger_clock.advance(30.0)
    await ledger.claim("admin", KEY, lease_s=30.0, owner=ANOTHER)

    await ledger.release("admin", KEY, owner=ME)
    await ledger.keep("admin", KEY, "late", owner=ME)

    with pytest.raises(WrongState):
        await ledger.claim("admin", KEY, lease_s=30.0, owner="claim-3")
    await ledger.keep("admin", KEY, "mine", owner=ANOTHER)
    assert await ledger.claim("admin", KEY, lease_s=30.0, owner=ME) == "mine"
