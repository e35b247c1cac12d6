"""What the adapters of language models share: one deadline, bounded answers, one error.

Whatever goes wrong over HTTP is `ModelUnavailable`: no connection, a late or endless answer, an
error status, or a body that is no completion. Messages name no host and none of the user's words.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx

from lightmem.errors import ModelUnavailable

#: More than any answer needs; a server that sends on is cut off.
MAX_ANSWER_BYTES = 4 * 1024 * 1024
CONNECT_TIMEOUT_S = 5.0
CHECK_TIMEOUT_S = 2.0


@contextmanager
def model_errors() -> Iterator[None]:
    """Turn what httpx and a stray answer raise into `ModelUnavailable`."""
    try:
        yield
    except TimeoutError as exc:
        raise ModelUnavailable("the language model did not answer in time") from exc
    except httpx.TimeoutException as exc:
        raise ModelUnavailable("the language model did not answer in time") from exc
    except httpx.HTTPStatusError as exc:
        status = exc.response.status_code
        raise ModelUnavailable(
            f"the language model's server answered {status}", status=status
        ) from exc
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as exc:
        raise ModelUnavailable("the language model's server is not reachable") from exc
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as exc:
        raise ModelUnavailable("the language model's server gave no completion") from exc


class ModelHttp:
    """An HTTP client for one model server; opens its connections on first use."""

    def __init__(self, base_url: str, *, headers: Mapping[str, str] | None = None) -> None:
        self._client = httpx.AsyncClient(
            base_url=base_url,
            headers=headers,
            timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
            trust_env=False,
        )

    async def get(self, path: str, *, timeout_s: float) -> Any:
        """The JSON answer to a GET."""
        return await self._json("GET", path, None, timeout_s=timeout_s)

    async def post(self, path: str, body: Mapping[str, Any], *, timeout_s: float) -> Any:
        """The JSON answer to a POST, complete within `timeout_s`."""
        return await self._json("POST", path, body, timeout_s=timeout_s)

    async def lines(
        self, path: str, body: Mapping[str, Any], *, timeout_s: float
    ) -> AsyncIterator[str]:
        """The lines of a streamed answer as they come, all of them within `timeout_s`."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        with model_errors():
            async with self._opened("POST", path, body, deadline=deadline) as response:
                source = response.aiter_lines()
                received = 0
                while (line := await self._next(source, deadline)) is not None:
                    received += len(line)
                    if received > MAX_ANSWER_BYTES:
                        raise ModelUnavailable("the language model's answer does not end")
                    yield line

    async def close(self) -> None:
        await self._client.aclose()

    async def _json(
        self, method: str, path: str, body: Mapping[str, Any] | None, *, timeout_s: float
    ) -> Any:
        deadline = asyncio.get_running_loop().time() + timeout_s
        with model_errors():
            async with (
                asyncio.timeout_at(deadline),
                self._opened(method, path, body, deadline=deadline) as response,
            ):
                content = bytearray()
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > MAX_ANSWER_BYTES:
                        raise ModelUnavailable("the language model's answer does not end")
            return json.loads(content)

    @asynccontextmanager
    async def _opened(
        self, method: str, path: str, body: Mapping[str, Any] | None, *, deadline: float
    ) -> AsyncIterator[httpx.Response]:
        """The response once its headers are there, its status checked."""
        request = self._client.build_request(method, path, json=body)
        async with asyncio.timeout_at(deadline):
            response = await self._client.send(request, stream=True)
        try:
            response.raise_for_status()
            yield response
        finally:
            await response.aclose()

    @staticmethod
    async def _next(source: AsyncIterator[str], deadline: float) -> str | None:
        # The deadline is set anew for each piece: a timeout held open across a `yield` would
        # strike whatever the consumer happens to await.
        async with asyncio.timeout_at(deadline):
            return await anext(source, None)
