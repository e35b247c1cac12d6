"""What a result file says of where it is from: versions, hashes, seeds, machine and data."""

import hashlib
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lightmem.adapters.shipped import DATA
from lightmem.settings import Settings
from lightmem_evaluation.locomo import Conversation
from lightmem_evaluation.scoring import RESAMPLES, SEED

PACKAGES = ("lightmem-slm", "onnxruntime", "qdrant-edge-py", "numpy", "snowballstemmer")
#: Folders of shipped data whose files are weights.
WEIGHTS = ("encoders", "rankers")


def metadata() -> dict[str, Any]:
    """Everything but the data set."""
    return {
        "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": 0.95},
        "versions": {name: version(name) for name in PACKAGES},
        "encoder": Settings().encoder,
        "ranker": Settings().ranker,
        "weights": weights(),
        "machine": {
            "cores": os.cpu_count(),
            "architecture": platform.machine(),
            "python": platform.python_version(),
            "load_at_end": round(os.getloadavg()[0], 2),
        },
    }


def weights() -> dict[str, str]:
    """The start of the SHA-256 of each file of shipped weights."""
    files = sorted(
        path for folder in WEIGHTS for path in (DATA / folder).rglob("*") if path.is_file()
    )
    return {path.relative_to(DATA).as_posix(): sha256(path)[:16] for path in files}


def data(file: Path, conversations: Sequence[Conversation]) -> dict[str, Any]:
    """What was measured on."""
    return {
        "file": file.name,
        "sha256": sha256(file)[:16],
        "conversations": len(conversations),
        "turns": sum(len(conversation.turns) for conversation in conversations),
        "questions": sum(len(conversation.questions) for conversation in conversations),
    }


def sha256(file: Path) -> str:
    """The hash of a file's bytes as hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
