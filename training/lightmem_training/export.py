"""Trees as one ONNX node, and the card that says what they are."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from lightmem_selector.features import NAMES, VERSION
from lightmem_training.fit import LINEAR, LINEAR_COLUMN

FILE = "ranker.onnx"


@dataclass(slots=True)
class Nodes:
    """The nodes of all trees as the operator wants them: one list for each attribute."""

    lists: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, **values: Any) -> None:
        """Append to each list named."""
        for name, value in values.items():
            self.lists.setdefault(name, []).append(value)


def to_onnx(boosters: Sequence[lightgbm.Booster]) -> bytes:
    """The sum of all trees and of the linear ranking beside them, the same bytes each time."""
    nodes = Nodes()
    for number, tree in enumerate(_trees(boosters)):
        _add_tree(nodes, number, tree["tree_structure"])
    attributes: dict[str, Any] = {"n_targets": 1, "aggregate_function": "SUM", **nodes.lists}
    trees = helper.make_node(
        "TreeEnsembleRegressor", ["features"], ["trees"], domain="ai.onnx.ml", **attributes
    )
    share = numpy_helper.from_array(np.array(LINEAR * len(boosters), np.float32), "share")
    column = numpy_helper.from_array(np.array([LINEAR_COLUMN], np.int64), "column")
    body = helper.make_graph(
        [
            trees,
            helper.make_node("Gather", ["features", "column"], ["linear"], axis=1),
            helper.make_node("Mul", ["linear", "share"], ["added"]),
            helper.make_node("Add", ["trees", "added"], ["scores"]),
        ],
        "ranker",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["items", len(NAMES)])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["items", 1])],
        [share, column],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(body, opset_imports=opsets, ir_version=9)
    return model.SerializeToString(deterministic=True)


def write(folder: Path, content: bytes, card: Mapping[str, Any]) -> None:
    """Write the weights and their card into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(content)
    whole = {
        **card,
        "features_version": VERSION,
        "columns": list(NAMES),
        "sha256": {FILE: hashlib.sha256(content).hexdigest()},
    }
    (folder / "card.json").write_text(
        json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _trees(boosters: Sequence[lightgbm.Booster]) -> Iterator[Mapping[str, Any]]:
    for booster in boosters:
        yield from booster.dump_model(num_iteration=booster.best_iteration or None)["tree_info"]


def _add_tree(nodes: Nodes, tree: int, root: Mapping[str, Any]) -> None:
    """Number the nodes of a tree from 0, parents first, and add them."""
    waiting, taken = [(0, root)], 1
    while waiting:
        number, node = waiting.pop(0)
        if "leaf_value" in node:
            _add_leaf(nodes, tree, number, float(node["leaf_value"]))
            continue
        if node["decision_type"] != "<=":
            raise ValueError(f"a decision of type {node['decision_type']!r} is not exported")
        nodes.add(
            nodes_treeids=tree,
            nodes_nodeids=number,
            nodes_featureids=int(node["split_feature"]),
            nodes_modes="BRANCH_LEQ",
            nodes_values=_at_most(float(node["threshold"])),
            nodes_truenodeids=taken,
            nodes_falsenodeids=taken + 1,
        )
        waiting += [(taken, node["left_child"]), (taken + 1, node["right_child"])]
        taken += 2


def _add_leaf(nodes: Nodes, tree: int, number: int, value: float) -> None:
    nodes.add(
        nodes_treeids=tree,
        nodes_nodeids=number,
        nodes_featureids=0,
        nodes_modes="LEAF",
        nodes_values=0.0,
        nodes_truenodeids=0,
        nodes_falsenodeids=0,
        target_treeids=tree,
        target_nodeids=number,
        target_ids=0,
        target_weights=value,
    )


def _at_most(threshold: float) -> float:
    """The greatest 32-bit float that is not above the threshold, so that rows split alike."""
    nearest = np.float32(threshold)
    if float(nearest) > threshold:
        nearest = np.nextafter(nearest, np.float32(-np.inf))
    return float(nearest)
