"""The systems that can be opened: the whole, or one role alone as its service runs it.

What is down at start is named in the log and waited for; it never ends the process.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lightmem.bootstrap.dreaming import look_for_dreams, make_promoter, open_dreaming
from lightmem.bootstrap.learning import make_learning
from lightmem.bootstrap.models import open_model, open_responder
from lightmem.bootstrap.roles import (
    connect_controller,
    connect_selector,
    connect_writer,
    local_controller,
    local_selector,
    local_writer,
)
from lightmem.bootstrap.secret import check_secret, installation_secret
from lightmem.bootstrap.starting import check_complete, until_up
from lightmem.bootstrap.stores import (
    Finding,
    make_index,
    open_encoders,
    open_finding,
    open_ledger,
    open_queue,
    open_tokenizer,
)
from lightmem.bootstrap.upkeep import Upkeep, make_upkeep
from lightmem.domain.clock import SystemClock
from lightmem.errors import InvalidInput
from lightmem.forgetting import ForgetByJob, ForgetMemories, ForgottenValues
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
    Selector,
    ShortTermBuffer,
    Tokenizer,
    Writer,
)
from lightmem.settings import Settings

if TYPE_CHECKING:
    from lightmem_consolidator import LookForDreams

#: A job may wait in the queue for so many leases; the worker that takes it sets a new one.
LEASES_IN_QUEUE = 10


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a gateway or a worker works with, opened."""

    settings: Settings
    clock: Clock
    secret: bytes
    #: Knows what users had forgotten; whatever is to be stored is held against it.
    forgotten: ForgottenValues
    forget: ForgetMemories
    upkeep: Upkeep
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
    #: Asks for dreams by itself where it is to, and lets shared memory fade; not yet started.
    look_for_dreams: "LookForDreams"


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Open the system that the settings describe: embedded, distributed or mixed.

    Raises:
        IncompatibleIndex: the index was filled by another encoder, or in part.
        InvalidInput: a URL of an unknown kind.
        OtherSecret: the installation has another secret than this process.
    """
    async with AsyncExitStack() as stack:
        clock = SystemClock()
        ledger = await open_ledger(stack, settings, clock)
        secret = installation_secret(settings)
        await until_up("ledger", lambda: check_secret(ledger, secret))
        finding = await open_finding(stack, settings)
        model = open_model(stack, settings)
        tokenizer = open_tokenizer()
        writer = connect_writer(stack, settings, model)
        indexing = _make_indexing(ledger, finding)
        await until_up("ledger", lambda: check_complete(indexing))
        forgotten = ForgottenValues(ledger=ledger, encoder=finding.encoder, secret=secret)
        forget = _make_forgetting(ledger, finding, indexing, forgotten, clock)
        learn = make_learning(
            stack,
            settings,
            ledger,
            finding,
            writer=writer,
            tokenizer=tokenizer,
            forgotten=forgotten,
        )
        queue = open_queue(stack, settings)
        promoter = make_promoter(ledger, finding, clock=clock, secret=secret)
        upkeep = make_upkeep(
            ledger,
            finding,
            queue=queue,
            indexing=indexing,
            forgotten=forgotten,
            promoter=promoter,
            clock=clock,
            secret=secret,
        )
        runner = JobRunner(
            ledger=ledger,
            indexing=indexing,
            index=finding.index,
            learn=learn,
            upkeep=upkeep.work,
            forget=ForgetByJob(ledger=ledger, forget=forget),
            dream=open_dreaming(
                stack,
                settings,
                ledger=ledger,
                finding=finding,
                forgotten=forgotten,
                tokenizer=tokenizer,
                model=model,
                promoter=promoter,
            ),
            job_attempts=settings.job_attempts,
        )
        yield Services(
            settings=settings,
            clock=clock,
            secret=secret,
            forgotten=forgotten,
            forget=forget,
            upkeep=upkeep,
            ledger=ledger,
            index=finding.index,
            encoder=finding.encoder,
            lexical=finding.lexical,
            tokenizer=tokenizer,
            short_term=finding.short_term,
            graph=finding.graph,
            model=model,
            responder=open_responder(stack, settings, model),
            controller=connect_controller(stack, settings, model),
            selector=connect_selector(stack, settings, finding),
            writer=writer,
            indexing=indexing,
            runner=runner,
            queue=queue,
            worker=_worker(settings, ledger, runner) if queue is None else None,
            look_for_dreams=look_for_dreams(settings, ledger, finding, clock=clock),
        )


def _make_indexing(ledger: Ledger, finding: Finding) -> Indexing:
    return Indexing(
        ledger=ledger, index=finding.index, encoder=finding.encoder, lexical=finding.lexical
    )


def _make_forgetting(
    ledger: Ledger,
    finding: Finding,
    indexing: Indexing,
    forgotten: ForgottenValues,
    clock: Clock,
) -> ForgetMemories:
    return ForgetMemories(
        ledger=ledger,
        index=finding.index,
        encoder=finding.encoder,
        short_term=finding.short_term,
        indexing=indexing,
        values=forgotten,
        clock=clock,
    )


@asynccontextmanager
async def open_indexing(settings: Settings) -> AsyncIterator[Indexing]:
    """What fills the index, whatever encoder filled it before: for re-embedding alone."""
    async with AsyncExitStack() as stack:
        ledger = await open_ledger(stack, settings, SystemClock())
        encoder, lexical = open_encoders(stack, settings)
        index = make_index(stack, settings)
        yield Indexing(ledger=ledger, index=index, encoder=encoder, lexical=lexical)


@asynccontextmanager
async def open_controller(settings: Settings) -> AsyncIterator[Controller]:
    """The Controller alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield local_controller(open_model(stack, settings))


@asynccontextmanager
async def open_selector(settings: Settings) -> AsyncIterator[Selector]:
    """The Selector alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield local_selector(settings, await open_finding(stack, settings))


@asynccontextmanager
async def open_writer(settings: Settings) -> AsyncIterator[Writer]:
    """The Writer's extraction alone, as its service runs it."""
    async with AsyncExitStack() as stack:
        yield local_writer(settings, open_model(stack, settings))


@asynccontextmanager
async def open_relay(settings: Settings) -> AsyncIterator[OutboxRelay]:
    """The way from the outbox to the job queue alone, as its process runs it.

    Raises:
        InvalidInput: the settings name no job queue.
    """
    async with AsyncExitStack() as stack:
        queue = open_queue(stack, settings)
        if queue is None:
            raise InvalidInput.of("LIGHTMEM_QUEUE_URL", "must be redis://HOST:PORT/DB")
        ledger = await open_ledger(stack, settings, SystemClock())
        yield OutboxRelay(
            ledger=ledger,
            queue=queue,
            dreams=open_queue(stack, settings, dreams=True),
            lease_s=settings.job_lease_s * LEASES_IN_QUEUE,
        )


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
