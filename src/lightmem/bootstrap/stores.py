"""The ledger, what finding needs, and the job queue, each by the kind of its URL.

Drivers are imported inside the arm that needs them, so each image carries only its own.
"""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lightmem.bootstrap.starting import in_background_until_up, until_up
from lightmem.errors import InvalidInput
from lightmem.ports import (
    Clock,
    Encoder,
    JobQueue,
    KnowledgeGraph,
    Ledger,
    LexicalEncoder,
    MemoryIndex,
    ShortTermBuffer,
    Tokenizer,
)
from lightmem.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """What finding needs: the stores that are searched and the encoders of what is asked."""

    index: MemoryIndex
    encoder: Encoder
    lexical: LexicalEncoder
    short_term: ShortTermBuffer
    graph: KnowledgeGraph


async def open_ledger(stack: AsyncExitStack, settings: Settings, clock: Clock) -> Ledger:
    from lightmem.adapters.ledger import open_ledger

    ledger = open_ledger(settings.url("ledger"), clock=clock)
    stack.push_async_callback(ledger.close)
    await until_up("ledger", ledger.migrate)
    return ledger


async def open_finding(stack: AsyncExitStack, settings: Settings) -> Finding:
    encoder, lexical = open_encoders(stack, settings)
    return Finding(
        index=await _open_index(stack, settings, encoder),
        encoder=encoder,
        lexical=lexical,
        short_term=_open_short_term(stack, settings),
        graph=await _open_graph(stack, settings),
    )


def open_encoders(stack: AsyncExitStack, settings: Settings) -> tuple[Encoder, LexicalEncoder]:
    from lightmem.adapters.lexical import SnowballLexicalEncoder
    from lightmem.adapters.onnx import open_encoder

    encoder = open_encoder(settings.encoder, threads=settings.cpus)
    stack.callback(encoder.close)
    return encoder, SnowballLexicalEncoder()


def open_tokenizer() -> Tokenizer:
    from lightmem.adapters.tokens import open_tokenizer

    return open_tokenizer()


async def _open_index(stack: AsyncExitStack, settings: Settings, encoder: Encoder) -> MemoryIndex:
    index = make_index(stack, settings)
    await in_background_until_up(
        stack,
        "index",
        lambda: index.open(encoder.encoder_id, encoder.dim, encoder.token_dim),
    )
    return index


def make_index(stack: AsyncExitStack, settings: Settings) -> MemoryIndex:
    url = settings.url("index")
    index: MemoryIndex
    match urlsplit(url).scheme:
        case "edge":
            from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex

            index = QdrantEdgeIndex(_path(url))
        case "qdrant":
            from lightmem.adapters.qdrant import QdrantIndex

            index = QdrantIndex(url, api_key=settings.index_api_key)
        case scheme:
            raise InvalidInput.of("LIGHTMEM_INDEX_URL", f"unknown kind {scheme!r}")
    stack.push_async_callback(index.close)
    return index


def _open_short_term(stack: AsyncExitStack, settings: Settings) -> ShortTermBuffer:
    buffer: ShortTermBuffer
    match urlsplit(settings.short_term_url).scheme:
        case "memory":
            from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer

            buffer = InProcessShortTermBuffer(settings.short_term_turns)
        case "redis" | "rediss":
            from lightmem.adapters.redis import RedisShortTermBuffer

            buffer = RedisShortTermBuffer(
                settings.short_term_url, capacity=settings.short_term_turns
            )
        case scheme:
            raise InvalidInput.of("LIGHTMEM_SHORT_TERM_URL", f"unknown kind {scheme!r}")
    stack.push_async_callback(buffer.close)
    return buffer


async def _open_graph(stack: AsyncExitStack, settings: Settings) -> KnowledgeGraph:
    url = settings.url("graph")
    graph: KnowledgeGraph
    match urlsplit(url).scheme:
        case "sqlite":
            from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph

            graph = SqliteKnowledgeGraph(_path(url))
        case "bolt" | "neo4j" | "bolt+s" | "neo4j+s":
            from lightmem.adapters.neo4j import Neo4jKnowledgeGraph

            graph = Neo4jKnowledgeGraph(
                url, user=settings.graph_user, password=settings.graph_password
            )
        case scheme:
            raise InvalidInput.of("LIGHTMEM_GRAPH_URL", f"unknown kind {scheme!r}")
    stack.push_async_callback(graph.close)
    await in_background_until_up(stack, "graph", graph.ensure_schema)
    return graph


def open_queue(
    stack: AsyncExitStack, settings: Settings, *, dreams: bool = False
) -> JobQueue | None:
    """The queue of those who write, or of those who dream; None where this process works."""
    match urlsplit(settings.queue_url).scheme:
        case "threads":
            return None
        case "redis" | "rediss":
            from lightmem.adapters.celery import CONSOLIDATE, WRITE, CeleryJobQueue

            queue = CeleryJobQueue(settings.queue_url, queue=CONSOLIDATE if dreams else WRITE)
            stack.push_async_callback(queue.close)
            return queue
        case scheme:
            raise InvalidInput.of("LIGHTMEM_QUEUE_URL", f"unknown kind {scheme!r}")


def _path(url: str) -> Path:
    """The file or folder of a URL: edge:///data/index, or sqlite:////data/graph.db."""
    return Path(urlsplit(url).path.replace("//", "/", 1))
