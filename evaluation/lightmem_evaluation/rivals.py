"""The memory systems of others, each in a process with the packages of an environment of its own.

They are given the encoder under measure and no generative model. `make eval-rivals` makes the
environment from `evaluation/requirements-rivals.txt`.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lightmem.adapters.shipped import DATA
from lightmem.ports import Encoder
from lightmem_evaluation.encoding import served
from lightmem_evaluation.process_system import ProcessSystem, open_process

SCRIPTS = Path(__file__).resolve().parent.parent / "rivals"
RIVALS = tuple(sorted(path.stem.removesuffix("_process") for path in SCRIPTS.glob("*_process.py")))


@asynccontextmanager
async def open_rival(
    name: str, python: Path, encoder: Encoder, folder: Path
) -> AsyncIterator[ProcessSystem]:
    """A rival by its name, keeping its data in `folder`, which exists.

    Args:
        python: The interpreter of the environment that has its package.
    """
    async with served(encoder) as url:
        env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "RIVAL_FOLDER": str(folder),
            "RIVAL_EMBEDDINGS_URL": url,
            "RIVAL_DIM": str(encoder.dim),
            "RIVAL_STOP_WORDS": str(DATA / "stopwords"),
            "HOME": str(folder),
        }
        command = [str(python), "-u", str(SCRIPTS / f"{name}_process.py")]
        async with open_process(name, command, env=env) as system:
            yield system
