"""The shipped encoder against the original weights, and folders of an operator's own."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from lightmem.adapters.onnx import open_encoder
from lightmem.adapters.shipped import DATA
from lightmem.errors import InvalidInput
from support.encoders import minilm

MINILM = DATA / "encoders" / "minilm"
#: Vectors of the original fp32 weights, made by `scripts/reference_vectors.py`.
REFERENCE = Path(__file__).parent / "data" / "minilm_reference.json"


async def test_vectors_are_those_of_the_original_weights() -> None:
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))
    texts = [entry["text"] for entry in reference]
    expected = np.array([entry["vector"] for entry in reference], np.float32)

    vectors = await minilm().encode(texts)

    cosines = np.sum(vectors * expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() >= 0.9995


async def test_a_paraphrase_is_nearer_than_another_topic() -> None:
    vectors = await minilm().encode(
        [
            "Where does she live now?",
            "In which city is her current home?",
            "The recipe needs two eggs and flour.",
        ]
    )

    similar, unrelated = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])

    assert similar > unrelated + 0.3


async def test_tokens_find_the_answer_where_the_names_of_others_say_nothing() -> None:
    question, *said = await minilm().encode_tokens(
        [
            "What instrument does Oriol play?",
            "I finally bought a cello, and practise every evening.",
            "Oriol! So good to hear from you, Oriol. How is everything?",
            "We should play cards again some time.",
        ]
    )

    found = [float((question.tokens @ one.tokens.T).max(axis=1).sum()) for one in said]

    assert found[0] > max(found[1:])


async def test_what_is_beyond_256_tokens_does_not_change_the_vector() -> None:
    long = "tea and honey in the garden " * 100

    vectors = await minilm().encode([long, long + "then something else entirely"])

    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_weights_that_do_not_match_their_card_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    shutil.copytree(MINILM, folder)
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\x00\x01\x02\x03")

    with pytest.raises(InvalidInput, match=r"model\.onnx"):
        open_encoder(str(folder), threads=1)


@pytest.mark.parametrize("name", ["nothing", "", "../minilm", "/nowhere/at/all"])
def test_an_unknown_encoder_is_refused_by_the_name_of_its_setting(name: str) -> None:
    with pytest.raises(InvalidInput, match="encoder"):
        open_encoder(name, threads=1)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    shutil.copy(MINILM / "tokenizer.json", tmp_path)

    with pytest.raises(InvalidInput, match="does not load"):
        open_encoder(str(tmp_path), threads=1)


def token_model(folder: Path) -> NDArray[np.float32]:
    """A folder as a hub exports it: token states out, no pooling; returns its table of states."""
    table = np.random.default_rng(1).standard_normal((30_522, 8)).astype(np.float32)
    names = ("input_ids", "attention_mask", "token_type_ids")
    shape = ["batch", "sequence"]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["states"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["types", "last"], ["types_"]),
        helper.make_node("Add", ["states", "types_"], ["last_hidden_state"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tokens",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, 8])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([-1], np.int64), "last"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    shutil.copy(MINILM / "tokenizer.json", folder)
    return table


def mean(states: NDArray[np.float32]) -> NDArray[Any]:
    return np.asarray(states.mean(axis=0, keepdims=True))


def first(states: NDArray[np.float32]) -> NDArray[Any]:
    return states[:1]


@pytest.mark.parametrize(("is_cls", "pooled"), [(False, mean), (True, first)])
async def test_a_hub_export_is_pooled_as_it_says(
    tmp_path: Path, is_cls: bool, pooled: Callable[[NDArray[np.float32]], NDArray[Any]]
) -> None:
    table = token_model(tmp_path)
    if is_cls:
        (tmp_path / "1_Pooling").mkdir()
        config = json.dumps({"pooling_mode_cls_token": True})
        (tmp_path / "1_Pooling" / "config.json").write_text(config, encoding="utf-8")
    encoder = open_encoder(str(tmp_path), threads=1)
    vocabulary = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    state = pooled(table[vocabulary.encode("tea and honey").ids])

    vectors = await encoder.encode(["a longer text that sets the padding", "tea and honey"])

    encoder.close()
    assert encoder.dim == 8
    np.testing.assert_allclose(vectors[1], state[0] / np.linalg.norm(state), atol=1e-5)


async def test_the_identity_changes_with_weights_pooling_and_nothing_else(tmp_path: Path) -> None:
    identities = []
    for name in ("one", "same", "other"):
        folder = tmp_path / name / "encoder"
        folder.mkdir(parents=True)
        token_model(folder)
        if name == "other":
            (folder / "1_Pooling").mkdir()
            config = json.dumps({"pooling_mode_cls_token": True})
            (folder / "1_Pooling" / "config.json").write_text(config, encoding="utf-8")
        encoder = open_encoder(str(folder), threads=1)
        identities.append(encoder.encoder_id)
        encoder.close()

    assert identities[0] == identities[1] != identities[2]


async def test_a_closed_encoder_says_so() -> None:
    encoder = open_encoder("minilm", threads=1)
    encoder.close()

    with pytest.raises(RuntimeError, match="closed"):
        await encoder.encode(["tea"])
