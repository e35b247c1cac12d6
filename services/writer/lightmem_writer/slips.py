"""Whether words put right what the same person said right before: "Wait, no, it's the 16th"."""

import re

from lightmem.domain.attributes import grammar_of
from lightmem_writer.about import About
from lightmem_writer.change_words import CHANGE_WORDS

#: What one begins with who misspoke.
_OPENERS = {
    "en": r"(?:(?:oh|hm+|ah|uh|well|ok)[,.…\s]+)*"
    r"(?:no\b[,.]? ?(?:wait|it|not|that|my|they|he|she|we)\b|wait\b|sorry\b|oops\b|hang on|hold on"
    r"|correction|my mistake|i misspoke|scratch that|make that|i got (?:that|it) wrong"
    r"|i (?:meant|mean)\b|actually, (?:no|it)\b|now that i )",
    "es": r"(?:(?:ah|bueno|ay|uy)[,.…\s]+)*"
    r"(?:(?:ay|uy)[, ]+no\b|no, (?:espera|es|era|fue|perdona|la|el)|espera\b|perd[oó]na?\b|perdón\b"
    r"|digo,|quise decir|me (?:he )?equivo\w+|me confundí|corrijo|mejor dicho)",
    "zh": r"(?:哎呀?|哦|啊|呃)?[，,]?\s?"
    r"(?:不对|不是|说错|记错|打错|搞错|弄错|写错|更正|等等|我是说)",
}
_SLIP = {language: re.compile(opener, re.IGNORECASE) for language, opener in _OPENERS.items()}
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十百千]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen"
    r"|un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b",
    re.IGNORECASE,
)
#: What says so little can be nothing but what is right.
MAX_BARE = 4


def puts_right(new: str, known: str, *, language: str) -> bool:
    """Whether the new words say that the known ones, said right before, were wrong.

    They open as one does who misspoke, and share something with what they put right, or say
    nothing but a value.
    """
    grammar = grammar_of(language)
    if grammar is None or not _SLIP[grammar.language].match(new.strip()):
        return False
    words = CHANGE_WORDS[grammar.language]
    mine, theirs = About.of(new, grammar, words), About.of(known, grammar, words)
    if mine.roots & theirs.roots or mine.names & theirs.names:
        return True
    is_number = bool(_NUMBER.search(new)) and bool(_NUMBER.search(known))
    is_bare = len(mine.roots) <= MAX_BARE
    return is_bare and (is_number or (bool(mine.names) and not mine.is_own))
