"""The commonest words of conversations of our own writing, for the Writer's sensory stage.

    PYTHONPATH=src:training:evaluation python scripts/common_words.py CONVERSATIONS... > words.txt

The conversations are those that `python -m lightmem_training.generator` writes, one file a
language. A word counts by how often it is said, if enough of the conversations say it: what only
one is about is no common word, however often it says it.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from textwrap import fill

from lightmem.domain.grounding import split_words

#: Words a language, and the share of the conversations that must say each.
MOST, SPREAD = 240, 0.6
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def said_in(sample: dict[str, object]) -> list[str]:
    """The words of a conversation as they are compared, names left out."""
    conversation = sample["conversation"]
    assert isinstance(conversation, dict)
    turns = [turn for part in conversation.values() if isinstance(part, list) for turn in part]
    text = " ".join(turn["text"] for turn in turns)
    if sample["language"] == "zh":
        return [word.key for word in split_words(text) if not word.key.isdigit()]
    return [match.group().casefold().replace("’", "'") for match in _WORD.finditer(text)]


def common_words(samples: list[dict[str, object]]) -> list[str]:
    """The commonest first."""
    said = [Counter(said_in(sample)) for sample in samples]
    counts: Counter[str] = sum(said, Counter())
    spread = Counter(word for counted in said for word in counted)
    return [word for word, _ in counts.most_common() if spread[word] >= SPREAD * len(samples)][
        :MOST
    ]


def main() -> None:
    """Print the words of each file, wrapped."""
    for name in sys.argv[1:]:
        samples = json.loads(Path(name).read_text())
        print(samples[0]["language"])
        print(fill(" ".join(common_words(samples)), 92))


if __name__ == "__main__":
    main()
