"""Generative models."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

from lightmem.model import Completion, Health, Message


class LanguageModel(Protocol):
    """A generative model behind any server."""

    name: str

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """One answer; decoded under the JSON schema when one is given.

        Raises:
            ModelUnavailable: no answer within `timeout_s`, or an answer that is no completion.
        """
        ...

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, timeout_s: float
    ) -> AsyncIterator[str]:
        """The answer in pieces as they come."""
        ...

    async def check(self) -> Health: ...

    async def close(self) -> None: ...
