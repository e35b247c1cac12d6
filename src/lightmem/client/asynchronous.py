"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Self, TypeVar

import httpx

from lightmem.client import calls
from lightmem.client.answers import (
    Chat,
    ChatEvent,
    Memory,
    Operation,
    Page,
    Recall,
    Remembered,
    Session,
    Turn,
)
from lightmem.client.calls import Call, Limits, Wait
from lightmem.client.concepts import AsyncConcepts
from lightmem.client.dreams import AsyncDreams
from lightmem.client.events import events_of_async
from lightmem.client.forgetting import AsyncForgetting
from lightmem.client.problems import error_of
from lightmem.client.sending import (
    TENANT_HEADER,
    Retries,
    answer_of,
    failure_of,
    pause_before_retry,
    request_of,
)
from lightmem.client.turns import SaidTurn
from lightmem.client.users import AsyncUsers
from lightmem.model import Layer, MemoryKind, MemoryStatus, RecallMode

if TYPE_CHECKING:
    from lightmem.settings import Settings

T = TypeVar("T")

DEFAULT_RETRIES = Retries()


class AsyncClient(AsyncConcepts, AsyncDreams, AsyncForgetting, AsyncUsers):
    """LightMem over HTTP, for asyncio.

    Args:
        url: Where the gateway is, such as `http://127.0.0.1:8080`.
        key: An API key; whose memory is meant comes from it.
        tenant_id: The tenant that an admin key means; leave it out for other keys.
        timeout_s: Longest wait for an answer.
        retries: How calls that are safe to repeat are sent again.
        transport: Another way to the gateway than the network.

    Every method raises the class of `lightmem.errors` that the answer's `code` names, and
    `Unavailable` when there is none.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        tenant_id: str | None = None,
        timeout_s: float = 60.0,
        retries: Retries = DEFAULT_RETRIES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        # Without a key only the open routes answer; an empty one is no valid header.
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if tenant_id is not None:
            headers[TENANT_HEADER] = tenant_id
        self._http = httpx.AsyncClient(
            base_url=self.url, headers=headers, timeout=timeout_s, transport=transport
        )
        self._retries = retries

    @classmethod
    @asynccontextmanager
    async def embedded(cls, settings: "Settings | None" = None) -> AsyncIterator[Self]:
        """The whole system in this process, in the settings' data folder, and a client of it.

        The same gateway and the same code as a server's, without the network.

        Raises:
            DataFolderInUse: another process has the data folder.
        """
        from lightmem.installation import open_app  # noqa: PLC0415  (keeps the SDK light)

        async with open_app(settings) as (app, keys):
            transport = httpx.ASGITransport(app)
            async with cls("http://lightmem", keys.tenant_key, transport=transport) as client:
                yield client

    async def remember(
        self,
        user_id: str,
        session_id: str,
        turns: Sequence[SaidTurn | str],
        *,
        wait: Wait = "none",
    ) -> Remembered:
        """Store turns, word for word; they are durable and findable when it returns.

        Args:
            turns: 1 to 1,000 turns in the order they were said; a text is a turn of the user.
            wait: `written` waits until memories were drawn from them, 30 s at most.
        """
        said = [turn if isinstance(turn, SaidTurn) else SaidTurn(turn) for turn in turns]
        return await self.send(calls.remember(user_id, session_id, said, wait=wait))

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        session_id: str | None = None,
        top_k: int = 5,
        budget_tokens: int = 1150,
        layers: Sequence[Layer] | None = None,
        mode: RecallMode = RecallMode.FAST,
        limits: Limits | None = None,
        now: datetime | None = None,
        explain: bool = False,
    ) -> Recall:
        """What is relevant to `query`, best first, at most `top_k` items within the budget.

        Args:
            session_id: The conversation going on, whose latest turns count as short-term memory.
            limits: Times, speakers, kinds and sessions to keep to.
            now: The moment that "yesterday" in the query is told from; None is the present.
            explain: Also return what was considered and why it was chosen or not.
        """
        call = calls.recall(
            user_id,
            query,
            session_id=session_id,
            top_k=top_k,
            budget_tokens=budget_tokens,
            layers=layers,
            mode=mode,
            limits=limits,
            now=now,
            explain=explain,
        )
        return await self.send(call)

    async def chat(
        self, user_id: str, session_id: str, message: str, *, memory: str = "lightmem"
    ) -> Chat:
        """Recall, answer by the configured model, and remember the exchange.

        Raises:
            ResponderUnavailable: no model that answers is configured.
        """
        return await self.send(calls.chat(user_id, session_id, message, memory=memory))

    async def stream_chat(
        self, user_id: str, session_id: str, message: str, *, memory: str = "lightmem"
    ) -> AsyncIterator[ChatEvent]:
        """As `chat`, in pieces as they come: `recall`, `token`…, then `done` or `error`."""
        call = calls.chat(user_id, session_id, message, memory=memory, stream=True)
        request = request_of(self._http, call)
        response = await self._http.send(request, stream=True)
        try:
            if not response.is_success:
                await response.aread()
                raise error_of(response)
            async for event in events_of_async(response.aiter_lines()):
                yield event
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc
        finally:
            await response.aclose()

    async def operation(self, operation_id: str) -> Operation:
        """How a write stands: each of its turns ends in one outcome."""
        return await self.send(calls.operation(operation_id))

    async def retry(self, operation_id: str) -> Operation:
        """Run the quarantined turns of an operation again."""
        return await self.send(calls.retry(operation_id))

    async def turn(self, turn_id: str) -> Turn:
        """A turn by its id."""
        return await self.send(calls.turn(turn_id))

    async def turns(
        self,
        user_id: str,
        *,
        session_id: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Turn]:
        """What was said, oldest first."""
        return await self.send(
            calls.turns(user_id, session_id=session_id, limit=limit, cursor=cursor)
        )

    async def sessions(
        self, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Session]:
        """A user's conversations, latest first."""
        return await self.send(calls.sessions(user_id, limit=limit, cursor=cursor))

    async def memory(self, memory_id: str) -> Memory:
        """A memory by its id."""
        return await self.send(calls.memory(memory_id))

    async def memories(
        self,
        user_id: str,
        *,
        status: MemoryStatus | None = None,
        kind: MemoryKind | None = None,
        query: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """What was learnt about a user, latest first."""
        call = calls.memories(
            user_id, status=status, kind=kind, query=query, limit=limit, cursor=cursor
        )
        return await self.send(call)

    async def send(self, call: Call[T]) -> T:
        """Send any call of `lightmem.client.calls`, again where that is safe."""
        request = request_of(self._http, call)
        tries = 0
        while True:
            tries += 1
            try:
                failure: httpx.Response | httpx.TransportError
                failure = response = await self._http.send(request)
            except httpx.TransportError as exc:
                failure, response = exc, None
            pause_s = pause_before_retry(call, self._retries, tries, failure)
            if response is not None and (response.is_success or pause_s is None):
                return answer_of(call, response)
            if pause_s is None and isinstance(failure, httpx.TransportError):
                raise failure_of(self.url, failure) from failure
            await asyncio.sleep(pause_s or 0.0)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
