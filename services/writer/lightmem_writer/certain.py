"""What rules read for certain, so that no model has a say in it, and what one may not pass over."""

from collections.abc import Iterable, Mapping

from lightmem.domain.grounding import split_words
from lightmem.model import Source, Statement, Turn
from lightmem_writer.attribution import speaker_of
from lightmem_writer.drafting import claims_in
from lightmem_writer.sensory import Line


def certain(statements: Iterable[Statement], turns: Mapping[str, Turn]) -> list[Statement]:
    """Those of the rules' statements that claim of a user what may change one day.

    "I moved to Lisbon" is kept in the words that were said: a model that makes it "I am moving"
    would leave two places to live in.

    Args:
        turns: Those that the statements quote, by id.
    """
    return [one for one in statements if claims_in(one, turns[one.sources[0].turn_id])]


def has_detail(statement: Statement, turn: Turn) -> bool:
    """Whether a statement of the turn has a name, a number or a date, which nobody could guess."""
    speaker = speaker_of(turn, statement.language)
    if statement.valid_precision is not None or set(statement.entities) - {speaker}:
        return True
    words = split_words(statement.sources[0].quote)
    return any(character.isdigit() for word in words for character in word.key)


def is_told(line: Line, statements: Iterable[Statement]) -> bool:
    """Whether the statements quote the whole sentence."""
    return any(
        line.turn.id == source.turn_id and line.sentence.text in source.quote
        for statement in statements
        for source in statement.sources
    )


def overlaps(statement: Statement, others: Iterable[Statement]) -> bool:
    """Whether the statement rests on words of its turn that one of the others rests on too."""
    own = _own_quotes(statement)
    return any(
        quote.turn_id == other.turn_id
        and (quote.quote in other.quote or other.quote in quote.quote)
        for each in others
        for other in _own_quotes(each)
        for quote in own
    )


def _own_quotes(statement: Statement) -> list[Source]:
    """What is quoted of the turn that says it, without questions and names said elsewhere."""
    turn_id = statement.sources[0].turn_id
    return [source for source in statement.sources if source.turn_id == turn_id]
