"""Whether a text says a forgotten value again, and where.

Words in order and telling values are known by their keyed hashes alone. What is said in other
words is known by its numbers and names, its content words, and its nearness in meaning, clause by
clause; a text with another number or name says something else, however near it is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.forgetting.forms import Hasher, content_keys, value_keys
from lightmem.domain.forgetting.tokens import Token, tokens_of
from lightmem.domain.sentences import split_sentences
from lightmem.model import Form, Tombstone

Span = tuple[int, int]
Vectors = NDArray[np.float32]

#: Measured on pairs of sentences in three languages, see `tests/unit/test_forgetting_pairs.py`:
#: from the cosine NEAR a sentence says the same, from RELATED it does if it also has the numbers
#: and half of the other words of a form with numbers.
NEAR, RELATED, HALF = 0.80, 0.70, 0.5
#: Share of all words of a form, of at least so many, from which no cosine is asked for; and that
#: without which a cosine means nothing in scripts that the encoder reads by character.
COVERED, COVERING_WORDS, SHARED = 0.8, 3, 0.6

#: Values with a number among them that tell together what none of them tells.
TOGETHER = 3

_AND = r"(?:and|but|y|e|pero|und|aber|et|mais|ma)\s+"
_CLAUSE = re.compile(rf"[,;:，；、：—–]+\s*(?:{_AND})?|\s+{_AND}|但是|而且|不过")
_CLAUSE_WORDS = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or clause that may say a forgotten value in other words."""

    text: str
    span: Span
    clauses: Sequence["Unit"]
    words: frozenset[str]
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Look:
    """A text looked at by its words: what is struck already, and what has to be encoded."""

    text: str
    spans: Sequence[Span]
    units: Sequence[Unit]

    def texts(self) -> list[str]:
        """What has to be encoded, in the order that `Matcher.spans` wants it."""
        return [one.text for unit in self.units for one in (unit, *unit.clauses)]


