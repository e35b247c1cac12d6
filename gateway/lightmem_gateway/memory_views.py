"""Answers about memories."""

from datetime import datetime

from lightmem.model import (
    Memory,
)
from lightmem_gateway.views import View


class SourceView(View):
    """The words of a turn that a memory rests on."""

    turn_id: str
    quote: str


class MemoryView(View):
    """A statement that was learnt."""

    id: str
    user_id: str
    kind: str
    text: str
    language: str
    entities: list[str]
    status: str
    version: int
    valid_from: datetime | None
    valid_to: datetime | None
    valid_precision: str | None
    recorded_at: datetime
    superseded_at: datetime | None
    superseded_by: str | None
    sources: list[SourceView]
    utility: float
    access_count: int
    last_accessed_at: datetime | None

    @classmethod
    def of(cls, memory: Memory) -> "MemoryView":
        """The view of a memory."""
        return cls(
            id=memory.id,
            user_id=memory.user_id,
            kind=memory.kind,
            text=memory.text,
            language=memory.language,
            entities=list(memory.entities),
            status=memory.status,
            version=memory.version,
            valid_from=memory.valid_from,
            valid_to=memory.valid_to,
            valid_precision=memory.valid_precision,
            recorded_at=memory.recorded_at,
            superseded_at=memory.superseded_at,
            superseded_by=memory.superseded_by,
            sources=[
                SourceView(turn_id=source.turn_id, quote=source.quote) for source in memory.sources
            ],
            utility=memory.utility,
            access_count=memory.access_count,
            last_accessed_at=memory.last_accessed_at,
        )
