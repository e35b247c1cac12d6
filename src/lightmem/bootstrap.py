"""The composition root: picks an adapter for each port by its URL, opens all and closes all.

Drivers are imported inside the arm that needs them, so each image carries only its own. What is
down at start is named in the log and waited for; it never ends the process.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from lightmem.domain.clock import SystemClock
from lightmem.errors import IncompatibleIndex, InvalidInput, Unavailable
from lightmem.indexing import Indexing
from lightmem.jobs import JobRunner, OutboxRelay, OutboxWorker
from lightmem.ports import (
    Clock,
    Controller,
    Encoder,
    JobQueue,
    KnowledgeGraph,
    LanguageModel,
    Ledger,
    LexicalEncoder,
    MemoryIndex,
    Ranker,
    Selector,
    ShortTermBuffer,
    Tokenizer,
    Writer,
)
from lightmem.settings import Settings

logger = logging.getLogger(__name__)

#: Seconds between tries to reach what is down at start: first and longest.
RETRY_FIRST_S, RETRY_MOST_S = 0.2, 5.0
#: A job may wait in the queue for so many leases; the worker that takes it sets a new one.
LEASES_IN_QUEUE = 10


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a gateway or a worker works with, opened."""

    settings: Settings
    clock: Clock
    secret: bytes
    ledger: Ledger
    index: MemoryIndex
    encoder: Encoder
    lexical: LexicalEncoder
    tokenizer: Tokenizer
    short_term: ShortTermBuffer
    graph: KnowledgeGraph
    model: LanguageModel | None
    responder: LanguageModel | None
    controller: Controller
    selector: Selector
    writer: Writer
    indexing: Indexing
    runner: JobRunner
    #: Where jobs are sent in the distributed system; None when `worker` does them here.
    queue: JobQueue | None
    #: The embedded worker on the outbox, not yet started; None in the distributed system.
    worker: OutboxWorker | None


@dataclass(frozen=True, slots=True)
class _Finding:
    """What finding needs: the stores that are searched and the encoders of what is asked."""

    index: MemoryIndex
    encoder: Encoder
    lexical: LexicalEncoder
    short_term: ShortTermBuffer
    graph: KnowledgeGraph


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Open the system that the settings describe: embedded, distributed or mixed.

    Raises:
        IncompatibleIndex: the index was filled by another encoder, or in part.
        InvalidInput: a URL of an unknown kind.
    """
    from lightmem_writer import LearnTurns

    async with AsyncExitStack() as stack:
        clock = SystemClock()
        ledger = await _open_ledger(stack, settings, clock)
        finding = await _open_finding(stack, settings)
        model = _open_model(stack, settings)
        tokenizer = _open_tokenizer()
        writer = _open_writer(stack, settings, model)
        indexing = Indexing(
            ledger=ledger,
            index=finding.index,
            encoder=finding.encoder,
            lexical=finding.lexical,
        )
        await _until_up("ledger", lambda: _check_complete(indexing))
        learn = LearnTurns(
            ledger=ledger,
            writer=writer,
            tokenizer=tokenizer,
            segment_tokens=settings.segment_tokens,
            job_attempts=settings.job_attempts,
        )
        runner = JobRunner(ledger=ledger, indexing=indexing, index=finding.index, learn=learn)
        queue = _open_queue(stack, settings)
        yield Services(
            settings=settings,
            clock=clock,
            secret=installation_secret(settings),
            ledger=ledger,
            index=finding.index,
            encoder=finding.encoder,
            lexical=finding.lexical,
            tokenizer=tokenizer,
            short_term=finding.short_term,
            graph=finding.graph,
            model=model,
            responder=_open_responder(stack, settings, model),
            controller=_open_controller(stack, settings, model),
            selector=_open_selector(stack, settings, finding),
            writer=writer,
            indexing=indexing,
            runner=runner,
            queue=queue,
            worker=_worker(settings, ledger, runner) if queue is None else None,
        )


@asynccontextmanager
async def open_indexing(settings: Settings) -> AsyncIterator[Indexing]:
    """What fills the index, whatever encoder filled it before: for re-embedding alone."""
    async with AsyncExitStack() as stack:
        ledger = await _open_ledger(stack, settings, SystemClock())
        encoder, lexical = _open_encoders(stack, settings)
        index = _make_index(stack, settings)
        yield Indexing(ledger=ledger, index=index, encoder=encoder, lexical=lexical)


@asynccontextmanager
async def open_controller(settings: Settings) -> AsyncIterator[Controller]:
    """The Controller alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield _local_controller(_open_model(stack, settings))


@asynccontextmanager
async def open_selector(settings: Settings) -> AsyncIterator[Selector]:
    """The Selector alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield _local_selector(settings, await _open_finding(stack, settings))


@asynccontextmanager
async def open_writer(settings: Settings) -> AsyncIterator[Writer]:
    """The Writer's extraction alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield _local_writer(settings, _open_model(stack, settings))


