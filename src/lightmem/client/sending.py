"""How a call becomes a request, when it is sent again, and how the answer is read."""

import random
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import uuid4

import httpx

from lightmem.client.calls import Call
from lightmem.client.problems import error_of, retry_after_s
from lightmem.errors import DeadlineExceeded, LightMemError, Unavailable

T = TypeVar("T")

TENANT_HEADER = "X-LightMem-Tenant"


class AsyncSends(Protocol):
    """What the methods of an asyncio client need of it."""

    async def send(self, call: Call[T]) -> T: ...


class Sends(Protocol):
    """What the methods of a blocking client need of it."""

    def send(self, call: Call[T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a call is sent again.

    The pause before try n is drawn from [0.5, 1] times min(first_s * 2 ** n, longest_s), or is
    what the server asks for, never over `longest_s`.
    """

    times: int = 4
    first_s: float = 0.2
    longest_s: float = 5.0

    def pause_s(self, tries: int, asked_s: float | None) -> float:
        """Seconds to wait after `tries` tries have failed."""
        if asked_s is not None:
            return min(asked_s, self.longest_s)
        # Spread, so that clients that failed together do not come back together.
        spread = 0.5 + random.random() / 2  # noqa: S311
        return spread * min(self.first_s * 2.0 ** (tries - 1), self.longest_s)


def request_of(client: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    """The request of a call. A write carries one idempotency key through all its tries."""
    headers = {}
    if call.is_write:
        headers["Idempotency-Key"] = str(uuid4())
    if call.tenant_id is not None:
        headers[TENANT_HEADER] = call.tenant_id
    return client.build_request(
        call.method, call.path, json=call.body, params=call.params or None, headers=headers
    )


def answer_of(call: Call[T], response: httpx.Response) -> T:
    """The answer, read; or the error that it stands for, raised."""
    if not response.is_success:
        raise error_of(response)
    try:
        return call.read(response.json() if response.content else None)
    except ValueError as exc:
        message = f"{call.method} {call.path}: the answer is not what the API promises"
        raise LightMemError(message) from exc


def pause_before_retry(
    call: Call[Any], retries: Retries, tries: int, failure: httpx.Response | httpx.TransportError
) -> float | None:
    """Seconds to wait before the call is sent again, or None when it must not be."""
    if tries > retries.times:
        return None
    if isinstance(failure, httpx.Response):
        asked = retry_after_s(failure)
        wanted = failure.status_code == 503 and asked is not None and call.repeat == "always"
        return retries.pause_s(tries, asked) if wanted else None
    unsent = isinstance(failure, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    timed_out = isinstance(failure, httpx.ReadTimeout)
    if unsent or (call.repeat == "always" and not timed_out):
        return retries.pause_s(tries, None)
    return None


def failure_of(url: str, failure: httpx.TransportError) -> LightMemError:
    """The error of a request that got no answer."""
    if isinstance(failure, httpx.ReadTimeout):
        return DeadlineExceeded(f"no answer from {url} in time")
    return Unavailable(f"no answer from {url}: {failure or type(failure).__name__}")
