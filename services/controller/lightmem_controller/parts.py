"""Several questions in one, taken apart by their marks and by the words that join them."""

import re

MAX_PARTS = 3
_LEAST_WORDS = 2

_MARKS = re.compile(r"[?？;；]+")
#: "… and where …": a word that joins, before one that asks.
_JOINED = re.compile(
    r"[,，]?\s*(?:\b(?:and|y|e)\s+(?=(?:when|where|who|whom|whose|what|which|why|how|did|does|do|is|"
    r"are|was|were|has|have|qué|cuándo|dónde|quién|quiénes|cuál|cuáles|cómo|cuánto|cuántos|"
    r"por qué)\b)|(?:和|以及|还有)(?=什么|谁|哪|怎么|何时))",
    re.IGNORECASE,
)


def parts_of(question: str) -> list[str]:
    """The questions that one text asks, in order, three at most; none when it asks one alone."""
    found = [
        part.strip(" \t\n,，.¿¡")
        for marked in _MARKS.split(question)
        for part in _JOINED.split(marked)
    ]
    parts = [part for part in found if len(part.split()) >= _LEAST_WORDS or not part.isascii()]
    parts = list(dict.fromkeys(filter(None, parts)))
    return parts[:MAX_PARTS] if len(parts) > 1 else []