@asynccontextmanager
async def open_relay(settings: Settings) -> AsyncIterator[OutboxRelay]:
    """The way from the outbox to the job queue alone, as its process runs it.

    Raises:
        InvalidInput: the settings name no job queue.
    """
    async with AsyncExitStack() as stack:
        queue = _open_queue(stack, settings)
        if queue is None:
            raise InvalidInput.of("LIGHTMEM_QUEUE_URL", "must be redis://HOST:PORT/DB")
        ledger = await _open_ledger(stack, settings, SystemClock())
        yield OutboxRelay(
            ledger=ledger, queue=queue, lease_s=settings.job_lease_s * LEASES_IN_QUEUE
        )


def installation_secret(settings: Settings) -> bytes:
    """The secret that keyed hashes of this installation use.

    From `LIGHTMEM_SECRET`, else from the file `secret` in the data folder, made on first use
    with mode 0600.
    """
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path = settings.data_dir / "secret"
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = secrets.token_urlsafe(32)
    draft = path.with_name(f".secret-{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    draft.write_text(fresh, encoding="ascii")
    try:
        # A link fails when the file is there, so two first starts agree on one secret.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii").encode()


# --- stores ---------------------------------------------------------------------------------


async def _open_ledger(stack: AsyncExitStack, settings: Settings, clock: Clock) -> Ledger:
    from lightmem.adapters.ledger import open_ledger

    ledger = open_ledger(settings.url("ledger"), clock=clock)
    stack.push_async_callback(ledger.close)
    await _until_up("ledger", ledger.migrate)
    return ledger


async def _open_finding(stack: AsyncExitStack, settings: Settings) -> _Finding:
    encoder, lexical = _open_encoders(stack, settings)
    return _Finding(
        index=await _open_index(stack, settings, encoder),
        encoder=encoder,
        lexical=lexical,
        short_term=_open_short_term(stack, settings),
        graph=await _open_graph(stack, settings),
    )


def _open_encoders(stack: AsyncExitStack, settings: Settings) -> tuple[Encoder, LexicalEncoder]:
    from lightmem.adapters.lexical import SnowballLexicalEncoder
    from lightmem.adapters.onnx import open_encoder

    encoder = open_encoder(settings.encoder, threads=settings.cpus)
    stack.callback(encoder.close)
    return encoder, SnowballLexicalEncoder()


def _open_tokenizer() -> Tokenizer:
    from lightmem.adapters.tokens import open_tokenizer

    return open_tokenizer()


async def _open_index(stack: AsyncExitStack, settings: Settings, encoder: Encoder) -> MemoryIndex:
    index = _make_index(stack, settings)
    await _in_background_until_up(
        stack,
        "index",
        lambda: index.open(encoder.encoder_id, encoder.dim, encoder.token_dim),
    )
    return index


def _make_index(stack: AsyncExitStack, settings: Settings) -> MemoryIndex:
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
            from lightmem.adapters.embedded.graph import SqliteKnowledgeGraph

            graph = SqliteKnowledgeGraph(_path(url))
        case "bolt" | "neo4j" | "bolt+s" | "neo4j+s":
            from lightmem.adapters.neo4j import Neo4jKnowledgeGraph

            graph = Neo4jKnowledgeGraph(
                url, user=settings.graph_user, password=settings.graph_password
            )
        case scheme:
            raise InvalidInput.of("LIGHTMEM_GRAPH_URL", f"unknown kind {scheme!r}")
    stack.push_async_callback(graph.close)
    await _in_background_until_up(stack, "graph", graph.ensure_schema)
    return graph


def _open_queue(stack: AsyncExitStack, settings: Settings) -> JobQueue | None:
    match urlsplit(settings.queue_url).scheme:
        case "threads":
            return None
        case "redis" | "rediss":
            from lightmem.adapters.celery import CeleryJobQueue

            queue = CeleryJobQueue(settings.queue_url)
            stack.push_async_callback(queue.close)
            return queue
        case scheme:
            raise InvalidInput.of("LIGHTMEM_QUEUE_URL", f"unknown kind {scheme!r}")


# --- models ---------------------------------------------------------------------------------


def _language_model(
    field: str, url: str, name: str, *, api_key: str | None, threads: int
) -> LanguageModel:
    match urlsplit(url).scheme:
        case "ollama":
            from lightmem.adapters.ollama import OllamaLanguageModel

            return OllamaLanguageModel(url, name, threads=threads)
        case "openai+http" | "openai+https":
            from lightmem.adapters.openai import OpenAiLanguageModel

            return OpenAiLanguageModel(url, name, api_key=api_key)
        case scheme:
            raise InvalidInput.of(field, f"unknown kind {scheme!r}")


def _open_model(stack: AsyncExitStack, settings: Settings) -> LanguageModel | None:
    if not settings.model_url:
        return None
    model = _language_model(
        "LIGHTMEM_MODEL_URL",
        settings.model_url,
        settings.model_name,
        api_key=settings.model_api_key,
        threads=settings.model_threads or settings.cpus,
    )
    stack.push_async_callback(model.close)
    return model


def _open_responder(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> LanguageModel | None:
    if not settings.responder_url:
        return model
    responder = _language_model(
        "LIGHTMEM_RESPONDER_URL",
        settings.responder_url,
        settings.responder_name,
        api_key=settings.responder_api_key,
        threads=settings.model_threads or settings.cpus,
    )
    stack.push_async_callback(responder.close)
    return responder


# --- roles: here, or behind gRPC --------------------------------------------------------------


def _local_controller(model: LanguageModel | None) -> Controller:
    from lightmem_controller import PlanRecall

    return PlanRecall(model=model)


def _open_controller(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> Controller:
    if not settings.controller_url:
        return _local_controller(model)
    from lightmem.adapters.grpc.clients import GrpcController

    client = GrpcController(settings.controller_url, timeout_s=settings.controller_timeout_s)
    stack.push_async_callback(client.close)
    return client


def _local_selector(settings: Settings, finding: _Finding) -> Selector:
    from lightmem_selector import SelectMemories

    return SelectMemories(
        index=finding.index,
        encoder=finding.encoder,
        lexical=finding.lexical,
        short_term=finding.short_term,
        graph=finding.graph,
        coarse_pool=settings.coarse_pool,
        ranker=_open_ranker(settings),
    )


def _open_ranker(settings: Settings) -> Ranker | None:
    """The ranker of the settings; None for the linear ranking."""
    if settings.ranker == "linear":
        return None
    from lightmem.adapters.onnx import open_ranker
    from lightmem_selector.features import NAMES, VERSION

    return open_ranker(settings.ranker, features_version=VERSION, columns=NAMES)


def _open_selector(stack: AsyncExitStack, settings: Settings, finding: _Finding) -> Selector:
    if not settings.selector_url:
        return _local_selector(settings, finding)
    from lightmem.adapters.grpc.clients import GrpcSelector

    client = GrpcSelector(settings.selector_url, timeout_s=settings.selector_timeout_s)
    stack.push_async_callback(client.close)
    return client


def _local_writer(settings: Settings, model: LanguageModel | None) -> Writer:
    from lightmem_writer import ExtractStatements

    return ExtractStatements(model, timeout_s=settings.model_timeout_s)


def _open_writer(stack: AsyncExitStack, settings: Settings, model: LanguageModel | None) -> Writer:
    if not settings.writer_url:
        return _local_writer(settings, model)
    from lightmem.adapters.grpc.clients import GrpcWriter

    client = GrpcWriter(settings.writer_url, timeout_s=settings.writer_timeout_s)
    stack.push_async_callback(client.close)
    return client


# --- waiting ----------------------------------------------------------------------------------


def _worker(settings: Settings, ledger: Ledger, runner: JobRunner) -> OutboxWorker | None:
    """The worker of this process, unless the settings want none."""
    if settings.worker_threads == 0:
        return None
    return OutboxWorker(
        ledger=ledger,
        runner=runner,
        lease_s=settings.job_lease_s,
        concurrency=settings.worker_threads,
    )


async def _check_complete(indexing: Indexing) -> None:
    """Refuse an index that is filled in part: it would find too little and say nothing of it."""
    if await indexing.is_incomplete():
        raise IncompatibleIndex(
            "the index is filled in part, since an embedding of all did not end: "
            "run `lightmem reindex` to its end"
        )


async def _until_up(name: str, action: Callable[[], Awaitable[None]]) -> None:
    delay_s = RETRY_FIRST_S
    while True:
        try:
            await action()
        except Unavailable as exc:
            logger.warning("waiting for %s: %s", name, exc.message)
            await asyncio.sleep(delay_s)
            delay_s = min(delay_s * 2, RETRY_MOST_S)
        else:
            return


async def _in_background_until_up(
    stack: AsyncExitStack, name: str, action: Callable[[], Awaitable[None]]
) -> None:
    """Try once now; what is down is tried again in the background while the system runs."""
    try:
        await action()
    except Unavailable as exc:
        logger.warning("%s is down, going on without it: %s", name, exc.message)
        task = asyncio.create_task(_until_up(name, action), name=f"open-{name}")

        async def stop() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stack.push_async_callback(stop)


def _path(url: str) -> Path:
    """The file or folder of a URL: edge:///data/index, or sqlite:////data/graph.db."""
    return Path(urlsplit(url).path.replace("//", "/", 1))
