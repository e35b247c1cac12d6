"""Bounds of the buffer in process that its server has by other means."""

from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from support.turns import a_turn


async def test_the_least_recently_written_user_makes_room() -> None:
    buffer = InProcessShortTermBuffer(5, max_users=2)
    await buffer.append("acme", "ana", [a_turn("one")])
    await buffer.append("acme", "ben", [a_turn("two")])
    await buffer.append("acme", "ana", [a_turn("three", number=2)])

    await buffer.append("acme", "cleo", [a_turn("four")])

    assert await buffer.recent("acme", "ben", session_id=None, limit=5) == []
    assert len(await buffer.recent("acme", "ana", session_id=None, limit=5)) == 2


async def test_a_capacity_of_nothing_keeps_nothing() -> None:
    buffer = InProcessShortTermBuffer(0)

    await buffer.append("acme", "ana", [a_turn("one")])

    assert await buffer.recent("acme", "ana", session_id=None, limit=5) == []
