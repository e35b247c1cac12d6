"""The measure of a full graph, over a conversation of a few turns."""

import json
from pathlib import Path

from integration.test_evaluation import ASKED, sample
from lightmem_evaluation.datasets import load_dataset
from lightmem_evaluation.locomo import Repairs
from lightmem_evaluation.shared_memory import CONCEPTS, measure


async def test_a_full_graph_answers_no_personal_question_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "lake.json"
    file.write_text(json.dumps([sample("lake")]))
    [conversation] = load_dataset(file, None, Repairs())

    found = await measure(conversation, tmp_path / "data")

    assert found["concepts_served"] == CONCEPTS
    assert found["questions"] == len(ASKED)
    assert found["answered_by_concepts_alone"] == 0
    assert found["evidence_recall_at_5"] == {"without": 1.0, "with": 1.0}
