"""What every text encoder promises."""

import asyncio

import numpy as np
import pytest

from lightmem.ports import Encoder
from support.encoders import WordHashEncoder, minilm

TEXTS = [
    "We moved to Lisbon last Friday.",
    "ok",
    "",
    "我们上周五搬到了里斯本。",
    "🎂🎂🎂",
    "word " * 2_000,
    "\u0301\u200d\ufeff",
]


@pytest.fixture(params=["minilm", "word-hash"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return minilm() if request.param == "minilm" else WordHashEncoder()


async def test_vectors_are_of_unit_length_and_one_a_text(encoder: Encoder) -> None:
    vectors = await encoder.encode(TEXTS)

    assert vectors.shape == (len(TEXTS), encoder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_no_texts_give_no_vectors(encoder: Encoder) -> None:
    vectors = await encoder.encode([])

    assert vectors.shape == (0, encoder.dim)


async def test_a_text_has_one_vector_whatever_it_is_encoded_with(encoder: Encoder) -> None:
    together = await encoder.encode(TEXTS)

    alone = np.concatenate([await encoder.encode([text]) for text in TEXTS])

    np.testing.assert_allclose(together, alone, atol=1e-5)


async def test_tokens_have_unit_vectors_beside_the_same_vector_of_the_text(
    encoder: Encoder,
) -> None:
    vectors = await encoder.encode(TEXTS)

    encoded = await encoder.encode_tokens(TEXTS)

    np.testing.assert_allclose([one.vector for one in encoded], vectors, atol=1e-5)
    for text, one in zip(TEXTS, encoded, strict=True):
        assert one.tokens.shape[1] == encoder.token_dim
        assert bool(len(one.tokens)) or not text.split() or not text.isprintable()
        np.testing.assert_allclose(np.linalg.norm(one.tokens, axis=1), 1, atol=1e-5)


async def test_concurrent_callers_get_their_own_vectors(encoder: Encoder) -> None:
    texts = [f"{number} people drank tea in Lisbon" for number in range(40)]
    expected = await encoder.encode(texts)

    answers = await asyncio.gather(*(encoder.encode([text]) for text in texts))

    np.testing.assert_allclose(np.concatenate(answers), expected, atol=1e-5)
