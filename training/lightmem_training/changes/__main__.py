"""`python -m lightmem_training.changes`: pairs of statements for training and for validation.

    python -m lightmem_training.changes --talk train.json --valid-talk valid.json --out FOLDER

Writes `train.jsonl` and `valid.jsonl`, the same for the same files and seed.
"""

import argparse
import asyncio
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from lightmem.adapters.onnx import OnnxEncoder, open_encoder
from lightmem_training.changes.pairs import Pair, Pairs
from lightmem_training.changes.talk import pairs_of, told_in
from lightmem_training.changes.themes import Split, is_held_out, load_themes
from lightmem_training.conversations import Conversation, conversations_of

SEED = 31
LANGUAGES = ("en",)
TRAIN, VALID = 40_000, 6_000
TRAIN_TALK, VALID_TALK = 30_000, 8_000
#: Conversations that are read of a file.
TRAIN_CONVERSATIONS, VALID_CONVERSATIONS = 45, 12
#: Statements that are encoded at a time.
_BATCH = 64


def from_themes(split: Split, count: int) -> Iterable[Pair]:
    """Pairs of all languages; for validation half of them of themes that were held out whole."""
    for language in LANGUAGES:
        themes = load_themes(language, split)
        if split == "train":
            yield from islice(Pairs(themes, seed=SEED), count // len(LANGUAGES))
            continue
        names = [theme.name for theme in themes.themes]
        for only in (
            [name for name in names if is_held_out(name)],
            [name for name in names if not is_held_out(name)],
        ):
            yield from islice(
                Pairs(themes, seed=SEED + 1, only=only), count // (2 * len(LANGUAGES))
            )


def from_talk(file: Path, conversations: int, count: int, encoder: OnnxEncoder) -> list[Pair]:
    """Pairs of conversations of the generator, drawn evenly from all that there are."""
    read = conversations_of(file.read_text(encoding="utf-8"), name=file.name)[:conversations]
    found = [pair for one in read for pair in _of(one, encoder)]
    rng = Random(SEED)
    return rng.sample(found, min(count, len(found)))


def _of(conversation: Conversation, encoder: OnnxEncoder) -> list[Pair]:
    words = [one.words for one in told_in(conversation)]
    return pairs_of(conversation, encoder, asyncio.run(_encoded(words, encoder)))


async def _encoded(texts: Sequence[str], encoder: OnnxEncoder):  # type: ignore[no-untyped-def]
    import numpy as np  # noqa: PLC0415

    parts = [await encoder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
    return np.concatenate(parts)


def write(pairs: Iterable[Pair], out: Path) -> int:
    """Write pairs, one a line; how many."""
    lines = [
        json.dumps([pair.older, pair.newer, str(pair.label), pair.source], ensure_ascii=False)
        for pair in pairs
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talk", type=Path, required=True, help="conversations to train on")
    parser.add_argument("--valid-talk", type=Path, required=True, help="others, held out")
    parser.add_argument("--out", type=Path, required=True, help="folder of the pairs")
    given = parser.parse_args()
    train, valid = [*from_themes("train", TRAIN)], [*from_themes("valid", VALID)]
    encoder = open_encoder("minilm", threads=1)
    train += from_talk(given.talk, TRAIN_CONVERSATIONS, TRAIN_TALK, encoder)
    valid += from_talk(given.valid_talk, VALID_CONVERSATIONS, VALID_TALK, encoder)
    encoder.close()
    Random(SEED).shuffle(train)
    print(f"train {write(train, given.out / 'train.jsonl')}", flush=True)
    print(f"valid {write(valid, given.out / 'valid.jsonl')}", flush=True)


if __name__ == "__main__":
    main()
