"""A write under an idempotency key happens once, over each ledger."""

import asyncio
from typing import Any

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.errors import IdempotencyConflict, InvalidInput
from lightmem.model import Idempotency, KeyRole
from lightmem_gateway.auth import is_key
from lightmem_gateway.idempotency import AnswerOnce, derived_key

KEY = Idempotency(route="POST /v1/things", key="k1", body_hash="a" * 64)
OTHER_BODY = Idempotency(route="POST /v1/things", key="k1", body_hash="b" * 64)


class Counter:
    """An act that says how often it was done."""

    def __init__(self) -> None:
        self.done = 0

    async def __call__(self) -> dict[str, Any]:
        self.done += 1
        await asyncio.sleep(0.01)
        return {"done": self.done}


@pytest.fixture
def act() -> Counter:
    return Counter()


async def test_without_a_key_each_call_acts(ledger: SqlLedger, act: Counter) -> None:
    once = AnswerOnce(ledger)

    answers = [await once("admin", None, act) for _ in range(2)]

    assert answers == [{"done": 1}, {"done": 2}]


async def test_fifty_at_once_act_once_and_all_have_the_answer(
    ledger: SqlLedger, acme: str, act: Counter
) -> None:
    processes = [AnswerOnce(ledger) for _ in range(5)]

    answers = await asyncio.gather(*(once(acme, KEY, act) for once in processes * 10))

    assert answers == [{"done": 1}] * 50


async def test_another_body_is_a_conflict(ledger: SqlLedger, acme: str, act: Counter) -> None:
    once = AnswerOnce(ledger)
    await once(acme, KEY, act)

    with pytest.raises(IdempotencyConflict):
        await once(acme, OTHER_BODY, act)


async def test_an_act_that_fails_leaves_its_key_free(
    ledger: SqlLedger, acme: str, act: Counter
) -> None:
    once = AnswerOnce(ledger)

    async def fail() -> dict[str, Any]:
        raise InvalidInput.of("name", "is none")

    with pytest.raises(InvalidInput):
        await once(acme, KEY, fail)

    assert await once(acme, OTHER_BODY, act) == {"done": 1}


async def test_a_caller_that_leaves_amid_its_act_leaves_the_key_free(
    ledger: SqlLedger, acme: str, act: Counter
) -> None:
    once = AnswerOnce(ledger)
    begun = asyncio.Event()

    async def never_end() -> dict[str, Any]:
        begun.set()
        await asyncio.Event().wait()
        return {}

    leaving = asyncio.create_task(once(acme, KEY, never_end))
    await begun.wait()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)

    assert await once(acme, KEY, act) == {"done": 1}


async def test_a_claim_whose_holder_died_falls_to_the_next(
    ledger: SqlLedger, acme: str, act: Counter, ledger_clock: Any
) -> None:
    await ledger.claim(acme, KEY, lease_s=60, owner="another")

    ledger_clock.advance(61)

    assert await AnswerOnce(ledger)(acme, KEY, act) == {"done": 1}


def test_a_derived_key_follows_from_secret_and_salt_alone() -> None:
    def key(secret: bytes, salt: str) -> str:
        return derived_key(KeyRole.TENANT, secret, salt=salt, idempotency=KEY)

    assert key(b"secret", "salt") == key(b"secret", "salt")
    assert len({key(b"secret", "salt"), key(b"other", "salt"), key(b"secret", "other")}) == 3
    assert is_key(key(b"secret", "salt"), KeyRole.TENANT)
