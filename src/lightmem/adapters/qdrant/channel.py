"""The gRPC channel to a Qdrant server: deadlines, reconnection, and its errors as ours.

The client's own classes are passed by: their models are built and checked for each hit, which
costs more than the search itself.
"""

from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import grpc
from qdrant_client import grpc as qdrant

from lightmem.errors import IndexUnavailable, InvalidInput

DEFAULT_PORT = 6334
_OPTIONS = MappingProxyType(
    {
        "grpc.max_receive_message_length": 64 * 2**20,
        "grpc.max_send_message_length": 64 * 2**20,
        "grpc.initial_reconnect_backoff_ms": 100,
        "grpc.min_reconnect_backoff_ms": 100,
        "grpc.max_reconnect_backoff_ms": 1_000,
        "grpc.keepalive_time_ms": 30_000,
        "grpc.keepalive_timeout_ms": 5_000,
    }
)


class QdrantChannel:
    """One channel, opened on first use in the event loop that uses it."""

    def __init__(self, url: str, *, api_key: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("qdrant", "qdrant+tls") or not parts.hostname:
            raise InvalidInput.of("index_url", "must be qdrant://HOST:PORT or qdrant+tls://…")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self._target = f"{host}:{parts.port or DEFAULT_PORT}"
        self._is_secure = parts.scheme == "qdrant+tls"
        self._metadata = (("api-key", api_key),) if api_key else ()
        self._channel: grpc.aio.Channel | None = None

    async def call(self, service: str, method: str, request: Any, *, timeout_s: float) -> Any:
        """One unary call, such as `Points`, `QueryBatch`.

        Raises:
            IndexUnavailable: no answer in time, or a refusal; `details["status"]` says which.
        """
        stub = getattr(qdrant, f"{service}Stub")(self._open())
        try:
            return await getattr(stub, method)(request, timeout=timeout_s, metadata=self._metadata)
        except grpc.aio.AioRpcError as exc:
            status = exc.code().name
            raise IndexUnavailable(f"Qdrant did not answer: {status}", status=status) from exc

    async def close(self) -> None:
        """Close the channel; a later call opens another."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None

    def _open(self) -> grpc.aio.Channel:
        if self._channel is None:
            options = tuple(_OPTIONS.items())
            self._channel = (
                grpc.aio.secure_channel(self._target, grpc.ssl_channel_credentials(), options)
                if self._is_secure
                else grpc.aio.insecure_channel(self._target, options)
            )
        return self._channel
