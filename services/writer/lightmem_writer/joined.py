"""A memory that a dream joined is held against what is said part by part.

Whatever overtakes one of its parts leaves the others as they are: they are memories by themselves
again.
"""

from collections.abc import Sequence
from dataclasses import replace

from lightmem.domain.attributes import claims_of
from lightmem.domain.fingerprint import normalised
from lightmem.domain.sentences import split_sentences
from lightmem.model import Source, Statement
from lightmem_writer.known import Known


def by_quote(known: Known) -> list[Known]:
    """What each of its quotes says, each with what is said beside it; itself where one says all.

    The words of one quote belong together: they were drawn from their turn as a whole.
    """
    runs = _runs(known)
    if len(runs) < 2:
        return [known]
    opening = known.text.removesuffix(known.words)
    parts = [_part(known, opening, words, sources) for words, sources in runs]
    said = [_statement(part) for part in parts]
    return [
        replace(part, beside=[*said[:place], *said[place + 1 :]])
        for place, part in enumerate(parts)
    ]


def _runs(known: Known) -> list[tuple[str, Sequence[Source]]]:
    """Its sentences in runs as long as a quote has them, with the quotes; none where one lacks."""
    sentences = split_sentences(known.words)
    runs: list[tuple[str, Sequence[Source]]] = []
    at = 0
    while at < len(sentences):
        for end in range(len(sentences), at, -1):
            words = known.words[sentences[at].start : sentences[end - 1].end]
            if sources := _quoting(known, words):
                runs.append((words, sources))
                at = end
                break
        else:
            return []
    return runs


def _quoting(known: Known, words: str) -> Sequence[Source]:
    """The quotes that have these words, however their stops are written."""
    said = normalised(words)
    return [source for source in known.sources if said in normalised(source.quote)]


def _part(known: Known, opening: str, words: str, sources: Sequence[Source]) -> Known:
    text = opening + words
    claims = claims_of(text, language=known.language, speaker=known.speaker)
    return replace(
        known, text=text, words=words, sources=sources, claim=claims[0] if claims else None
    )


def _statement(part: Known) -> Statement:
    """What a part says, as a memory of its own."""
    return Statement(
        text=part.text,
        kind=part.kind,
        language=part.language,
        entities=[name for name in part.entities if name in part.text],
        sources=part.sources,
        valid_from=part.valid_from,
        valid_to=part.valid_to,
        valid_precision=part.valid_precision,
    )
