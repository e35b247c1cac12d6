"""The client for threads."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Self, TypeVar

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
from lightmem.client.concepts import Concepts
from lightmem.client.dreams import Dreams
from lightmem.client.events import events_of
from lightmem.client.forgetting import Forgetting
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
from lightmem.client.users import Users
from lightmem.model import Layer, MemoryKind, MemoryStatus, RecallMode

T = TypeVar("T")

DEFAULT_RETRIES = Retries()


class Client(Concepts, Dreams, Forgetting, Users):
    """LightMem over HTTP.

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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        # Without a key only the open routes answer; an empty one is no valid header.
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if tenant_id is not None:
            headers[TENANT_HEADER] = tenant_id
        self._http = httpx.Client(
            base_url=self.url, headers=headers, timeout=timeout_s, transport=transport
        )
        self._retries = retries

    def remember(
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
        return self.send(calls.remember(user_id, session_id, said, wait=wait))

    def recall(
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
        return self.send(call)

    def chat(
        self, user_id: str, session_id: str, message: str, *, memory: str = "lightmem"
    ) -> Chat:
        """Recall, answer by the configured model, and remember the exchange.

        Raises:
            ResponderUnavailable: no model that answers is configured.
        """
        return self.send(calls.chat(user_id, session_id, message, memory=memory))

    def stream_chat(
        self, user_id: str, session_id: str, message: str, *, memory: str = "lightmem"
    ) -> Iterator[ChatEvent]:
        """As `chat`, in pieces as they come: `recall`, `token`…, then `done` or `error`."""
        call = calls.chat(user_id, session_id, message, memory=memory, stream=True)
        request = request_of(self._http, call)
        response = self._http.send(request, stream=True)
        try:
            if not response.is_success:
                response.read()
                raise error_of(response)
            yield from events_of(response.iter_lines())
        except httpx.TransportError as exc:
            raise failure_of(self.url, exc) from exc
        finally:
            response.close()

    def operation(self, operation_id: str) -> Operation:
        """How a write stands: each of its turns ends in one outcome."""
        return self.send(calls.operation(operation_id))

    def retry(self, operation_id: str) -> Operation:
        """Run the quarantined turns of an operation again."""
        return self.send(calls.retry(operation_id))

    def turn(self, turn_id: str) -> Turn:
        """A turn by its id."""
        return self.send(calls.turn(turn_id))

    def turns(
        self,
        user_id: str,
        *,
        session_id: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Turn]:
        """What was said, oldest first."""
        return self.send(calls.turns(user_id, session_id=session_id, limit=limit, cursor=cursor))

    def sessions(
        self, user_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Session]:
        """A user's conversations, latest first."""
        return self.send(calls.sessions(user_id, limit=limit, cursor=cursor))

    def memory(self, memory_id: str) -> Memory:
        """A memory by its id."""
        return self.send(calls.memory(memory_id))

    def memories(
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
        return self.send(call)

    def send(self, call: Call[T]) -> T:
        """Send any call of `lightmem.client.calls`, again where that is safe."""
        request = request_of(self._http, call)
        tries = 0
        while True:
            tries += 1
            try:
                failure: httpx.Response | httpx.TransportError
                failure = response = self._http.send(request)
            except httpx.TransportError as exc:
                failure, response = exc, None
            pause_s = pause_before_retry(call, self._retries, tries, failure)
            if response is not None and (response.is_success or pause_s is None):
                return answer_of(call, response)
            if pause_s is None and isinstance(failure, httpx.TransportError):
                raise failure_of(self.url, failure) from failure
            time.sleep(pause_s or 0.0)

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
