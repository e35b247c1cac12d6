"""Encoders for tests: one that needs no weights, and the shipped one, loaded once a process."""

import functools
import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lightmem.adapters.onnx import OnnxEncoder, open_encoder
from lightmem.ports import Encoded


class WordHashEncoder:
    """Texts that share words are near: the sum of one fixed random vector per word, normalised.

    `encoded` lists the texts it was given, in order.
    """

    def __init__(self, dim: int = 64, *, encoder_id: str = "word-hash-64") -> None:
        self.encoder_id = encoder_id
        self.dim = self.token_dim = dim
        self.encoded: list[str] = []

    async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dim)."""
        self.encoded.extend(texts)
        return np.array([self.vector(text) for text in texts], np.float32).reshape(-1, self.dim)

    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The same vectors, and one for each word."""
        vectors = await self.encode(texts)
        return [
            Encoded(vector, self.tokens(text)) for vector, text in zip(vectors, texts, strict=True)
        ]

    def tokens(self, text: str) -> NDArray[np.float32]:
        """The unit vectors of a text's words, shape (n, dim)."""
        return np.array([self.vector(word) for word in text.split()], np.float32).reshape(
            -1, self.dim
        )

    def vector(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one text."""
        words = text.casefold().split() or [""]
        total = np.sum([_word_vector(word.strip(".,!?:"), self.dim) for word in words], axis=0)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


@functools.cache
def _word_vector(word: str, dim: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(dim)


@functools.cache
def minilm() -> OnnxEncoder:
    """The shipped encoder, with one thread."""
    return open_encoder("minilm", threads=1)
