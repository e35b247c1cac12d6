"""How a role's service lives and dies: health, deadlines, retries, traces, and a graceful stop."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from lightmem.adapters.grpc.clients import GrpcController, target_of
from lightmem.adapters.grpc.server import running_role
from lightmem.errors import ControllerUnavailable, InvalidInput, LightMemError
from lightmem.model import Plan, RecallRequest
from lightmem_controller import PlanRecall
from lightmem_controller.servicer import SERVICE, add_controller

REQUEST = RecallRequest("Where does Ana live?", now=datetime(2024, 5, 8, tzinfo=UTC))
Planning = Callable[[], Any]


class Controller:
    """Plans as usual, after doing something first."""

    def __init__(self, first: Planning) -> None:
        self._first = first
        self._plans = PlanRecall()
        self.was_cancelled = asyncio.Event()

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        try:
            await self._first()
        except asyncio.CancelledError:
            self.was_cancelled.set()
            raise
        return await self._plans.plan(tenant_id, user_id, request)


@asynccontextmanager
async def client_of(port: int, *, timeout_s: float = 5.0) -> AsyncIterator[GrpcController]:
    client = GrpcController(f"grpc://127.0.0.1:{port}", timeout_s=timeout_s)
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def served(role: Any, *, timeout_s: float = 5.0) -> AsyncIterator[GrpcController]:
    """A client of a server that runs the role."""
    add = partial(add_controller, role)
    async with (
        running_role("127.0.0.1:0", service=SERVICE, add=add, grace_s=0.0) as port,
        client_of(port, timeout_s=timeout_s) as client,
    ):
        yield client


async def until(status: str, client: GrpcController, *, patience_s: float = 60.0) -> None:
    """Ask for health until it is as expected."""
    async with asyncio.timeout(patience_s):
        # The far side is another process or server: there is no event to wait for.
        while (await client.check()).status != status:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_health_tells_whether_the_role_serves() -> None:
    async with served(PlanRecall()) as client:
        while_up = await client.check()
    async with client_of(free_port()) as client:
        when_gone = await client.check()

    assert (while_up.name, while_up.status) == ("controller", "ok")
    assert when_gone.status == "down"
    assert "127.0.0.1" not in when_gone.detail


async def test_a_call_under_way_ends_before_the_service_does() -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        entered.set()
        await leave.wait()

    add = partial(add_controller, Controller(wait))
    running = running_role("127.0.0.1:0", service=SERVICE, add=add, grace_s=5.0)
    port = await running.__aenter__()
    async with client_of(port) as client:
        call = asyncio.create_task(client.plan("acme", "ana", REQUEST))
        await entered.wait()
        stopping = asyncio.create_task(running.__aexit__(None, None, None))
        await until("down", client)
        leave.set()
        plan = await call
        await stopping

    assert plan.queries[0].text == REQUEST.query


async def test_a_deadline_ends_the_call_on_both_sides() -> None:
    controller = Controller(asyncio.Event().wait)

    async with served(controller, timeout_s=0.2) as client:
        with pytest.raises(ControllerUnavailable):
            await client.plan("acme", "ana", REQUEST)
        async with asyncio.timeout(5):
            await controller.was_cancelled.wait()


async def test_a_service_that_was_gone_is_tried_again() -> None:
    tries = 0

    async def fail_twice() -> None:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise ControllerUnavailable("still starting")

    async with served(Controller(fail_twice)) as client:
        plan = await client.plan("acme", "ana", REQUEST)

    assert (tries, plan.source) == (3, "rules")


async def test_nobody_there_is_unavailable_and_comes_back_by_itself() -> None:
    port = free_port()
    async with client_of(port) as client:
        with pytest.raises(ControllerUnavailable):
            await client.plan("acme", "ana", REQUEST)

        add = partial(add_controller, PlanRecall())
        address = f"127.0.0.1:{port}"
        async with running_role(address, service=SERVICE, add=add, grace_s=0.0):
            await until("ok", client)
            plan = await client.plan("acme", "ana", REQUEST)

    assert plan.source == "rules"


async def test_what_breaks_inside_is_internal_and_tells_nothing() -> None:
    async def break_down() -> None:
        raise RuntimeError("secret words of a user")

    async with served(Controller(break_down)) as client:
        with pytest.raises(LightMemError) as failure:
            await client.plan("acme", "ana", REQUEST)

    assert failure.value.code == "INTERNAL"
    assert "secret" not in failure.value.message


async def test_a_trace_goes_on_behind_the_call() -> None:
    seen: list[int] = []

    async def look() -> None:
        seen.append(trace.get_current_span().get_span_context().trace_id)

    caller = SpanContext(0xABC, 0xDEF, is_remote=False, trace_flags=TraceFlags(1))
    async with served(Controller(look)) as client:
        with trace.use_span(NonRecordingSpan(caller)):
            await client.plan("acme", "ana", REQUEST)

    assert seen == [0xABC]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("grpc://controller:50051", "dns:///controller:50051"),
        ("grpc://[::1]:50051", "dns:///[::1]:50051"),
    ],
)
def test_an_address_is_resolved_by_dns(url: str, target: str) -> None:
    assert target_of(url) == target


@pytest.mark.parametrize("url", ["controller:50051", "grpc://controller", "http://a:1", ""])
def test_another_kind_of_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        GrpcController(url, timeout_s=1.0)


async def test_a_process_told_to_stop_stops_cleanly() -> None:
    port = free_port()
    environment = {
        **os.environ,
        "LIGHTMEM_RPC_ADDRESS": f"127.0.0.1:{port}",
        "PYTHONWARNINGS": "ignore",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "lightmem_controller", env=environment
    )
    async with client_of(port) as client:
        await until("ok", client)
        plan = await client.plan("acme", "ana", REQUEST)

    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(20):
        code = await process.wait()

    assert plan.queries[0].text == REQUEST.query
    assert code == 0
