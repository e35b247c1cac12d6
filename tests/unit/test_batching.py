"""Batches that concurrent callers share."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from lightmem.adapters.onnx.batching import BATCH_TOKENS, URGENT_RUN, MicroBatcher
from lightmem.ports import Encoded

NO_TOKENS = np.empty((0, 0), np.float32)


class GatedEmbed:
    """Embeds a row as its first token and its length; each batch waits for a permit."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.with_tokens: list[bool] = []
        self.permits = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def __call__(self, rows: Sequence[Sequence[int]], with_tokens: bool) -> list[Encoded]:
        self.batches.append([row[0] for row in rows])
        self.with_tokens.append(with_tokens)
        self.begun.release()
        self.permits.acquire()
        if any(row[0] < 0 for row in rows):
            raise ValueError("a bad row")
        return [Encoded(np.array([row[0], len(row)], np.float32), NO_TOKENS) for row in rows]

    def let_all(self) -> None:
        """Let everything through from now on."""
        self.permits.release(10_000)


@pytest.fixture
def embed() -> GatedEmbed:
    return GatedEmbed()


@pytest.fixture
async def batcher(embed: GatedEmbed) -> AsyncIterator[MicroBatcher]:
    opened = MicroBatcher(embed)
    yield opened
    embed.let_all()
    await asyncio.to_thread(opened.close)


def vectors_of(answers: Sequence[Encoded]) -> list[list[float]]:
    return [answer.vector.tolist() for answer in answers]


def row(mark: int, length: int = 8) -> list[int]:
    return [mark] * length


async def begun(embed: GatedEmbed) -> None:
    """Wait until one more batch is being embedded."""
    await asyncio.to_thread(embed.begun.acquire)


async def submitted(batcher: MicroBatcher, *rows: list[int]) -> asyncio.Task[list[Encoded]]:
    """A request that has joined its lane."""
    task = asyncio.create_task(batcher.submit(rows))
    await asyncio.sleep(0)
    return task


async def test_answers_are_in_the_order_of_the_rows(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    embed.let_all()
    rows = [row(mark, length) for mark, length in ((1, 30), (2, 3), (3, 90), (4, 3))]

    answers = await batcher.submit(rows)

    assert vectors_of(answers) == [[1, 30], [2, 3], [3, 90], [4, 3]]


async def test_callers_that_wait_together_share_a_batch(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    first = await submitted(batcher, row(1))
    await begun(embed)
    others = [await submitted(batcher, row(mark)) for mark in (2, 3, 4)]

    embed.let_all()
    await asyncio.gather(first, *others)

    assert embed.batches == [[1], [2, 3, 4]]


async def test_a_short_request_waits_for_one_batch_of_a_large_one_at_most(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    large = await submitted(batcher, *[row(mark, 32) for mark in range(100, 200)])
    await begun(embed)
    short = await submitted(batcher, row(1))

    embed.let_all()
    await asyncio.gather(large, short)

    assert embed.batches[1] == [1]
    assert all(len(batch) * 32 <= BATCH_TOKENS for batch in embed.batches)


async def test_a_large_request_has_its_turn_among_many_short_ones(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    blocker = await submitted(batcher, row(0))
    await begun(embed)
    large = await submitted(batcher, *[row(100, 16) for _ in range(5)])
    shorts = [await submitted(batcher, row(1, BATCH_TOKENS)) for _ in range(URGENT_RUN * 2)]

    embed.let_all()
    await asyncio.gather(blocker, large, *shorts)

    turn = next(at for at, batch in enumerate(embed.batches) if batch[0] == 100)
    assert turn <= URGENT_RUN + 1


async def test_a_row_longer_than_a_batch_goes_alone(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    embed.let_all()

    answers = await batcher.submit([row(1, BATCH_TOKENS * 2), row(2, BATCH_TOKENS * 2)])

    assert [length for _, length in vectors_of(answers)] == [BATCH_TOKENS * 2] * 2
    assert embed.batches == [[1], [2]]


async def test_a_failing_batch_fails_its_callers_and_no_others(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    bad = await submitted(batcher, row(-1))
    await begun(embed)
    good = await submitted(batcher, row(2))

    embed.let_all()

    with pytest.raises(ValueError, match="a bad row"):
        await bad
    assert vectors_of(await good) == [[2, 8]]


async def test_a_caller_that_gave_up_is_not_embedded_for(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    first = await submitted(batcher, row(1))
    await begun(embed)
    given_up = await submitted(batcher, row(2))
    kept = await submitted(batcher, row(3))
    given_up.cancel()
    await asyncio.sleep(0)

    embed.let_all()
    await asyncio.gather(first, kept)

    assert embed.batches == [[1], [3]]


async def test_tokens_are_made_for_a_batch_in_which_somebody_wants_them(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    first = await submitted(batcher, row(1))
    await begun(embed)
    without = asyncio.create_task(batcher.submit([row(2)], with_tokens=False))
    await asyncio.sleep(0)
    beside = await submitted(batcher, row(3))

    embed.let_all()
    await asyncio.gather(first, without, beside)
    await batcher.submit([row(4)], with_tokens=False)

    assert embed.batches == [[1], [2, 3], [4]]
    assert embed.with_tokens == [True, True, False]


async def test_callers_of_other_event_loops_are_answered_there(
    batcher: MicroBatcher, embed: GatedEmbed
) -> None:
    embed.let_all()

    answers = await asyncio.to_thread(lambda: asyncio.run(batcher.submit([row(5)])))

    assert vectors_of(answers) == [[5, 8]]


async def test_closing_fails_those_who_wait(embed: GatedEmbed) -> None:
    batcher = MicroBatcher(embed)
    first = await submitted(batcher, row(1))
    await begun(embed)
    waiting = await submitted(batcher, row(2))
    closing = asyncio.create_task(asyncio.to_thread(batcher.close))
    await asyncio.sleep(0.05)

    embed.permits.release()
    await closing

    assert vectors_of(await first) == [[1, 8]]
    with pytest.raises(RuntimeError, match="closed"):
        await waiting
    with pytest.raises(RuntimeError, match="closed"):
        await batcher.submit([row(3)])
