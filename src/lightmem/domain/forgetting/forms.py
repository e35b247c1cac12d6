"""What is kept of a forgotten value: each way it was said as a `Form` of keyed hashes."""

import hmac
import itertools
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from hashlib import blake2b

from lightmem.domain.forgetting.tokens import Token, tokens_of
from lightmem.domain.grounding import name_phrases
from lightmem.domain.language import FUNCTION_WORDS, script_of
from lightmem.domain.sentences import split_sentences
from lightmem.model import Form

#: Content words that a text has at least to be known again by its words in order.
TELLING_WORDS = 2
#: Content words of a sentence within a longer quote to be kept as a form of its own.
OWN_FORM_WORDS = 3

_STEM = 4
_HASH_BYTES = 12
_UNSPACED = frozenset({"Hani", "Jpan", "Thai"})
_SMALL = frozenset(
    token.key for listed in FUNCTION_WORDS.values() for word in listed for token in tokens_of(word)
)
# Characters that carry grammar rather than meaning in Chinese and Japanese.
_SMALL_CHARACTERS = frozenset(
    "我你您他她它们的了是在有和与也都就很不这那吗呢吧啊个はがをにでとものへ"
)


class Hasher:
    """Keyed hashes for one user: of no use without the installation's secret."""

    def __init__(self, secret: bytes, tenant_id: str, user_id: str) -> None:
        owner = "\0".join(("forgotten", tenant_id, user_id))
        self._key = hmac.digest(secret, owner.encode("utf-8", "surrogatepass"), "sha256")
        self._of = lru_cache(maxsize=65_536)(self._hash)

    def whole(self, tokens: Sequence[Token]) -> str:
        """The hash of words in order."""
        return self._hash("w\0" + " ".join(token.key for token in tokens))

    def word(self, key: str) -> str:
        """The hash of one content word."""
        return self._of("s\0" + key)

    def value(self, key: str) -> str:
        """The hash of one number, name or address."""
        return self._of("v\0" + key)

    def _hash(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=_HASH_BYTES).hexdigest()


def texts_of_value(texts: Iterable[str]) -> list[str]:
    """The texts that say a forgotten value, each to become a form: whole, and by sentence."""
    found: dict[str, None] = {}
    for text in texts:
        if not text.strip():
            continue
        found[text] = None
        sentences = split_sentences(text)
        if len(sentences) > 1:
            for sentence in sentences:
                if len(content_keys(tokens_of(sentence.text))) >= OWN_FORM_WORDS:
                    found[sentence.text] = None
    return list(found)


def form_of(
    text: str,
    vector: Sequence[float],
    hasher: Hasher,
    *,
    entities: Sequence[str] = (),
    common: Set[str] = frozenset(),
) -> Form | None:
    """The form of a text; None when it says too little to be known again, as "yes" does.

    Args:
        entities: Names known to be in it, also where a capital does not show.
        common: Keys of words that are no values here, such as the speaker's own name.
    """
    tokens = tokens_of(text)
    content = content_keys(tokens)
    telling = {token.key for token in tokens if token.is_telling}
    if not content or (len(content) < TELLING_WORDS and not telling):
        return None
    values = _values(text, tokens, entities) - common
    words = content - {stem(key) for key in values | common}
    return Form(
        length=len(tokens),
        whole=hasher.whole(tokens),
        words=sorted(map(hasher.word, words)),
        values=sorted(map(hasher.value, values)),
        telling=sorted(map(hasher.value, telling)),
        has_number=any(token.is_value for token in tokens),
        is_spaced=not any(map(_is_unspaced, tokens)),
        vector=list(vector),
    )


def content_keys(tokens: Sequence[Token]) -> set[str]:
    """The content words: stems, and pairs of neighbours where a script sets no spaces."""
    keys = {
        stem(token.key)
        for token in tokens
        if not _is_unspaced(token) and (token.is_value or token.key not in _SMALL)
    }
    return keys | set(_pairs(tokens))


def value_keys(tokens: Sequence[Token]) -> set[str]:
    """All that a value could be among these words."""
    return {token.key for token in tokens if not _is_unspaced(token)} | set(_pairs(tokens))


def name_keys(names: Iterable[str]) -> set[str]:
    """The keys of the words of names."""
    keys: set[str] = set()
    for name in names:
        tokens = tokens_of(name)
        keys |= {token.key for token in tokens if not _is_unspaced(token)} | set(_pairs(tokens))
    return keys


def _values(text: str, tokens: Sequence[Token], entities: Sequence[str]) -> set[str]:
    there = value_keys(tokens)
    names = name_keys([*name_phrases(text, known=entities), *entities]) & there
    return {token.key for token in tokens if token.is_value} | (names - _SMALL)


def _pairs(tokens: Sequence[Token]) -> Iterator[str]:
    """Neighbouring characters of scripts without spaces, but for those of grammar alone."""
    for one, other in itertools.pairwise(tokens):
        if one.end == other.start and _is_unspaced(one) and _is_unspaced(other):
            if {one.key, other.key} & _SMALL_CHARACTERS:
                continue
            yield one.key + other.key


def _is_unspaced(token: Token) -> bool:
    return len(token.key) == 1 and script_of(token.key) in _UNSPACED


def stem(key: str) -> str:
    """A word by its beginning, which allows for inflection; a number as it is."""
    return key[:_STEM] if key.isalpha() else key
