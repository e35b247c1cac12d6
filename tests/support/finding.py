"""A Selector over real twins for tests, what it finds things in, and parts that are down."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.errors import GraphUnavailable, IndexUnavailable, ShortTermUnavailable, Unavailable
from lightmem.model import (
    IndexPoint,
    Item,
    ItemKind,
    Layer,
    Plan,
    PlannedQuery,
    RecallRequest,
    Role,
    TokenVectors,
    Turn,
    Vector,
    View,
)
from lightmem_selector import SelectMemories
from support.indexes import ENCODER, LEXICAL, NOON

TENANT, USER = "acme", "ana"
NOW = NOON + timedelta(days=30)


def request(query: str, **changes: Any) -> RecallRequest:
    """A request for everything about `query`, a month after what was said."""
    fields = {"query": query, "now": NOW, "session_id": None, "k_anonymity": 3}
    return RecallRequest(**{**fields, **changes})


def plan(query: str, **changes: Any) -> Plan:
    """The plan that searches for the question alone."""
    fields = {
        "queries": (PlannedQuery(query, 1.0, "query"),),
        "time_range": None,
        "entities": (),
        "layers": tuple(Layer),
    }
    return Plan(**{**fields, **changes})


def said(
    content: str,
    *,
    seq: int = 1,
    speaker: str | None = "Ana",
    session_id: str = "s1",
    at: datetime = NOON,
    role: Role = Role.USER,
) -> Turn:
    """A turn with an id that an index takes: the same for the same words and place."""
    name = f"{session_id}/{seq}/{content}"
    return Turn(
        id=str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        tenant_id=TENANT,
        user_id=USER,
        session_id=session_id,
        seq=seq,
        role=role,
        content=content,
        occurred_at=at + timedelta(minutes=seq),
        recorded_at=at + timedelta(minutes=seq),
        speaker=speaker,
    )


def memory_point(text: str, source: Turn, **changes: Any) -> IndexPoint:
    """A memory drawn from one turn, as the index holds it."""
    fields = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, text)),
        "layer": Layer.MID_TERM,
        "kind": ItemKind.MEMORY,
        "text": text,
        "score": 0.0,
        "occurred_at": source.occurred_at,
        "recorded_at": source.recorded_at,
        "source_turn_ids": (source.id,),
    }
    item = Item(**{**fields, **changes})
    vectors: dict[View, Vector] = {
        View.DENSE: ENCODER.vector(text).tolist(),
        View.BM25: LEXICAL.document(text),
        View.TOKENS: TokenVectors(ENCODER.tokens(text).tolist()),
    }
    return IndexPoint(item, vectors)


def turn_points(turns: Sequence[Turn]) -> list[IndexPoint]:
    """Turns of one session as the index holds them, each also seen with its neighbours."""
    points = []
    for place, turn in enumerate(turns):
        window = " ".join(one.content for one in turns[max(0, place - 1) : place + 2])
        item = Item(
            id=turn.id,
            layer=Layer.MID_TERM,
            kind=ItemKind.TURN,
            text=turn.content,
            score=0.0,
            speaker=turn.speaker,
            occurred_at=turn.occurred_at,
            source_turn_ids=(turn.id,),
            session_id=turn.session_id,
            seq=turn.seq,
            recorded_at=turn.recorded_at,
        )
        vectors: dict[View, Vector] = {
            View.DENSE: ENCODER.vector(turn.content).tolist(),
            View.BM25: LEXICAL.document(turn.content),
            View.WINDOW_DENSE: ENCODER.vector(window).tolist(),
            View.WINDOW_BM25: LEXICAL.document(window, window=True),
            View.TOKENS: TokenVectors(ENCODER.tokens(turn.content).tolist()),
        }
        points.append(IndexPoint(item, vectors))
    return points


@dataclass(frozen=True, slots=True)
class Finding:
    """The embedded stores of one system, empty at first."""

    index: QdrantEdgeIndex
    short_term: InProcessShortTermBuffer
    graph: SqliteKnowledgeGraph

    def selector(self, **changes: Any) -> SelectMemories:
        """A Selector over the stores; `changes` replaces parts, such as with one that is down."""
        parts = {
            "index": self.index,
            "encoder": ENCODER,
            "lexical": LEXICAL,
            "short_term": self.short_term,
            "graph": self.graph,
        }
        return SelectMemories(**{**parts, **changes})

    async def hold(self, *turns: Turn) -> None:
        """Index turns of one session."""
        await self.index.upsert(TENANT, USER, turn_points(turns))

    async def hold_words(self, *turns: Turn) -> None:
        """Index turns of one session by word alone, as before they are encoded."""
        by_word = (View.BM25, View.WINDOW_BM25)
        points = [
            IndexPoint(point.item, {view: point.vectors[view] for view in by_word})
            for point in turn_points(turns)
        ]
        await self.index.insert(TENANT, USER, points)


@asynccontextmanager
async def open_finding(path: Path) -> AsyncIterator[Finding]:
    """Empty stores in a folder, closed with the block."""
    index, graph = QdrantEdgeIndex(path / "index"), SqliteKnowledgeGraph(path / "graph.db")
    await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
    await graph.ensure_schema()
    try:
        yield Finding(index, InProcessShortTermBuffer(20), graph)
    finally:
        await index.close()
        await graph.close()


class Down:
    """A part of any kind that does not answer: each call raises its error."""

    def __init__(self, error: type[Unavailable]) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        async def call(*_: Any, **__: Any) -> None:
            raise self._error(f"{name}: nobody answers")

        return call


class Hanging:
    """A part of any kind that takes a call and never answers."""

    def __getattr__(self, name: str) -> Any:
        async def call(*_: Any, **__: Any) -> None:
            await asyncio.Event().wait()

        return call


HANGING = Hanging()
INDEX_DOWN = Down(IndexUnavailable)
GRAPH_DOWN = Down(GraphUnavailable)
BUFFER_DOWN = Down(ShortTermUnavailable)
ENCODER_DOWN = Down(Unavailable)