class Matcher:
    """Knows the forgotten values of one user.

    Args:
        encoder_id: Vectors that another encoder made are not compared.
    """

    def __init__(self, tombstones: Sequence[Tombstone], hasher: Hasher, *, encoder_id: str) -> None:
        self._hasher = hasher
        self._forms = [form for one in tombstones for form in one.forms]
        self._wholes: dict[int, set[str]] = {}
        for form in self._forms:
            if form.whole is not None:
                self._wholes.setdefault(form.length, set()).add(form.whole)
        self._telling = {hashed for form in self._forms for hashed in form.telling}
        self._vectors = [
            _array(form) if one.encoder_id == encoder_id else None
            for one in tombstones
            for form in one.forms
        ]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is forgotten."""
        return not self._forms

    def look(self, text: str, *, near: bool = True) -> Look:
        """What the words show, without any vector.

        Args:
            near: Whether what has none of the numbers and names of a forgotten value is to be
                encoded too. Without, the vectors needed are few.
        """
        tokens = tokens_of(text)
        spans = self._in_order(tokens)
        left = [one for one in tokens if not _is_within((one.start, one.end), spans)]
        units: list[Unit] = []
        for sentence in split_sentences(text):
            within = (sentence.start, sentence.end)
            unit = self._unit(left, within, text)
            if unit is None:
                continue
            if known := self._known(unit):
                spans += known
            elif not _overlaps(within, spans):
                units += [unit] if self._may_say(unit, near=near) else []
            else:
                # What is struck already must not make the rest of its sentence near.
                apart = [one for one in unit.clauses if not _overlaps(one.span, spans)]
                units += [one for one in apart if self._may_say(one, near=near)]
        return Look(text, merged(spans), units)

    def spans(self, look: Look, vectors: Vectors) -> list[Span]:
        """Where the text says a forgotten value; `vectors` are of `look.texts()`, (n, dim)."""
        spans = list(look.spans)
        rows = iter(vectors)
        for unit in look.units:
            whole = self._says(unit, next(rows))
            said = [
                one for one, row in zip(unit.clauses, rows, strict=False) if self._says(one, row)
            ]
            if said:
                spans += [one.span for one in said]
            elif whole:
                spans.append(unit.span)
        return merged(spans)

    def _in_order(self, tokens: Sequence[Token]) -> list[Span]:
        """Where the words of a form stand in their order."""
        return [
            (tokens[at].start, tokens[at + length - 1].end)
            for length, wholes in self._wholes.items()
            for at in range(len(tokens) - length + 1)
            if self._hasher.whole(tokens[at : at + length]) in wholes
        ]

    def _unit(self, tokens: Sequence[Token], within: Span, text: str) -> Unit | None:
        """The sentence with its clauses, from its first word to its last."""
        mine = _between(tokens, within)
        if not mine:
            return None
        parts = [_between(mine, part) for part in _parts(text, within)]
        clauses = [part for part in parts if _is_clause(part)]
        return self._made(mine, text, [self._made(one, text, ()) for one in clauses if one != mine])

    def _made(self, tokens: Sequence[Token], text: str, clauses: Sequence[Unit]) -> Unit:
        start, end = tokens[0].start, tokens[-1].end
        return Unit(
            text=text[start:end],
            span=(start, end),
            clauses=clauses,
            words=frozenset(map(self._hasher.word, content_keys(tokens))),
            values=frozenset(map(self._hasher.value, value_keys(tokens))),
        )

    def _known(self, unit: Unit) -> list[Span]:
        """The clauses that need no vector to be known; the whole where only that is."""
        if not self._is_known(unit):
            return []
        return [one.span for one in unit.clauses if self._is_known(one)] or [unit.span]

    def _is_known(self, unit: Unit) -> bool:
        """Whether it has a telling value, several that tell together, or nearly all words."""
        return not self._telling.isdisjoint(unit.values) or any(
            unit.values.issuperset(form.values)
            and (_tells_together(form) or _is_covered(form, unit))
            for form in self._forms
        )

    def _may_say(self, unit: Unit, *, near: bool) -> bool:
        """Whether any form's numbers and names are all there: only then is meaning compared."""
        return bool(unit.words) and any(
            unit.values.issuperset(form.values) for form in self._forms if near or form.values
        )

    def _says(self, unit: Unit, vector: Vectors) -> bool:
        """Whether it is near enough to a form whose numbers and names it has."""
        return any(
            own is not None
            and own.shape == vector.shape
            and unit.values.issuperset(form.values)
            and _is_near(form, unit, float(own @ vector))
            for form, own in zip(self._forms, self._vectors, strict=True)
        )


def _is_near(form: Form, unit: Unit, cosine: float) -> bool:
    if not form.is_spaced and _share(form, unit) < SHARED:
        return False
    shared = len(unit.words.intersection(form.words))
    return cosine >= NEAR or (
        cosine >= RELATED and form.has_number and shared >= HALF * len(form.words)
    )


def _tells_together(form: Form) -> bool:
    """Whether its values stand for one thing together, as those of an address do."""
    return form.has_number and len(form.values) >= TOGETHER


def _is_covered(form: Form, unit: Unit) -> bool:
    count = len(form.words) + len(form.values)
    return count >= COVERING_WORDS and _share(form, unit) >= COVERED


def _share(form: Form, unit: Unit) -> float:
    """The share of a form's words that the unit has; it has all of its numbers and names."""
    count = len(form.words) + len(form.values)
    return (len(unit.words.intersection(form.words)) + len(form.values)) / count


def merged(spans: Sequence[Span]) -> list[Span]:
    """The spans in order, those that touch or overlap made one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _is_clause(tokens: Sequence[Token]) -> bool:
    """Whether a part of a sentence says something by itself."""
    return len(content_keys(tokens)) >= _CLAUSE_WORDS or any(one.is_telling for one in tokens)


def _parts(text: str, within: Span) -> Iterator[Span]:
    """A sentence cut into clauses, without what joins them."""
    start = within[0]
    for match in _CLAUSE.finditer(text, *within):
        yield start, match.start()
        start = match.end()
    yield start, within[1]


def _between(tokens: Sequence[Token], within: Span) -> list[Token]:
    return [one for one in tokens if within[0] <= one.start and one.end <= within[1]]


def _is_within(span: Span, spans: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _overlaps(span: Span, spans: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def _array(form: Form) -> Vectors:
    return np.asarray(form.vector, np.float32)
