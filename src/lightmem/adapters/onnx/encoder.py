"""The encoder port over ONNX Runtime: one model, its batches, and the warm-up."""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lightmem.adapters.onnx.batching import MicroBatcher
from lightmem.adapters.onnx.session import MAX_TOKENS, Model, load_model
from lightmem.adapters.shipped import DATA
from lightmem.errors import InvalidInput
from lightmem.ports import Encoded

#: Texts of up to this many characters are tokenized where they come in: faster than a thread.
INLINE_CHARACTERS = 1_024


class OnnxEncoder:
    """Unit vectors from one ONNX model, batched across concurrent callers of any event loop."""

    def __init__(self, model: Model) -> None:
        self.encoder_id = model.identity
        self.dim = model.dim
        self.token_dim = model.token_dim
        self._model = model
        self._batcher = MicroBatcher(model.embed)
        self._tokenizing = ThreadPoolExecutor(1, "lightmem-tokenizer")

    async def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-norm embeddings, shape (len(texts), dim); texts over 256 tokens are cut."""
        if not texts:
            return np.empty((0, self.dim), np.float32)
        return np.stack([one.vector for one in await self._encoded(texts, with_tokens=False)])

    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """Embeddings of the texts and of their tokens, from one pass of the model."""
        return await self._encoded(texts, with_tokens=True) if texts else []

    async def _encoded(self, texts: Sequence[str], *, with_tokens: bool) -> list[Encoded]:
        if sum(len(text) for text in texts) <= INLINE_CHARACTERS:
            rows = self._model.tokenize(texts)
        else:
            loop = asyncio.get_running_loop()
            rows = await loop.run_in_executor(self._tokenizing, self._model.tokenize, list(texts))
        return await self._batcher.submit(rows, with_tokens=with_tokens)

    def close(self) -> None:
        """Stop the threads; callers that still wait get an error."""
        self._tokenizing.shutdown(cancel_futures=True)
        self._batcher.close()


def open_encoder(name_or_folder: str, *, threads: int) -> OnnxEncoder:
    """Load an encoder and warm it up, so that no request pays for its first run.

    Args:
        name_or_folder: `minilm`, which comes with the package, or a folder with `model.onnx`
            and `tokenizer.json`, such as a hub model's ONNX export.
        threads: CPUs that this process owns.

    Raises:
        InvalidInput: there is no such encoder, or a file of it does not match its card.
    """
    # The Rust side would start one thread per CPU of the machine, owned or not.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    shipped = DATA / "encoders" / name_or_folder
    folder = shipped if name_or_folder.isidentifier() and shipped.is_dir() else Path(name_or_folder)
    if not folder.is_dir():
        raise InvalidInput.of("encoder", f"no encoder or folder {name_or_folder!r}")
    model = load_model(folder, threads=threads)
    for length in (8, MAX_TOKENS):
        model.embed(model.tokenize(["warm " * length]))
    return OnnxEncoder(model)
