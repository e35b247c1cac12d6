"""Each role in process and behind gRPC, with a double of the use case where a test needs one."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import grpc

from lightmem.adapters.grpc.clients import GrpcController, GrpcSelector, GrpcWriter
from lightmem.adapters.grpc.server import running_role
from lightmem.errors import LightMemError
from lightmem.ports import Controller, Selector, Writer
from lightmem_controller.servicer import SERVICE as CONTROLLER
from lightmem_controller.servicer import add_controller
from lightmem_selector.servicer import SERVICE as SELECTOR
from lightmem_selector.servicer import add_selector
from lightmem_writer.servicer import SERVICE as WRITER
from lightmem_writer.servicer import add_writer

#: How a contract suite reaches a role.
WAYS: Sequence[str] = ("in process", "gRPC")


class Failing:
    """A role whose every call raises its error."""

    def __init__(self, error: LightMemError | Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        async def call(*_: Any, **__: Any) -> None:
            raise self._error

        return call


@asynccontextmanager
async def _served(add: Callable[[grpc.aio.Server], None], service: str) -> AsyncIterator[str]:
    async with running_role("127.0.0.1:0", service=service, add=add, grace_s=0.0) as port:
        yield f"grpc://127.0.0.1:{port}"


@asynccontextmanager
async def controller_by(way: str, role: Controller) -> AsyncIterator[Controller]:
    """The Controller itself, or a client of a server that runs it."""
    if way == "in process":
        yield role
        return
    async with _served(partial(add_controller, role), CONTROLLER) as url:
        client = GrpcController(url, timeout_s=5.0)
        yield client
        await client.close()


@asynccontextmanager
async def selector_by(way: str, role: Selector) -> AsyncIterator[Selector]:
    """The Selector itself, or a client of a server that runs it."""
    if way == "in process":
        yield role
        return
    async with _served(partial(add_selector, role), SELECTOR) as url:
        client = GrpcSelector(url, timeout_s=5.0)
        yield client
        await client.close()


@asynccontextmanager
async def writer_by(way: str, role: Writer) -> AsyncIterator[Writer]:
    """The Writer itself, or a client of a server that runs it."""
    if way == "in process":
        yield role
        return
    async with _served(partial(add_writer, role), WRITER) as url:
        client = GrpcWriter(url, timeout_s=5.0)
        yield client
        await client.close()
