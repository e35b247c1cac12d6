"""Turns are encoded while the ledger stores them: neither waits for the other."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lightmem.domain.windows import dense_text
from lightmem.errors import LightMemError
from lightmem.model import NewTurn, Turn
from lightmem.ports import Encoded, Encoder


class Ahead:
    """What is being encoded, by its words: those of a turn that was struck are not among it."""

    def __init__(self, encoding: "asyncio.Task[dict[str, Encoded]] | None") -> None:
        self._encoding = encoding

    async def known(self, turns: Sequence[Turn]) -> dict[str, tuple[str, Encoded]]:
        """The words and vectors of stored turns by id; nothing while the encoder is down."""
        if self._encoding is None:
            return {}
        try:
            encoded = await self._encoding
        except LightMemError:
            return {}
        texts = {turn.id: dense_text(turn) for turn in turns}
        return {key: (text, encoded[text]) for key, text in texts.items() if text in encoded}


@contextmanager
def encoding_ahead(encoder: Encoder | None, turns: Sequence[NewTurn]) -> Iterator[Ahead]:
    """Encode the turns beside the block, which it does not outlast."""
    if encoder is None or not turns:
        yield Ahead(None)
        return
    task = asyncio.create_task(_encode(encoder, turns), name="encode ahead")
    # Nobody may come to ask for it.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        yield Ahead(task)
    finally:
        task.cancel()


async def _encode(encoder: Encoder, turns: Sequence[NewTurn]) -> dict[str, Encoded]:
    texts = list(dict.fromkeys(dense_text(turn) for turn in turns))
    return dict(zip(texts, await encoder.encode_tokens(texts), strict=True))
