"""A question as the statement that it asks to complete: without the words that ask."""

import re

from lightmem.domain.language import detect_language

_ENGLISH = re.compile(
    r"^\W*(?:(?:(?:in|at|on|for|with|from|to|by|around|during)\s+)?(?:what|which|who|whom|whose|"
    r"when|where|why|how)\b(?:\s+(?:many|much|long|often|(?:kind|type|sort)s?\s+of)\b)?)?",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"\b(?:did|do|does|has|have|had|is|are|was|were|will|would|can|could|might|should)\b\s*",
    re.IGNORECASE,
)
_SPANISH = re.compile(
    r"^\W*(?:(?:a|de|con|en|para|por|desde)\s+)?(?:qué|cuándo|dónde|quién|quiénes|cuál|cuáles|cómo|"
    r"cuánt[oa]s?|por qué)\b(?:\s+(?:tipo|clase)s?\s+de\b)?",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"什么时候|为什么|什么|哪里|哪儿|哪些|哪个|谁|怎么|何时|多少|[吗呢？?]")


def as_statement(question: str) -> str:
    """The statement, or nothing when the question has no word that asks."""
    language = detect_language(question)
    text = question.strip()
    if language == "zh":
        said = _CHINESE.sub("", text)
    elif language == "es":
        said = _SPANISH.sub("", text, count=1)
    else:
        said = _AUXILIARY.sub("", _ENGLISH.sub("", text, count=1), count=1)
    said = " ".join(said.split()).strip(" ?¿!¡.")
    return said if said and said != text.strip(" ?¿!¡.") else ""
