"""Indexes for tests: each adapter of the port, and points to put in."""

import os
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from qdrant_client import grpc as qdrant

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.lexical import SnowballLexicalEncoder
from lightmem.adapters.qdrant import QdrantIndex
from lightmem.adapters.qdrant.channel import QdrantChannel
from lightmem.model import (
    IndexPoint,
    Item,
    ItemKind,
    Layer,
    TokenVectors,
    Vector,
    View,
    ViewQuery,
)
from lightmem.ports import MemoryIndex
from support.encoders import WordHashEncoder
from support.qdrant_standin import StandIn

#: The parameters of a fixture that runs a suite over every adapter.
INDEX_KINDS = [
    "edge",
    "qdrant-standin",
    pytest.param("qdrant-server", marks=pytest.mark.server),
]
ENCODER = WordHashEncoder()
LEXICAL = SnowballLexicalEncoder()
NOON = datetime(2024, 5, 8, 12, 0, tzinfo=UTC)


@asynccontextmanager
async def unopened_index(kind: str, path: Path) -> AsyncIterator[MemoryIndex]:
    """An index of the kind with nothing in it, before `open`; a server's collection is removed."""
    if kind == "edge":
        edge_index = QdrantEdgeIndex(path / "index")
        yield edge_index
        await edge_index.close()
    elif kind == "qdrant-standin":
        standin = StandIn(path / "qdrant")
        try:
            async with _server_index(f"qdrant://127.0.0.1:{standin.port}") as server_index:
                yield server_index
        finally:
            standin.stop()
    else:
        async with _server_index(_real_server_url()) as server_index:
            yield server_index


@asynccontextmanager
async def open_index(kind: str, path: Path) -> AsyncIterator[MemoryIndex]:
    """An empty index of the kind, opened for `ENCODER`."""
    async with unopened_index(kind, path) as index:
        await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
        yield index


def _real_server_url() -> str:
    """URL of a real Qdrant server; skips without one, whatever is required.

    No registry carries the server, so the stand-in is what a machine without network can have.
    """
    url = os.environ.get("LIGHTMEM_TEST_QDRANT_URL", "")
    if not url:
        pytest.skip("LIGHTMEM_TEST_QDRANT_URL is not set")
    return url


@asynccontextmanager
async def _server_index(url: str) -> AsyncIterator[MemoryIndex]:
    name = f"test-{uuid.uuid4().hex}"
    index = QdrantIndex(url, api_key=os.environ.get("LIGHTMEM_TEST_QDRANT_KEY"), collection=name)
    try:
        yield index
    finally:
        await index.close()
        channel = QdrantChannel(url, api_key=os.environ.get("LIGHTMEM_TEST_QDRANT_KEY"))
        request = qdrant.DeleteCollection(collection_name=name)
        await channel.call("Collections", "Delete", request, timeout_s=30)
        await channel.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a test puts in an index, in a line."""

    text: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    speaker: str | None = "Ana"
    at: datetime | None = NOON
    session_id: str | None = "s1"
    kind: ItemKind = ItemKind.TURN
    seq: int = 1


def point_of(said: Said) -> IndexPoint:
    """The point of a text, seen alone and by its tokens, and by both windows."""
    item = Item(
        id=said.id,
        layer=Layer.MID_TERM,
        kind=said.kind,
        text=said.text,
        score=0.0,
        speaker=said.speaker,
        occurred_at=said.at,
        source_turn_ids=(said.id,),
        session_id=said.session_id,
        seq=said.seq,
    )
    dense = ENCODER.vector(said.text).tolist()
    sparse = LEXICAL.document(said.text)
    vectors = {
        View.DENSE: dense,
        View.WINDOW_DENSE: dense,
        View.BM25: sparse,
        View.WINDOW_BM25: LEXICAL.document(said.text, window=True),
        View.TOKENS: TokenVectors(ENCODER.tokens(said.text).tolist()),
    }
    return IndexPoint(item, vectors)


def points_of(*said: Said) -> list[IndexPoint]:
    """The points of several texts."""
    return [point_of(one) for one in said]


def words_of(*said: Said) -> list[IndexPoint]:
    """The points of several texts as they are before anything was encoded."""
    return [
        IndexPoint(
            point.item, {view: point.vectors[view] for view in (View.BM25, View.WINDOW_BM25)}
        )
        for point in points_of(*said)
    ]


def ask(text: str, *, views: Sequence[View] = tuple(View), limit: int = 10) -> list[ViewQuery]:
    """One query for each view."""
    dense = ENCODER.vector(text).tolist()
    sparse = LEXICAL.query(text)
    vectors: dict[View, Vector] = {
        View.DENSE: dense,
        View.WINDOW_DENSE: dense,
        View.BM25: sparse,
        View.WINDOW_BM25: sparse,
        View.TOKENS: TokenVectors(ENCODER.tokens(text).tolist()),
    }
    return [ViewQuery(view, vectors[view], limit) for view in views]


def files_with(folder: Path, words: str) -> list[Path]:
    """The files within a folder that hold these words."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [file for file in files if words.encode() in file.read_bytes()]
