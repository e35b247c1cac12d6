"""Each role as a use case here, or behind gRPC when the settings have a URL for it."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from lightmem.bootstrap.stores import Finding, open_tokenizer
from lightmem.model import Health
from lightmem.ports import Controller, LanguageModel, Ranker, Selector, Writer
from lightmem.settings import Settings


def local_controller(model: LanguageModel | None) -> Controller:
    from lightmem_controller import PlanRecall

    return PlanRecall(model=model)


def connect_controller(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> Controller:
    if not settings.controller_url:
        return local_controller(model)
    from lightmem.adapters.grpc.clients import GrpcController

    client = GrpcController(settings.controller_url, timeout_s=settings.controller_timeout_s)
    stack.push_async_callback(client.close)
    return client


def local_selector(settings: Settings, finding: Finding) -> Selector:
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


def connect_selector(stack: AsyncExitStack, settings: Settings, finding: Finding) -> Selector:
    if not settings.selector_url:
        return local_selector(settings, finding)
    from lightmem.adapters.grpc.clients import GrpcSelector

    client = GrpcSelector(settings.selector_url, timeout_s=settings.selector_timeout_s)
    stack.push_async_callback(client.close)
    return client


def local_writer(settings: Settings, model: LanguageModel | None) -> Writer:
    from lightmem_writer import ExtractStatements

    return ExtractStatements(
        model,
        timeout_s=settings.model_timeout_s,
        count_tokens=open_tokenizer().count,
        compression_ratio=settings.compression_ratio,
    )


def asking(writer: Writer) -> Callable[[], Awaitable[Health]] | None:
    """How a Writer in a process of its own is asked whether it is up; None for one in here."""
    check: Callable[[], Awaitable[Health]] | None = getattr(writer, "check", None)
    return check


def connect_writer(
    stack: AsyncExitStack, settings: Settings, model: LanguageModel | None
) -> Writer:
    if not settings.writer_url:
        return local_writer(settings, model)
    from lightmem.adapters.grpc.clients import GrpcWriter

    client = GrpcWriter(settings.writer_url, timeout_s=settings.writer_timeout_s)
    stack.push_async_callback(client.close)
    return client
