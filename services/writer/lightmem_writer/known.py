"""What statements are held against: memories as they stand, with who said them when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lightmem.domain.attributes import Claim
from lightmem.model import MemoryKind, Precision, Source, Statement
from lightmem_writer.contradiction import Said
from lightmem_writer.drafting import Draft


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that statements are held against; `said_first`, `said_last`: by its turns."""

    id: str
    version: int
    text: str
    words: str
    kind: MemoryKind
    language: str
    claim: Claim | None
    said_first: datetime
    said_last: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    speaker: str | None
    session_ids: frozenset[str]
    sources: Sequence[Source]
    is_active: bool = True
    entities: Sequence[str] = ()
    valid_precision: Precision | None = None
    #: What the memory says besides, where this is a part of it: that stays when this is overtaken.
    beside: Sequence[Statement] = ()

    @property
    def starts(self) -> datetime:
        """From when it holds: as was said, or from when it was said first."""
        return self.valid_from or self.said_first

    @property
    def as_said(self) -> Said:
        """Its words as they are compared."""
        return Said(self.words, self.kind, self.language, self.valid_from is not None)

    @classmethod
    def of_draft(cls, draft: Draft, memory_id: str, *, is_active: bool = True) -> "Known":
        """What a draft is once it is stored."""
        said = draft.statement
        return cls(
            id=memory_id,
            version=1,
            text=said.text,
            words=draft.words,
            kind=said.kind,
            language=said.language,
            claim=draft.claim,
            said_first=draft.said_at,
            said_last=draft.said_at,
            valid_from=said.valid_from,
            valid_to=said.valid_to,
            speaker=draft.speaker,
            session_ids=frozenset({draft.session_id}),
            sources=said.sources,
            is_active=is_active,
        )


def said_in(draft: Draft) -> Said:
    """The words of a draft as they are compared."""
    statement = draft.statement
    return Said(draft.words, statement.kind, statement.language, statement.valid_from is not None)
