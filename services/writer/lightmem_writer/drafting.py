"""Statements made ready to be held against what is known: one claim each, with who said it when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from lightmem.domain.attributes import Claim, Mode, claims_of, grammar_of, words_said
from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.grounding import split_words
from lightmem.domain.sentences import split_sentences
from lightmem.model import MemoryKind, Role, Source, Statement, Turn

#: A correction of so few words is nothing without what it corrects.
MAX_BARE_WORDS = 5
#: Words that part two claims of one sentence.
_JOINTS = (" and ", " but ", ", ", "; ", " y ", " pero ", "，", "；", "。", " while ", " mientras ")


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement on its way: its words, what it claims, and who said it when and where.

    `words` are without the speaker, the day, and the question that they answer.
    """

    statement: Statement
    claim: Claim | None
    words: str
    said_at: datetime
    session_id: str
    speaker: str | None
    is_users: bool

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.statement.text)

    @property
    def starts(self) -> datetime:
        """From when it holds: as was said, or from when it was said."""
        return self.statement.valid_from or self.said_at

    @property
    def is_correction(self) -> bool:
        """Whether it puts right what was said before."""
        grammar = grammar_of(self.statement.language)
        return grammar is not None and grammar.correction.search(self.words) is not None

    @property
    def is_fragment(self) -> bool:
        """Whether it names the right value and nothing that it is of."""
        grammar = grammar_of(self.statement.language)
        return grammar is not None and grammar.fragment.match(self.words) is not None

    @property
    def is_bare(self) -> bool:
        """Whether it has too few words to be understood by itself."""
        return len(split_words(self.words)) <= MAX_BARE_WORDS


def drafts_of(statements: Sequence[Statement], turns: Mapping[str, Turn]) -> list[Draft]:
    """The statements as drafts, in the order they were said; the same words are one draft.

    Args:
        turns: Those that the statements quote, by id.
    """
    merged: dict[str, Statement] = {}
    for statement in statements:
        for part in _parted(statement, turns):
            key = fingerprint(part.text)
            first = merged.get(key)
            merged[key] = part if first is None else with_sources(first, part.sources)
    return [_draft(statement, turns) for statement in merged.values()]


def with_sources(statement: Statement, sources: Sequence[Source]) -> Statement:
    """The statement with these sources too, each once."""
    return replace(statement, sources=tuple(dict.fromkeys([*statement.sources, *sources])))


def _draft(statement: Statement, turns: Mapping[str, Turn]) -> Draft:
    turn = turns[statement.sources[0].turn_id]
    claims = claims_in(statement, turn)
    claim = claims[0] if claims else None
    return Draft(
        statement=_begun(statement, claim),
        claim=claim,
        words=statement.text[words_said(statement.text, turn.speaker) :],
        said_at=turn.occurred_at,
        session_id=turn.session_id,
        speaker=turn.speaker,
        is_users=turn.role is Role.USER,
    )


def _begun(statement: Statement, claim: Claim | None) -> Statement:
    """The statement, open at its end where an event begins what holds from then on.

    "We moved to Lisbon last Friday" says since when, not until when, somebody lives there.
    """
    begins = claim is not None and claim.mode is Mode.HOLDS and claim.is_lasting
    if not begins or statement.kind is not MemoryKind.EVENT or statement.valid_from is None:
        return statement
    return replace(statement, valid_to=None)


def claims_in(statement: Statement, turn: Turn) -> list[Claim]:
    """What a user claims; an assistant or tool claims nothing about anybody."""
    if turn.role is not Role.USER:
        return []
    return claims_of(statement.text, language=statement.language, speaker=turn.speaker)


# --- statements of two claims -------------------------------------------------------------------


def _parted(statement: Statement, turns: Mapping[str, Turn]) -> list[Statement]:
    """The statement, or its parts where it claims two things that may change one by one."""
    turn = turns.get(statement.sources[0].turn_id)
    if turn is None or len(statement.sources) > 1:
        return [statement]
    claims = claims_in(statement, turn)
    found = [_cut(statement.text, one, other) for one, other in pairwise(claims)]
    cuts = [cut for cut in found if cut is not None]
    start = words_said(statement.text, turn.speaker)
    if not cuts or any(cut[0] <= start for cut in cuts):
        return [statement]
    edges = [(start, start), *cuts, (len(statement.text), len(statement.text))]
    prefix = statement.text[:start]
    parts = [
        _part(statement, prefix, statement.text[one[1] : other[0]].strip(), turn)
        for one, other in pairwise(edges)
    ]
    if any(part is None for part in parts):
        return [statement]
    return [part for part in parts if part is not None]


def _cut(text: str, first: Claim, second: Claim) -> tuple[int, int] | None:
    """Where one claim ends and the other begins, what joins them left out."""
    if first.key == second.key or second.start < first.end:
        return None
    between = text[first.end : second.start + 1]
    for sentence in split_sentences(text[: second.start]):
        if (
            first.end <= sentence.end + 1
            and sentence.end <= second.start
            and text[sentence.end - 1] in ".!?。！？"
        ):
            return sentence.end, second.start
    for joint in _JOINTS:
        place = between.find(joint.rstrip() if second.start == first.end else joint)
        if place >= 0:
            return first.end + place, first.end + place + len(joint)
    return None


def _part(statement: Statement, prefix: str, words: str, turn: Turn) -> Statement | None:
    """The part with its own quote; None when the turn does not hold its words as they are."""
    quote = words if words in turn.content else None
    if quote is None or not words:
        return None
    return replace(statement, text=f"{prefix}{words}", sources=(Source(turn.id, quote),))
