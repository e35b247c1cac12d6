"""The change proposer port over ONNX Runtime: two statements read together, one likelihood."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lightmem.adapters.shipped import DATA, read_card, read_checked
from lightmem.errors import InvalidInput
from lightmem.ports import StatedPair

FILE = "model.onnx"
#: Which tokens are of the older statement and which of the newer, as the model was built.
OLDER, NEWER = 1, 2
#: What begins and parts a pair.
_MARKS = ("[CLS]", "[SEP]")
#: Pairs that are read in one pass.
TOGETHER = 16
#: Where the tokenizer is that the model shares with the encoder it was trained from.
_TOKENIZER = DATA / "encoders" / "minilm" / "tokenizer.json"


@dataclass(frozen=True, slots=True)
class _Read:
    """A pair as token ids, with which of them are of which statement."""

    ids: Sequence[int]
    parts: Sequence[int]


class OnnxChangeProposer:
    """Reads pairs on a thread of its own: some milliseconds each on one core.

    The model is loaded for the first pair: a process that never writes has no room for it.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], ort.InferenceSession],
        tokenizer: Tokenizer,
        *,
        languages: frozenset[str],
        threshold: float,
        most_tokens: int,
    ) -> None:
        self.name = name
        self.languages = languages
        self.threshold = threshold
        self._load = cache(load)
        self._tokenizer = tokenizer
        self._most_tokens = most_tokens
        self._first, self._last = (tokenizer.token_to_id(mark) or 0 for mark in _MARKS)
        self._thread = ThreadPoolExecutor(1, "lightmem-changes")

    async def overtaking(self, pairs: Sequence[StatedPair]) -> list[float]:
        """How likely the newer of each pair says that the older holds no longer, in [0, 1]."""
        if not pairs:
            return []
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._overtaking, list(pairs))

    def close(self) -> None:
        """Stop the thread; callers that still wait get an error."""
        self._thread.shutdown(cancel_futures=True)

    def _overtaking(self, pairs: Sequence[StatedPair]) -> list[float]:
        read = [self._read(pair) for pair in pairs]
        # Of like length together, so that little is padding.
        order = sorted(range(len(read)), key=lambda place: len(read[place].ids))
        found = [0.0] * len(read)
        for start in range(0, len(order), TOGETHER):
            places = order[start : start + TOGETHER]
            shares = self._shares([read[place] for place in places])
            for place, share in zip(places, shares, strict=True):
                found[place] = float(share)
        return found

    def _read(self, pair: StatedPair) -> _Read:
        older, newer = (self._ids(text) for text in (pair.older, pair.newer))
        ids = [self._first, *older, self._last, *newer, self._last]
        parts = [0, *[OLDER] * len(older), 0, *[NEWER] * len(newer), 0]
        return _Read(ids, parts)

    def _ids(self, text: str) -> list[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return list(encoding.ids[: self._most_tokens])

    def _shares(self, rows: Sequence[_Read]) -> NDArray[np.float32]:
        """The likelihoods of rows in one pass, (n,)."""
        length = max(len(row.ids) for row in rows)
        feed = {
            name: np.zeros((len(rows), length), np.int64)
            for name in ("input_ids", "attention_mask", "parts")
        }
        for place, row in enumerate(rows):
            end = len(row.ids)
            feed["input_ids"][place, :end] = row.ids
            feed["attention_mask"][place, :end] = 1
            feed["parts"][place, :end] = row.parts
        [shares] = self._load().run(None, feed)
        first: NDArray[np.float32] = np.asarray(shares, np.float32)[:, 0]
        return first


def open_changes(name_or_folder: str) -> OnnxChangeProposer:
    """A proposer of changes, its files checked; one that is not the package's is run once.

    Args:
        name_or_folder: One that comes with the package, or a folder with `model.onnx` and the
            `card.json` that training wrote.

    Raises:
        InvalidInput: there is none, a file does not match its card, or it is no such model.
    """
    shipped = DATA / "changes" / name_or_folder
    folder = shipped if name_or_folder.isidentifier() and shipped.is_dir() else Path(name_or_folder)
    if not folder.is_dir():
        raise InvalidInput.of("changes", f"no model of changes or folder {name_or_folder!r}")
    _, digest = read_checked(folder, FILE, setting="changes")
    card = read_card(folder)
    vocabulary = _TOKENIZER.read_bytes()
    if card.get("tokenizer_sha256") != hashlib.sha256(vocabulary).hexdigest():
        raise InvalidInput.of("changes", f"{folder.name!r} was trained with another tokenizer")
    tokenizer = Tokenizer.from_str(vocabulary.decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    proposer = OnnxChangeProposer(
        f"{folder.name}-{digest[:12]}",
        lambda: _session(folder),
        tokenizer,
        languages=frozenset(card.get("languages", ())),
        threshold=float(card["threshold"]),
        most_tokens=int(card["most_tokens"]),
    )
    if folder != shipped:
        try:
            proposer._overtaking([StatedPair("warm", "up")])
        except Exception as exc:  # ONNX Runtime's own errors share no public base class.
            raise InvalidInput.of("changes", f"{folder.name!r} does not read pairs") from exc
    return proposer


def _session(folder: Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(folder / FILE), options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # As above.
        raise InvalidInput.of("changes", f"{FILE} of {folder.name!r} does not load") from exc
