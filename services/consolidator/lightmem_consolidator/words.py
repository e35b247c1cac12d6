"""What memories say, word by word: sentences as the units that a dream may keep or leave out.

A dream writes nothing of its own. What it puts in the place of memories is made of their whole
sentences, so that no word, name or number comes in and none changes sides. A sentence may be left
out only where another says all of it and does not turn it round.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lightmem.domain.attributes import words_said
from lightmem.domain.fingerprint import normalised
from lightmem.domain.forgetting.tokens import tokens_of
from lightmem.domain.language import words
from lightmem.domain.sentences import split_sentences

#: What joins sentences and says nothing by itself.
GLUE = words("and also too y tambien et aussi und auch tambem anche")
#: A sentence with one of these more says something else than the same sentence without.
TURNING = words(
    "no not never none nobody nothing without neither nor cannot cant dont doesnt didnt isnt arent "
    "wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt aint hardly rarely barely "
    "almost nearly used stopped quit until before unless if would could might may maybe perhaps "
    "wish hope want wants wanted was were had ago former formerly longer anymore instead rather "
    "than except but only lied joke joking nunca jamas ni nadie nada sin tampoco casi si quiza "
    "quizas ojala quiere quiero antes hasta era ya solo pero ne n pas jamais rien personne sans "
    "aucun aucune presque peut etre avant jusqu mais seulement nicht kein keine keinen keiner "
    "keinem keines nie niemals nichts niemand ohne fast vielleicht fruher bis wenn wurde aber nur "
    "nao nem ninguem sem quase talvez ate se mas apenas non mai niente nulla nessuno senza quasi "
    "forse prima fino ma 不 没 无 别 未 非 曾 假 如 若 想 前"
)

_DAY = re.compile(r"\(?(\d{4}-\d\d-\d\d)\)?:\s*$")


@dataclass(frozen=True, slots=True)
class Saying:
    """One sentence: who said it in which words, by keys; its first key is whose it is, and when."""

    keys: tuple[str, ...]

    def says_all_of(self, other: "Saying") -> bool:
        """Whether this says all that the other says, in order, and does not turn it round."""
        if not _is_whose(self.keys[0], other.keys[0]):
            return False
        rest = iter(self.keys[1:])
        more: list[str] = []
        for wanted in other.keys[1:]:
            for key in rest:
                if key == wanted:
                    break
                more.append(key)
            else:
                return False
        return TURNING.isdisjoint([*more, *rest])


@dataclass(frozen=True, slots=True)
class Told:
    """A text as its sentences, and the words before them that say whose they are."""

    opening: str
    sayings: Sequence[Saying]


def told(text: str, speaker: str | None) -> Told:
    """The sentences of a memory's text, its speaker, day and question taken as whose they are."""
    opening = text[: words_said(text, speaker)]
    return Told(opening, list(_sayings(text, opening)))


def is_made_of(text: str, sources: Sequence[Told]) -> list[Saying] | None:
    """The sentences that a text is made of, in order; None when it is made of anything else.

    Sentences follow each other, each whole, or joined; what one that is joined has in common with
    the beginning of the one before it need not be said again.
    """
    known = list(dict.fromkeys(saying for one in sources for saying in one.sayings))
    whole = _whole(text, sources)
    if whole and set(whole) <= set(known):
        return whole
    keys = list(_marked(text, sources))
    return _parsed(keys, known, None, {})


def _whole(text: str, sources: Sequence[Told]) -> list[Saying]:
    """The sentences of a text behind one opening of the sources', as its stops part them."""
    openings = [one.opening for one in sources if text.startswith(one.opening)]
    return list(_sayings(text, max(openings, key=len))) if openings else []


def keys_of(text: str) -> set[str]:
    """All words and numbers of a text, as compared."""
    return {token.key for token in tokens_of(text)}


def _sayings(text: str, opening: str) -> Iterator[Saying]:
    """The sentences behind the opening; what has no words says nothing."""
    whose = _whose(opening)
    for sentence in split_sentences(text[len(opening) :]):
        if keys := _keys(sentence.text):
            yield Saying((whose, *keys))


def _parsed(
    keys: Sequence[str],
    known: Sequence[Saying],
    last: Saying | None,
    failed: dict[tuple[int, Saying | None], bool],
) -> list[Saying] | None:
    if not keys:
        return []
    if (len(keys), last) in failed:
        return None
    for saying in known:
        for size in _openings(saying, last):
            wanted = saying.keys[size:]
            if tuple(keys[: len(wanted)]) == wanted:
                rest = _parsed(keys[len(wanted) :], known, saying, failed)
                if rest is not None:
                    return [saying, *rest]
    failed[len(keys), last] = True
    return None


def _openings(saying: Saying, last: Saying | None) -> Iterator[int]:
    """How many of a sentence's first keys may be left out behind another, none of them first.

    None where the sentence before turns something round: "I don't like tea and like coffee".
    """
    yield 0
    if last is None:
        return
    shared = 0
    for mine, theirs in zip(saying.keys, last.keys, strict=False):
        if mine != theirs:
            break
        shared += 1
    if TURNING.isdisjoint(last.keys[shared:]):
        yield from range(1, min(shared, len(saying.keys) - 1) + 1)


def _marked(text: str, sources: Sequence[Told]) -> Iterator[str]:
    """The keys of a text, with one key for each place that says whose the words are."""
    openings = sorted(
        {one.opening.strip() for one in sources if one.opening}, key=len, reverse=True
    )
    if any(not one.opening for one in sources) and not any(
        text.startswith(opening) for opening in openings
    ):
        yield _whose("")
    if not openings:
        yield from _keys(text)
        return
    parts = re.split("(" + "|".join(map(re.escape, openings)) + ")", text)
    for part in parts:
        if part in openings:
            yield _whose(part)
        else:
            yield from _keys(part)


def _whose(opening: str) -> str:
    day = _DAY.search(opening)
    who = opening[: day.start()] if day else opening
    return f"§{normalised(who)}§{day[1] if day else ''}"


def _is_whose(mine: str, other: str) -> bool:
    """Whether both are of the same person, and of the same day where the other names one."""
    (_, who, day), (_, other_who, other_day) = mine.split("§"), other.split("§")
    return who == other_who and other_day in {"", day}


def _keys(text: str) -> list[str]:
    return [token.key for token in tokens_of(text) if token.key not in GLUE]
