"""Turns are encoded while they are stored, and what was encoded is told by their words."""

import asyncio
from collections.abc import Sequence
from typing import cast

from lightmem.errors import Unavailable
from lightmem.ports import Encoded, Encoder
from lightmem_gateway.ahead import encoding_ahead
from support.encoders import WordHashEncoder
from support.ledgers import said
from support.turns import a_turn

SAID = [said("Green tea"), said("Black coffee")]
TURNS = [a_turn("Green tea"), a_turn("a struck word", number=2)]


class Down:
    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        raise Unavailable("down")


class Hanging:
    """Never answers, and tells that nobody waits any more."""

    def __init__(self) -> None:
        self.is_left = False

    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        try:
            await asyncio.Event().wait()
        finally:
            self.is_left = True
        return []


async def test_a_turn_has_the_vectors_of_its_words_unless_they_were_struck() -> None:
    encoder = WordHashEncoder()

    with encoding_ahead(encoder, SAID) as ahead:
        known = await ahead.known(TURNS)

    [(key, (text, encoded))] = known.items()
    assert (key, text) == (TURNS[0].id, "Green tea")
    assert (encoded.vector == encoder.vector("Green tea")).all()


async def test_without_an_encoder_nothing_is_known() -> None:
    with encoding_ahead(cast(Encoder, Down()), SAID) as down, encoding_ahead(None, SAID) as none:
        assert await down.known(TURNS) == {}
        assert await none.known(TURNS) == {}


async def test_what_is_not_stored_is_not_waited_for() -> None:
    hanging = Hanging()

    with encoding_ahead(cast(Encoder, hanging), SAID):
        await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert hanging.is_left
