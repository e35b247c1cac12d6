"""What is only said again: recalled memories that come back in the words of an assistant.

An application shows a model what was recalled; the model repeats it, and the application stores
the answer as a turn. Learnt again, memories would breed memories. So what stands between the marks
of a recalled context is never read, and what an assistant or tool says is not learnt where a
memory of the user says it already.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from lightmem.domain.grounding import Said, unsaid_numbers, unsaid_share
from lightmem.domain.recalled import recalled_spans
from lightmem.domain.sentences import Sentence, split_sentences
from lightmem.errors import Unavailable
from lightmem.model import ItemKind, RecallFilters, Role, Statement, Turn, View, ViewQuery
from lightmem.ports import Encoder, LexicalEncoder, MemoryIndex
from lightmem_writer.cues import cues_for

#: Why a statement of an assistant is not kept.
ECHO = "repeats what is remembered"
#: Share of an assistant's content words that a memory need not have.
MAX_NEW = 0.2
#: Memories that a statement is held against.
NEAREST = 8
_OTHERS = frozenset({Role.ASSISTANT, Role.TOOL})


class KnownMemories(Protocol):
    """What is remembered of a user, by likeness."""

    async def like(self, tenant_id: str, user_id: str, text: str) -> Sequence[str]:
        """Texts of the memories that are most like this one; none when they cannot be asked."""
        ...


class IndexedMemories:
    """Memories found in the index, by meaning and by word."""

    def __init__(self, *, index: MemoryIndex, encoder: Encoder, lexical: LexicalEncoder) -> None:
        self._index = index
        self._encoder = encoder
        self._lexical = lexical

    async def like(self, tenant_id: str, user_id: str, text: str) -> Sequence[str]:
        vector = (await self._encoder.encode([text]))[0].tolist()
        queries = [
            ViewQuery(view=View.DENSE, vector=vector, limit=NEAREST),
            ViewQuery(view=View.BM25, vector=self._lexical.query(text), limit=NEAREST),
        ]
        filters = RecallFilters(kinds=(ItemKind.MEMORY,))
        try:
            found = await self._index.search(tenant_id, user_id, queries, filters=filters)
        except Unavailable:
            # It is learnt twice then, at worst, under the assistant's name.
            return ()
        return list(dict.fromkeys(item.text for items in found for item in items))


def said_sentences(content: str) -> list[Sentence]:
    """The sentences of a turn that were said in it, in order: none of a recalled context."""
    spans = recalled_spans(content)
    return [
        sentence
        for sentence in split_sentences(content)
        if not any(sentence.start < end and start < sentence.end for start, end in spans)
    ]


def may_echo(statement: Statement, turns: Mapping[str, Turn]) -> bool:
    """Whether it was an assistant or a tool that said so."""
    return turns[statement.sources[0].turn_id].role in _OTHERS


def is_echo(statement: Statement, known: Sequence[str]) -> bool:
    """Whether one of the texts says all that an assistant's statement says."""
    words = " ".join(source.quote for source in statement.sources[:1])
    negation = cues_for(statement.language).negation
    for text in known:
        said = Said([text])
        if unsaid_share(words, said) > MAX_NEW or unsaid_numbers(words, said):
            continue
        if negation is None or bool(negation.search(words)) == bool(negation.search(text)):
            return True
    return False
