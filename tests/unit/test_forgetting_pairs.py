"""How well a forgotten value is known again in other words, and innocent sentences are let be."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from lightmem.domain.forgetting import Hasher, Matcher, form_of, name_keys, texts_of_value
from lightmem.model import Tombstone
from support.encoders import minilm
from support.forgotten_pairs import HELD_OUT, SEEN, Pairs

SPEAKERS = name_keys(["Ana", "安娜"])


async def matcher_of(pairs: Pairs) -> Matcher:
    """What is left of a value once its memory was forgotten."""
    encoder, hasher = minilm(), Hasher(b"secret", "acme", "ana")
    texts = texts_of_value([pairs.quote, pairs.memory])
    forms = [
        form_of(text, vector.tolist(), hasher, entities=pairs.entities, common=SPEAKERS)
        for text, vector in zip(texts, await encoder.encode(texts), strict=True)
    ]
    kept = [form for form in forms if form is not None]
    at = datetime(2024, 5, 8, tzinfo=UTC)
    tombstone = Tombstone("t1", "acme", "ana", at, "requested", encoder.encoder_id, kept)
    return Matcher([tombstone], hasher, encoder_id=encoder.encoder_id)


async def struck_of(matcher: Matcher, texts: Sequence[str]) -> list[str]:
    """Those of the texts that the matcher knows."""
    found = []
    for text in texts:
        look = matcher.look(text)
        wanted = look.texts()
        rows = await minilm().encode(wanted) if wanted else np.zeros((0, minilm().dim), np.float32)
        if matcher.spans(look, rows):
            found.append(text)
    return found


@pytest.mark.parametrize(
    ("table", "language", "least_again", "most_innocent"),
    [
        (SEEN, "en", 29, 0),
        (SEEN, "es", 14, 0),
        (SEEN, "zh", 12, 1),
        (HELD_OUT, "en", 14, 1),
        (HELD_OUT, "es", 8, 0),
        (HELD_OUT, "zh", 7, 0),
    ],
    ids=["seen-en", "seen-es", "seen-zh", "held-en", "held-es", "held-zh"],
)
async def test_values_said_again_are_known_and_innocent_sentences_stay(
    table: Sequence[Pairs], language: str, least_again: int, most_innocent: int
) -> None:
    chosen = [pairs for pairs in table if pairs.language == language]

    again, innocent = [], []
    for pairs in chosen:
        matcher = await matcher_of(pairs)
        again += await struck_of(matcher, pairs.again)
        innocent += await struck_of(matcher, pairs.innocent)

    assert len(again) >= least_again
    assert len(innocent) <= most_innocent, innocent
