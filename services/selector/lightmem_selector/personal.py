"""Whether a question is about somebody: what users share must not answer it alone."""

from collections.abc import Sequence

from lightmem.domain.concepts import concept_key
from lightmem.domain.language import words
from lightmem.domain.text import words_of
from lightmem.model import Concept

#: Words for persons, whom a question asks about; Chinese by character.
_PERSONS = words(
    "i me my mine myself we us our ours you your yours he him his she her hers they them their "
    "theirs im ive id yo mi mis mí me mío mía conmigo nosotros nosotras nos nuestro nuestra "
    "nuestros nuestras tú tu tus te ti él ella ellos ellas su sus le les 我 咱 你 您 他 她"
)


def is_personal(query: str, entities: Sequence[str], concepts: Sequence[Concept]) -> bool:
    """Whether a question asks about a person, or names what is no shared concept."""
    shared = {concept_key(name) for each in concepts for name in (each.name, *each.aliases)}
    is_named = any(concept_key(entity) not in shared for entity in entities)
    return is_named or not _PERSONS.isdisjoint(words_of(query))
