"""The roles behind gRPC: each client keeps the port of its role.

Calls change nothing on the far side, so what finds no server is tried again with backoff, within
the one deadline of the call. Addresses are resolved by DNS and shared out round-robin.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from lightmem.adapters.grpc import convert
from lightmem.adapters.grpc.errors import from_status
from lightmem.adapters.grpc.tracing import outgoing_metadata
from lightmem.domain.limits import check_recall
from lightmem.errors import (
    ControllerUnavailable,
    InvalidInput,
    SelectorUnavailable,
    Unavailable,
    WriterUnavailable,
)
from lightmem.model import Extraction, Health, Plan, RecallRequest, Selection, Turn
from lightmem.rpc.v1 import (
    controller_pb2,
    controller_pb2_grpc,
    selector_pb2,
    selector_pb2_grpc,
    writer_pb2,
    writer_pb2_grpc,
)

#: Largest message and largest metadata, in bytes, on both sides.
SIZE_OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_send_message_length", 64 * 1024 * 1024),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.max_metadata_size", 64 * 1024),
    ("grpc.absolute_max_metadata_size", 64 * 1024),
]
_HEALTH_TIMEOUT_S = 1.0
R = TypeVar("R")


def target_of(url: str) -> str:
    """What gRPC dials for `grpc://HOST:PORT`."""
    parts = urlsplit(url)
    if parts.scheme != "grpc" or not parts.hostname or parts.port is None:
        raise InvalidInput.of("url", f"must be grpc://HOST:PORT, not {url!r}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"dns:///{host}:{parts.port}"


def channel_options(service: str, *, is_retried: bool = True) -> list[tuple[str, Any]]:
    """Balancing, retries, keepalive and message size for the channel of one service."""
    config: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if is_retried:
        config["methodConfig"] = [
            {
                "name": [{"service": service}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.05s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    return [
        ("grpc.service_config", json.dumps(config)),
        ("grpc.enable_retries", int(is_retried)),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.dns_min_time_between_resolutions_ms", 1_000),
        *SIZE_OPTIONS,
    ]


@contextmanager
def _encoding() -> Iterator[None]:
    """What protobuf cannot carry (a lone surrogate, a count beyond 32 bits) is `InvalidInput`."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as exc:
        raise InvalidInput("the request holds a value that cannot be sent") from exc


class _RoleClient:
    """A channel to one role's service and what all such clients do alike."""

    role: str
    service: str
    unavailable: type[Unavailable]
    #: Whether a call that finds no server, or loses it, is made again within its deadline.
    is_retried = True

    def __init__(self, url: str, *, timeout_s: float) -> None:
        self._target = target_of(url)
        self._timeout_s = timeout_s
        self._open: grpc.aio.Channel | None = None

    @property
    def _channel(self) -> grpc.aio.Channel:
        """The channel, made on first use: it belongs to the event loop that uses it."""
        if self._open is None:
            options = channel_options(self.service, is_retried=self.is_retried)
            self._open = grpc.aio.insecure_channel(self._target, options=options)
        return self._open

    @asynccontextmanager
    async def _calling(self) -> AsyncIterator[None]:
        try:
            yield
        except grpc.aio.AioRpcError as exc:
            raise from_status(exc, unavailable=self.unavailable, service=self.role) from exc

    async def _call(self, method: "grpc.aio.UnaryUnaryMultiCallable[Any, R]", message: Any) -> R:
        async with self._calling():
            call = method(message, timeout=self._timeout_s, metadata=outgoing_metadata())
            return await cast("Awaitable[R]", call)

    async def check(self) -> Health:
        """Whether the service says that it serves."""
        stub: Any = health_pb2_grpc.HealthStub(self._channel)
        request = health_pb2.HealthCheckRequest(service=self.service)
        try:
            answer = await stub.Check(request, timeout=_HEALTH_TIMEOUT_S)
        except grpc.aio.AioRpcError as exc:
            return Health(self.role.lower(), "down", exc.code().name)
        serving = answer.status == health_pb2.HealthCheckResponse.SERVING
        return Health(self.role.lower(), "ok" if serving else "down")

    async def close(self) -> None:
        """End the channel; calls under way are cancelled."""
        if self._open is not None:
            await self._open.close()
            self._open = None


class GrpcController(_RoleClient):
    """The Controller at `grpc://HOST:PORT`; keeps `ports.Controller`."""

    role = "Controller"
    service = "lightmem.rpc.v1.ControllerService"
    unavailable = ControllerUnavailable

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        check_recall(request)
        with _encoding():
            message = controller_pb2.PlanRequest(
                tenant_id=tenant_id, user_id=user_id, request=convert.request_to_pb(request)
            )
        stub = controller_pb2_grpc.ControllerServiceStub(self._channel)
        answer = await self._call(stub.Plan, message)
        return convert.plan_from_pb(answer.plan)


class GrpcSelector(_RoleClient):
    """The Selector at `grpc://HOST:PORT`; keeps `ports.Selector`."""

    role = "Selector"
    service = "lightmem.rpc.v1.SelectorService"
    unavailable = SelectorUnavailable

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection:
        check_recall(request)
        with _encoding():
            message = selector_pb2.SelectRequest(
                tenant_id=tenant_id,
                user_id=user_id,
                request=convert.request_to_pb(request),
                plan=convert.plan_to_pb(plan),
            )
        stub = selector_pb2_grpc.SelectorServiceStub(self._channel)
        return convert.selection_from_pb(await self._call(stub.Select, message))


class GrpcWriter(_RoleClient):
    """The Writer at `grpc://HOST:PORT`; keeps `ports.Writer`."""

    role = "Writer"
    service = "lightmem.rpc.v1.WriterService"
    unavailable = WriterUnavailable
    # What ends a Writer must not end the next ones too; a job is tried again anyway.
    is_retried = False

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        with _encoding():
            message = writer_pb2.ExtractRequest(
                tenant_id=tenant_id,
                user_id=user_id,
                turns=[convert.turn_to_pb(turn) for turn in turns],
                context=[convert.turn_to_pb(turn) for turn in context],
            )
        stub = writer_pb2_grpc.WriterServiceStub(self._channel)
        return convert.extraction_from_pb(await self._call(stub.Extract, message))
