"""The encoder in JAX: BERT's layers, and the two things that are read off its last states."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp

LAYERS, HEADS, EPSILON = 6, 12, 1e-12
#: Added to the attention of padding.
MASKED = 30_000.0

Parameters = Mapping[str, jax.Array]


def states(
    weights: Parameters, ids: jax.Array, mask: jax.Array, *, frozen_layers: int
) -> jax.Array:
    """Last states, (batch, sequence) to (batch, sequence, width).

    Args:
        frozen_layers: The first layers, through which nothing is learnt.
    """
    penalty = ((mask - 1) * MASKED)[:, None, None, :]
    hidden = _embedded(weights, ids)
    for number in range(LAYERS):
        if number == frozen_layers:
            hidden = jax.lax.stop_gradient(hidden)
        hidden = _layer(weights, number, hidden, penalty)
    return hidden


def text_vectors(hidden: jax.Array, mask: jax.Array) -> jax.Array:
    """A unit vector a text: where the mean of its states points."""
    return unit((hidden * mask[..., None]).sum(1))


def token_vectors(weights: Parameters, hidden: jax.Array) -> jax.Array:
    """A short unit vector a token."""
    return unit((unit(hidden) - weights["tokens.mean"]) @ weights["tokens.directions"])


def unit(vectors: jax.Array) -> jax.Array:
    """Vectors of length 1 in the same directions."""
    return vectors / jnp.maximum(jnp.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _embedded(weights: Parameters, ids: jax.Array) -> jax.Array:
    words = weights["embeddings.word_embeddings.weight"][ids]
    places = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    summed = words + places + weights["embeddings.token_type_embeddings.weight"][0]
    return _normalized(weights, "embeddings.LayerNorm", summed)


def _layer(weights: Parameters, number: int, hidden: jax.Array, penalty: jax.Array) -> jax.Array:
    layer = f"encoder.layer.{number}"
    mixed = _attended(weights, f"{layer}.attention", hidden, penalty)
    hidden = _normalized(weights, f"{layer}.attention.output.LayerNorm", mixed + hidden)
    inner = _linear(weights, f"{layer}.intermediate.dense", hidden)
    outer = _linear(weights, f"{layer}.output.dense", jax.nn.gelu(inner, approximate=False))
    return _normalized(weights, f"{layer}.output.LayerNorm", hidden + outer)


def _attended(weights: Parameters, name: str, hidden: jax.Array, penalty: jax.Array) -> jax.Array:
    batch, length, width = hidden.shape

    def heads(part: str) -> jax.Array:
        flat = _linear(weights, f"{name}.self.{part}", hidden)
        return flat.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 1, 3, 2) * (width // HEADS) ** -0.5 + penalty
    mixed = (jax.nn.softmax(scores, -1) @ value).transpose(0, 2, 1, 3)
    return _linear(weights, f"{name}.output.dense", mixed.reshape(batch, length, width))


def _linear(weights: Parameters, name: str, hidden: jax.Array) -> jax.Array:
    return hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normalized(weights: Parameters, name: str, hidden: jax.Array) -> jax.Array:
    mean = hidden.mean(-1, keepdims=True)
    variance = ((hidden - mean) ** 2).mean(-1, keepdims=True)
    centred = (hidden - mean) / jnp.sqrt(variance + EPSILON)
    return centred * weights[f"{name}.weight"] + weights[f"{name}.bias"]
