"""One ONNX model and its tokenizer: texts to token ids, token ids to unit vectors."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lightmem.adapters.shipped import read_card, read_checked
from lightmem.errors import InvalidInput
from lightmem.ports import Encoded

#: Longer texts are cut for the vector only.
MAX_TOKENS = 256
#: Characters that are looked at for those tokens; spares the tokenizer a text it would cut.
MAX_CHARACTERS = 8_192
#: Token vectors kept of a text; those of a longer one are the means of runs of its tokens, which
#: lost less than leaving its end out.
MAX_TOKEN_VECTORS = 64
#: The output that has a vector for each token.
TOKENS_OUTPUT = "token_embeddings"

Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded encoder. `identity` changes whenever its vectors would."""

    identity: str
    dim: int
    token_dim: int
    _tokenizer: Tokenizer
    _session: ort.InferenceSession
    _inputs: frozenset[str]
    _outputs: Sequence[str]
    _pooling: str
    _pad_id: int

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of each text, cut at the most the model takes."""
        encodings = self._tokenizer.encode_batch_fast([text[:MAX_CHARACTERS] for text in texts])
        return [encoding.ids for encoding in encodings]

    def embed(self, rows: Sequence[Tokens], with_tokens: bool = True) -> list[Encoded]:
        """Unit vectors of each row and of its tokens, from one pass over the padded batch.

        Without the tokens, which have layers of their own, a pass takes two thirds of the time.
        """
        has_tokens = with_tokens and bool(self.token_dim)
        length = max(len(row) for row in rows)
        ids = np.full((len(rows), length), self._pad_id, np.int64)
        mask = np.zeros((len(rows), length), np.int64)
        for position, row in enumerate(rows):
            ids[position, : len(row)] = row
            mask[position, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        answers = self._session.run(
            list(self._outputs if has_tokens else self._outputs[:1]),
            {name: feed[name] for name in feed if name in self._inputs},
        )
        vectors = _unit(_pooled(np.asarray(answers[0], np.float32), mask, self._pooling))
        if not has_tokens:
            none = np.empty((0, 0), np.float32)
            return [Encoded(vector, none) for vector in vectors]
        return [
            Encoded(vector, _condensed(states[1 : len(row) - 1]))
            for vector, states, row in zip(vectors, answers[1], rows, strict=True)
        ]


def load_model(folder: Path, *, threads: int) -> Model:
    """Load `model.onnx` and `tokenizer.json` of a folder.

    A model that answers token states is pooled here, by `1_Pooling/config.json` if there is
    one and by the mean otherwise; one that answers a vector per text has pooled itself.

    Raises:
        InvalidInput: a file is missing, does not match its card, or is no such model.
    """
    content, model_hash = read_checked(folder, "model.onnx", setting="encoder")
    vocabulary, tokenizer_hash = read_checked(folder, "tokenizer.json", setting="encoder")
    session = _session(folder, content, threads=threads)
    output, *others = session.get_outputs()
    if len(output.shape) not in (2, 3) or not isinstance(output.shape[-1], int):
        raise InvalidInput.of("encoder", f"{folder.name!r} gives no vectors of a fixed size")
    pooling = "inside" if len(output.shape) == 2 else _pooling(folder)
    tokens = next((one for one in others if one.name == TOKENS_OUTPUT), None)
    tokenizer = Tokenizer.from_str(vocabulary.decode())
    max_tokens = int(read_card(folder).get("max_tokens", MAX_TOKENS))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    hashes = [model_hash, tokenizer_hash, _external_hash(folder), pooling, str(max_tokens)]
    hashes += [str(MAX_TOKEN_VECTORS)] if tokens is not None else []
    digest = hashlib.sha256("\n".join(hashes).encode()).hexdigest()
    return Model(
        identity=f"{folder.name}-{output.shape[-1]}-{digest[:16]}",
        dim=output.shape[-1],
        token_dim=tokens.shape[-1] if tokens is not None else 0,
        _tokenizer=tokenizer,
        _session=session,
        _inputs=frozenset(item.name for item in session.get_inputs()),
        _outputs=(output.name,) if tokens is None else (output.name, tokens.name),
        _pooling=pooling,
        _pad_id=tokenizer.token_to_id("[PAD]") or 0,
    )


def _session(folder: Path, content: bytes, *, threads: int) -> ort.InferenceSession:
    """A session of exactly `threads` threads that sleep, not spin, while there is no work."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Each batch has another shape; a memory plan kept for each would only grow.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    # Weights outside the file are found beside it, so such a model is loaded by path.
    source = str(folder / "model.onnx") if _external(folder).is_file() else content
    try:
        return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # ONNX Runtime's own errors share no public base class.
        raise InvalidInput.of("encoder", f"model.onnx of {folder.name!r} does not load") from exc


def _external(folder: Path) -> Path:
    return folder / "model.onnx_data"


def _external_hash(folder: Path) -> str:
    path = _external(folder)
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pooling(folder: Path) -> str:
    """`cls` or `mean`, as the model's own configuration says."""
    path = folder / "1_Pooling" / "config.json"
    if path.is_file() and json.loads(path.read_text("utf-8")).get("pooling_mode_cls_token"):
        return "cls"
    return "mean"


def _pooled(
    output: NDArray[np.float32], mask: NDArray[np.int64], pooling: str
) -> NDArray[np.float32]:
    """One vector a text: (batch, sequence, dim) or (batch, dim) -> (batch, dim)."""
    if pooling == "inside":
        return output
    if pooling == "cls":
        return output[:, 0]
    # The norm follows, so the sum over the tokens points where their mean does.
    pooled: NDArray[np.float32] = np.einsum("bs,bsd->bd", mask.astype(np.float32), output)
    return pooled


def _condensed(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """At most `MAX_TOKEN_VECTORS` unit vectors of a text's tokens, each of a run of them."""
    if len(states) <= MAX_TOKEN_VECTORS:
        return np.ascontiguousarray(states)
    starts = np.arange(MAX_TOKEN_VECTORS) * len(states) // MAX_TOKEN_VECTORS
    return _unit(np.add.reduceat(states, starts, axis=0))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(norms, np.float32(1e-12))
    return unit
