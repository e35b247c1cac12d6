"""What every short-term buffer promises, in process and on Redis."""

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest

from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.redis import RedisShortTermBuffer
from lightmem.model import Turn
from lightmem.ports import ShortTermBuffer
from support.backends import backend_url
from support.turns import SAID_AT, a_turn

CAPACITY = 3


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.server)])
async def buffer(request: pytest.FixtureRequest) -> AsyncIterator[ShortTermBuffer]:
    opened: ShortTermBuffer
    if request.param == "memory":
        opened = InProcessShortTermBuffer(CAPACITY)
    else:
        opened = RedisShortTermBuffer(backend_url("redis"), capacity=CAPACITY)
    yield opened
    await opened.close()


@pytest.fixture
def tenant() -> str:
    """A tenant of this test alone: the server is shared."""
    return f"tenant-{uuid4()}"


def said(number: int, *, session_id: str = "s1") -> Turn:
    """Turn `number`, recorded in that order."""
    return a_turn(
        f"words {number}",
        number=number,
        session_id=session_id,
        recorded_at=SAID_AT + timedelta(seconds=number),
        metadata={"number": number, "deep": {"list": [1, "二"]}},
    )


def ids(turns: list[Turn]) -> list[str]:
    return [turn.id for turn in turns]


async def test_of_a_large_call_the_latest_turns_are_at_hand(
    buffer: ShortTermBuffer, tenant: str
) -> None:
    large = [said(number, session_id=f"s{number % 2}") for number in range(1, 101)]

    await buffer.append(tenant, "ana", large[::-1])

    first = await buffer.recent(tenant, "ana", session_id="s1", limit=CAPACITY)
    everything = await buffer.recent(tenant, "ana", session_id=None, limit=CAPACITY * 2)
    assert ids(first) == ids(large[-6::2])
    assert ids(everything) == ids(large[-6:])


async def test_a_turn_comes_back_as_it_was_put(buffer: ShortTermBuffer, tenant: str) -> None:
    turn = said(1)

    await buffer.append(tenant, "ana", [turn])

    (found,) = await buffer.recent(tenant, "ana", session_id="s1", limit=5)
    assert (found.content, found.speaker, found.metadata) == (
        turn.content,
        turn.speaker,
        turn.metadata,
    )
    assert (found.occurred_at, found.recorded_at, found.seq) == (
        turn.occurred_at,
        turn.recorded_at,
        turn.seq,
    )


async def test_the_latest_turns_come_oldest_first(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1), said(2), said(3)])

    assert ids(await buffer.recent(tenant, "ana", session_id="s1", limit=2)) == [
        "s1-0002",
        "s1-0003",
    ]


async def test_turns_that_come_late_fall_into_place(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(2)])
    await buffer.append(tenant, "ana", [said(1)])

    assert ids(await buffer.recent(tenant, "ana", session_id=None, limit=5)) == [
        "s1-0001",
        "s1-0002",
    ]


async def test_a_turn_put_twice_is_there_once(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1)])
    await buffer.append(tenant, "ana", [said(1)])

    assert len(await buffer.recent(tenant, "ana", session_id=None, limit=5)) == 1


async def test_a_session_keeps_no_more_than_its_capacity(
    buffer: ShortTermBuffer, tenant: str
) -> None:
    await buffer.append(tenant, "ana", [said(number) for number in range(1, 8)])

    found = await buffer.recent(tenant, "ana", session_id="s1", limit=100)
    assert ids(found) == ["s1-0005", "s1-0006", "s1-0007"]


async def test_a_user_keeps_the_latest_sessions(buffer: ShortTermBuffer, tenant: str) -> None:
    for number in range(1, 10):
        await buffer.append(tenant, "ana", [said(number, session_id=f"s{number}")])

    assert await buffer.recent(tenant, "ana", session_id="s1", limit=5) == []
    assert len(await buffer.recent(tenant, "ana", session_id="s9", limit=5)) == 1
    assert len(await buffer.recent(tenant, "ana", session_id=None, limit=100)) <= 4 * CAPACITY


async def test_sessions_are_kept_apart(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1, session_id="s1"), said(2, session_id="s2")])

    assert ids(await buffer.recent(tenant, "ana", session_id="s2", limit=5)) == ["s2-0002"]
    assert len(await buffer.recent(tenant, "ana", session_id=None, limit=5)) == 2


async def test_users_and_tenants_see_only_their_own(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1)])

    assert await buffer.recent(tenant, "ben", session_id="s1", limit=5) == []
    assert await buffer.recent(f"{tenant}-2", "ana", session_id="s1", limit=5) == []
    # Names that would be the same once run together.
    assert await buffer.recent(f"{tenant}a", "na", session_id="s1", limit=5) == []


async def test_a_removed_turn_is_gone_from_session_and_user(
    buffer: ShortTermBuffer, tenant: str
) -> None:
    await buffer.append(tenant, "ana", [said(1), said(2)])

    await buffer.remove(tenant, "ana", ["s1-0001", "unknown"])

    assert ids(await buffer.recent(tenant, "ana", session_id="s1", limit=5)) == ["s1-0002"]
    assert ids(await buffer.recent(tenant, "ana", session_id=None, limit=5)) == ["s1-0002"]


async def test_a_cleared_user_has_nothing_left(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1)])
    await buffer.append(tenant, "ben", [said(2)])

    await buffer.clear(tenant, "ana")

    assert await buffer.recent(tenant, "ana", session_id=None, limit=5) == []
    assert await buffer.recent(tenant, "ana", session_id="s1", limit=5) == []
    assert len(await buffer.recent(tenant, "ben", session_id=None, limit=5)) == 1


async def test_a_limit_of_nothing_gives_nothing(buffer: ShortTermBuffer, tenant: str) -> None:
    await buffer.append(tenant, "ana", [said(1)])

    assert await buffer.recent(tenant, "ana", session_id=None, limit=0) == []


async def test_it_says_that_it_is_well(buffer: ShortTermBuffer) -> None:
    assert (await buffer.check()).status == "ok"


async def test_all_that_is_at_hand_can_be_told_by_id(buffer: ShortTermBuffer, tenant: str) -> None:
    turns = [said(number, session_id=f"s{number % 2}") for number in range(1, 5)]
    await buffer.append(tenant, "ana", turns)

    assert await buffer.ids(tenant, "ana") == set(ids(turns))
    assert await buffer.ids(tenant, "bob") == set()

    await buffer.clear(tenant, "ana")
    assert await buffer.ids(tenant, "ana") == set()
