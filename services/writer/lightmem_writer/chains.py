"""Which sentences of a turn are kept together: what leans on another is kept with it, or not."""

from collections.abc import Sequence
from dataclasses import dataclass

from lightmem.domain.sentences import Sentence
from lightmem_writer.language import is_chatter
from lightmem_writer.telling import (
    Speech,
    carries_fact,
    has_detail,
    is_fragment,
    is_reaction,
    is_remark,
    leans,
    without_address,
)

#: A sentence that leans on the one before it is kept together with it, up to this many.
MAX_CHAIN = 3


@dataclass(slots=True)
class Chain:
    """Sentences that are kept together, in order."""

    sentences: list[Sentence]
    #: Its beginning leans on what another said, so that it needs the question it answers.
    is_loose: bool = False


def chains_of(sentences: Sequence[Sentence], speech: Speech) -> list[Chain]:
    """Runs of sentences worth keeping, each beginning with one that stands by itself, if it can.

    A sentence that leans on one that is not kept brings that one with it, if it says anything.
    """
    chains: list[Chain] = []
    last: Sentence | None = None
    for sentence in sentences:
        if carries_fact(sentence, speech):
            leaning = leans(sentence, speech)
            if leaning and chains and chains[-1].sentences[-1] is last:
                if len(chains[-1].sentences) < MAX_CHAIN:
                    chains[-1].sentences.append(sentence)
                else:
                    chains.append(Chain([sentence], _is_loose(sentence, speech)))
            elif leaning and last is not None and _can_lead(last, speech):
                chains.append(Chain([last, sentence]))
            else:
                chains.append(Chain([sentence], leaning and _is_loose(sentence, speech)))
        last = sentence
    return chains


def _is_loose(sentence: Sentence, speech: Speech) -> bool:
    """Whether a sentence that leans on nothing here says too little without it."""
    return is_fragment(sentence.text, speech) or not has_detail(sentence.text, speech)


def _can_lead(sentence: Sentence, speech: Speech) -> bool:
    """Whether a sentence can say who or what the next one means."""
    if sentence.is_question or leans(sentence, speech):
        return False
    if is_chatter(sentence.text, speech.cues, addressed=speech.addressed):
        return False
    said = without_address(sentence.text, speech.cues, speech.addressed)
    return not (is_reaction(said, speech.cues) or is_remark(said, speech.cues))
