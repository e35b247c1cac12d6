"""The ranker port over ONNX Runtime: an ensemble of trees from features to one score."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from lightmem.adapters.shipped import DATA, read_card, read_checked
from lightmem.errors import InvalidInput

FILE = "ranker.onnx"


class OnnxRanker:
    """Scores rows of features, all in one run of some tens of microseconds a tree layer."""

    def __init__(self, name: str, session: ort.InferenceSession) -> None:
        self.name = name
        self._session = session

    def score(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """One score a row, shape (n, columns) to (n,)."""
        [scores] = self._session.run(None, {"features": features})
        flat: NDArray[np.float32] = np.asarray(scores, np.float32).reshape(-1)
        return flat


def open_ranker(
    name_or_folder: str, *, features_version: str, columns: Sequence[str]
) -> OnnxRanker:
    """Load a ranker that was trained on these features, and run it once.

    Args:
        name_or_folder: A ranker that comes with the package, or a folder with `ranker.onnx` and
            the `card.json` that training wrote.
        features_version: What the Selector computes.
        columns: Its features in order.

    Raises:
        InvalidInput: there is no such ranker, a file does not match its card, or it was trained
            on other features.
    """
    shipped = DATA / "rankers" / name_or_folder
    folder = shipped if name_or_folder.isidentifier() and shipped.is_dir() else Path(name_or_folder)
    if not folder.is_dir():
        raise InvalidInput.of("ranker", f"no ranker or folder {name_or_folder!r}")
    content, digest = read_checked(folder, FILE, setting="ranker")
    card = read_card(folder)
    if card.get("features_version") != features_version or card.get("columns") != list(columns):
        raise InvalidInput.of(
            "ranker", f"{folder.name!r} was trained on other features than these: train it again"
        )
    ranker = OnnxRanker(f"{folder.name}-{digest[:12]}", _session(folder, content))
    try:
        ranker.score(np.zeros((1, len(columns)), np.float32))
    except Exception as exc:  # ONNX Runtime's own errors share no public base class.
        raise InvalidInput.of("ranker", f"{folder.name!r} does not score these features") from exc
    return ranker


def _session(folder: Path, content: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    # A hundred rows are done before another thread would wake.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # As above.
        raise InvalidInput.of("ranker", f"{FILE} of {folder.name!r} does not load") from exc
