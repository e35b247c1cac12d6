"""The server that every role runs in: health, limits and a stop that loses no call.

On SIGTERM or SIGINT health turns NOT_SERVING first, so that balancers look elsewhere; calls under
way then have `grace_s` to end.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from lightmem.adapters.grpc.clients import SIZE_OPTIONS

logger = logging.getLogger(__name__)

#: Seconds between NOT_SERVING and the end of accepting: how long balancers take to notice.
_NOTICE_S = 0.2

_OPTIONS: list[tuple[str, int]] = [
    *SIZE_OPTIONS,
    # Clients ping every 30 s, also while idle; without this the server would hang up on them.
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # A connection ends now and then, so that new replicas get their share.
    ("grpc.max_connection_age_ms", 600_000),
    ("grpc.max_connection_age_grace_ms", 30_000),
    ("grpc.so_reuseport", 0),
]


@asynccontextmanager
async def running_role(
    address: str,
    *,
    service: str,
    add: Callable[[grpc.aio.Server], None],
    grace_s: float = 10.0,
) -> AsyncIterator[int]:
    """Serve one role within the block; yields the port that was bound.

    Args:
        address: `HOST:PORT`; port 0 takes a free one.
        service: Full name of the gRPC service, as health is asked for.
        add: Registers the role's servicer.
        grace_s: How long calls under way may take to end.
    """
    server = grpc.aio.server(options=_OPTIONS)
    add(server)
    state = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(state, server)
    port = server.add_insecure_port(address)
    await server.start()
    await state.set(service, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield port
    finally:
        await state.enter_graceful_shutdown()
        await asyncio.sleep(min(_NOTICE_S, grace_s))
        await server.stop(grace_s)


async def serve_role(
    address: str,
    *,
    service: str,
    add: Callable[[grpc.aio.Server], None],
    grace_s: float = 10.0,
) -> None:
    """Serve one role until the process is told to stop; arguments as `running_role`."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running_role(address, service=service, add=add, grace_s=grace_s) as port:
        logger.info("%s listens on port %d", service, port)
        await stop.wait()
        logger.info("%s stops", service)
