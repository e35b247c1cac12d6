"""What statements claim of whom: the attributes of which only one value holds at a time."""

from lightmem.domain.attributes.find import ANSWER, claims_of, grammar_of, words_said
from lightmem.domain.attributes.model import Claim, Grammar, Mode, agree
from lightmem.domain.attributes.subjects import kin_keys, named_alone, with_subject

__all__ = [
    "ANSWER",
    "Claim",
    "Grammar",
    "Mode",
    "agree",
    "claims_of",
    "grammar_of",
    "kin_keys",
    "named_alone",
    "with_subject",
    "words_said",
]
