"""The measure as it is run, over a conversation of a few turns: the shape of its results."""

import json
from pathlib import Path
from typing import Any

from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.locomo import Repairs
from lightmem_evaluation.output import write_questions, write_results
from lightmem_evaluation.report import print_table
from lightmem_evaluation.run import measure_all, results

SAID = (
    ("Ida", "We saw a grey heron by the lake yesterday."),
    ("Pau", "Lovely! I bought a telescope in Bergen last week."),
    ("Ida", "My sister moved to Tartu, she sells her violin."),
)
ASKED = (
    ("What bird did Ida see?", ["D1:1"], 4),
    ("What did Pau buy, and what does Ida's sister sell?", ["D1:2", "D1:3"], 1),
    ("Which car did Pau buy?", ["D1:2"], 5),
)


def sample(name: str) -> dict[str, Any]:
    """A conversation of three turns, and what is asked about it."""
    return {
        "sample_id": name,
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2024",
            "session_1": [
                {"speaker": speaker, "dia_id": f"D1:{place}", "text": text}
                for place, (speaker, text) in enumerate(SAID, start=1)
            ],
        },
        "qa": [
            {"question": text, "evidence": evidence, "category": category}
            for text, evidence, category in ASKED
        ],
    }


async def test_every_system_is_measured_on_the_same_questions(tmp_path: Path) -> None:
    file, out = tmp_path / "lake.json", tmp_path / "found.json"
    file.write_text(json.dumps([sample("lake")]))
    repairs = Repairs()
    conversations = load_dataset(file, None, repairs)

    measured, written = await measure_all(conversations, tmp_path)
    write_results(out, results(measured, written, repairs))
    write_questions(out, measured)

    found = json.loads(out.read_text())
    assert list(found["systems"]) == ["bm25", "dense", "rrf", "lightmem"]
    for system in found["systems"].values():
        groups = {name: group["n"] for name, group in system["categories"].items()}
        assert groups == {"1-4": 2, "1": 1, "4": 1, "5": 1}
        assert system["latency_ms"]["total"]["p95"] > 0
    lightmem = found["systems"]["lightmem"]
    assert lightmem["categories"]["1-4"]["recall@20"] == 1.0
    assert 0 < lightmem["context_tokens"] <= 1_150
    assert set(found["differences"]) == {"bm25", "dense", "rrf"}
    assert found["weights"]
    lines = out.with_suffix(".questions.jsonl").read_text().splitlines()
    assert len(lines) == len(ASKED)
    assert not any(word in line for line in lines for word in ("heron", "Ida"))
    print_table(found)


async def test_each_conversation_is_asked_with_what_the_others_taught(tmp_path: Path) -> None:
    file = tmp_path / "lakes.json"
    file.write_text(json.dumps([sample("lake"), sample("fjord")]))
    conversations = load_dataset(file, None, Repairs())

    measured, _ = await measure_all(conversations, tmp_path, cross_validate=True)

    assert len(measured["lightmem-cross-validated"].rankings) == 2 * len(ASKED)
    assert (tmp_path / "rankers" / "lake" / "ranker.onnx").is_file()
    assert (tmp_path / "rankers" / "fjord" / "ranker.onnx").is_file()
