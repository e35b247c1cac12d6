"""The systems that LightMem is compared with, and how a system of another process is spoken to."""

import sys
from pathlib import Path

import httpx
import numpy as np
import pytest

from lightmem.client import SaidTurn
from lightmem.ingest import SessionTurns
from lightmem_evaluation.baselines import Bm25System, DenseSystem, FusedSystem, stems_in
from lightmem_evaluation.encoding import RememberingEncoder, served
from lightmem_evaluation.locomo import Conversation, Question
from lightmem_evaluation.metadata import weights
from lightmem_evaluation.process_system import open_process
from support.encoders import WordHashEncoder

SAID = ("We saw a heron today", "We saw the sea", "A grey heron", "Nothing")
CONVERSATION = Conversation(
    "c",
    [
        SessionTurns(
            "c",
            "s",
            [
                SaidTurn(text, metadata={"dia_id": f"D1:{place}"})
                for place, text in enumerate(SAID, start=1)
            ],
        )
    ],
    [],
)
ASKED = Question("c/0", 4, "Which heron did we see?", (), ())

ECHO = """
import json, sys
turns = {}
for line in sys.stdin:
    request = json.loads(line)
    if "build" in request:
        turns[request["build"]] = [turn["id"] for turn in request["turns"]]
        answer = {"ok": True}
    elif "search" in request:
        answer = {"items": [[turn] for turn in reversed(turns[request["search"]])]}
    else:
        answer = {"bytes": 17}
    if request.get("query") == "fail":
        answer = {"error": "it failed"}
    print(json.dumps(answer), flush=True)
"""


def test_plain_stems_are_those_of_the_language() -> None:
    assert stems_in("en")("The herons were flying") == ["heron", "fli"]
    assert stems_in("es")("Las garzas y los gatos") == ["garz", "gat"]
    assert stems_in("zh")("我们看海 2024") == ["我们", "们看", "看海", "2024"]


async def test_fusion_prefers_what_both_rankings_have_high() -> None:
    bm25, dense = Bm25System(), DenseSystem(WordHashEncoder())
    fused = FusedSystem(bm25, dense)
    for system in (bm25, dense, fused):
        await system.build(CONVERSATION)

    found = await fused.search(CONVERSATION, ASKED, k=2)

    assert set(found.items) == {("D1:1",), ("D1:3",)}
    assert fused.size_bytes() == bm25.size_bytes() + dense.size_bytes() > 0


async def test_a_text_is_encoded_once_a_run() -> None:
    inner = WordHashEncoder()
    encoder = RememberingEncoder(inner)

    first = await encoder.encode(["one", "two", "one"])
    second = await encoder.encode(["two"])

    assert inner.encoded == ["one", "two"]
    assert np.array_equal(first[1], second[0])
    assert np.array_equal(first[0], first[2])


async def test_the_encoder_is_served_as_openais_embeddings() -> None:
    encoder = WordHashEncoder()
    expected = await encoder.encode(["a heron", "the sea"])

    async with served(encoder) as url, httpx.AsyncClient() as http:
        asked = {"input": ["a heron", "the sea"], "model": "given"}
        answers = [(await http.post(f"{url}/embeddings", json=asked)).json() for _ in range(2)]

    for answer in answers:
        vectors = [entry["embedding"] for entry in answer["data"]]
        assert np.allclose(vectors, expected)


async def test_a_system_in_a_process_is_built_and_asked_by_lines(tmp_path: Path) -> None:
    script = tmp_path / "echo.py"
    script.write_text(ECHO)

    async with open_process("echo", [sys.executable, str(script)], env={}) as system:
        await system.build(CONVERSATION)
        found = await system.search(CONVERSATION, ASKED, k=2)

        assert list(found.items) == [("D1:4",), ("D1:3",)]
        assert found.timings_ms["total"] > 0
        assert system.size_bytes() == 17
        with pytest.raises(RuntimeError, match="it failed"):
            await system.search(CONVERSATION, Question("c/1", 4, "fail", (), ()), k=2)


def test_result_files_name_the_weights_by_hash() -> None:
    found = weights()

    assert len(found["encoders/minilm/model.onnx"]) == 16
