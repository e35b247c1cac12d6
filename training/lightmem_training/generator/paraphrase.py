"""Questions in other words: phrases exchanged for others of the lexicon."""

import re
from functools import lru_cache
from random import Random

from lightmem_training.generator.library import Library


@lru_cache(maxsize=8)
def _table(
    library_key: tuple[str, str], entries: tuple[tuple[str, tuple[str, ...]], ...]
) -> "tuple[re.Pattern[str], dict[str, tuple[str, ...]]]":
    words = dict(entries)
    longest = sorted(words, key=len, reverse=True)
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, longest)) + r")\b")
    return pattern, words


def paraphrased(library: Library, text: str, rng: Random, *, share: float = 0.18) -> str:
    """The text with a share of the words that the lexicon knows put otherwise."""
    values = library.values.get("lexicon", ())
    if not values:
        return text
    entries = tuple((v.text, v.synonyms + v.hypernyms) for v in values)
    pattern, words = _table((library.language, library.split), entries)

    def other(match: re.Match[str]) -> str:
        if rng.random() >= share:
            return match[0]
        return rng.choice(words[match[0]] or (match[0],))

    return pattern.sub(other, text)
