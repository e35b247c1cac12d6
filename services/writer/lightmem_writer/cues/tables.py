"""Which table belongs to which language."""

from lightmem.domain.language import UNKNOWN
from lightmem_writer.cues.chinese import CHINESE
from lightmem_writer.cues.english import ENGLISH
from lightmem_writer.cues.french import FRENCH
from lightmem_writer.cues.german import GERMAN
from lightmem_writer.cues.italian import ITALIAN
from lightmem_writer.cues.japanese import JAPANESE
from lightmem_writer.cues.model import Cues, anywhere
from lightmem_writer.cues.portuguese import PORTUGUESE
from lightmem_writer.cues.spanish import SPANISH

_TABLES = {
    "de": GERMAN,
    "en": ENGLISH,
    "es": SPANISH,
    "fr": FRENCH,
    "it": ITALIAN,
    "ja": JAPANESE,
    "pt": PORTUGUESE,
    "zh": CHINESE,
}
# A language that has no table of its own.
_NONE = Cues(chatter=frozenset())
# Too few words to tell the language: they are chatter if they are so in any.
_UNDETERMINED = Cues(
    chatter=frozenset[str]().union(*(cues.chatter for cues in _TABLES.values())),
    reaction=anywhere(*(cues.reaction.pattern for cues in _TABLES.values() if cues.reaction)),
)


def cues_for(language: str) -> Cues:
    """The table of a BCP 47 tag, or an empty one."""
    if language == UNKNOWN:
        return _UNDETERMINED
    return _TABLES.get(language.partition("-")[0], _NONE)
