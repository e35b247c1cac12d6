"""Small language models served by Ollama, through `/api/chat`."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from lightmem.adapters.model_http import CHECK_TIMEOUT_S, ModelHttp, model_errors
from lightmem.errors import InvalidInput, ModelUnavailable
from lightmem.model import Completion, Health, Message

_SEED = 7
#: Loading takes longer than answering, so the model stays in memory between segments.
_KEEP_ALIVE = "30m"


class OllamaLanguageModel:
    """A model of an Ollama server; answers are greedy and repeatable.

    Args:
        url: `ollama://HOST:PORT`, or `ollama+https://…` behind a proxy.
        name: The model as Ollama knows it, such as `smollm2:135m`.
        threads: Threads that the server may compute with. More than the CPUs it really owns
            cost an order of magnitude.
        context_tokens: Room for prompt and answer together; Ollama cuts what does not fit.
    """

    def __init__(
        self, url: str, name: str, *, threads: int = 1, context_tokens: int = 4096
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"ollama", "ollama+https"} or not parts.hostname:
            raise InvalidInput.of("url", "must be ollama://HOST:PORT")
        if not name:
            raise InvalidInput.of("name", "an Ollama model needs its name")
        scheme = "https" if parts.scheme.endswith("https") else "http"
        self.name = name
        self._http = ModelHttp(f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}")
        self._options = {
            "temperature": 0,
            "seed": _SEED,
            "num_thread": threads,
            "num_ctx": context_tokens,
        }

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        body = self._body(messages, max_tokens=max_tokens, stream=False)
        if schema is not None:
            body["format"] = schema
        answer = await self._http.post("/api/chat", body, timeout_s=timeout_s)
        with model_errors():
            return Completion(
                text=_text(answer),
                model=str(answer.get("model", self.name)),
                prompt_tokens=int(answer.get("prompt_eval_count", 0)),
                completion_tokens=int(answer.get("eval_count", 0)),
            )

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, timeout_s: float
    ) -> AsyncIterator[str]:
        body = self._body(messages, max_tokens=max_tokens, stream=True)
        async for line in self._http.lines("/api/chat", body, timeout_s=timeout_s):
            if not line.strip():
                continue
            with model_errors():
                piece = json.loads(line)
                if "error" in piece:
                    raise ModelUnavailable("the language model broke off its answer")
                text = _text(piece)
            if text:
                yield text
            if piece.get("done"):
                return
        raise ModelUnavailable("the language model broke off its answer")

    async def check(self) -> Health:
        """`ok` when the server answers and has the model."""
        try:
            answer = await self._http.get("/api/tags", timeout_s=CHECK_TIMEOUT_S)
            with model_errors():
                names = {str(entry["name"]) for entry in answer["models"]}
        except ModelUnavailable as exc:
            return Health("model", "down", exc.message)
        wanted = self.name if ":" in self.name else f"{self.name}:latest"
        if wanted not in names:
            return Health("model", "down", f"the server has no model {self.name!r}")
        return Health("model", "ok")

    async def close(self) -> None:
        await self._http.close()

    def _body(
        self, messages: Sequence[Message], *, max_tokens: int, stream: bool
    ) -> dict[str, Any]:
        return {
            "model": self.name,
            "messages": [
                {"role": message.role.value, "content": message.content} for message in messages
            ],
            "stream": stream,
            "keep_alive": _KEEP_ALIVE,
            "options": {**self._options, "num_predict": max_tokens},
        }


def _text(answer: Mapping[str, Any]) -> str:
    content = answer["message"]["content"]
    if not isinstance(content, str):
        raise TypeError("content is no text")
    return content
