"""Language models behind any server that speaks OpenAI's chat completions."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from lightmem.adapters.model_http import CHECK_TIMEOUT_S, ModelHttp, model_errors
from lightmem.errors import InvalidInput, ModelUnavailable
from lightmem.model import Completion, Health, Message

_SEED = 7
_DATA = "data:"
_DONE = "[DONE]"


class OpenAiLanguageModel:
    """A model of an OpenAI-compatible server.

    Args:
        url: `openai+http://HOST:PORT/v1` or `openai+https://HOST/v1`.
        name: The model as the server knows it.
        api_key: Sent as a bearer token; None sends no credential.
    """

    def __init__(self, url: str, name: str, *, api_key: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"openai+http", "openai+https"} or not parts.hostname:
            raise InvalidInput.of("url", "must be openai+http://HOST:PORT/v1")
        if not name:
            raise InvalidInput.of("name", "a model needs its name")
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else None
        base_url = url.removeprefix("openai+").rstrip("/")
        self.name = name
        self._http = ModelHttp(base_url, headers=headers)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        body = self._body(messages, max_tokens=max_tokens)
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        answer = await self._http.post("chat/completions", body, timeout_s=timeout_s)
        with model_errors():
            usage = answer.get("usage") or {}
            return Completion(
                text=_text(answer["choices"][0]["message"]["content"]),
                model=str(answer.get("model", self.name)),
                prompt_tokens=int(usage.get("prompt_tokens", 0)),
                completion_tokens=int(usage.get("completion_tokens", 0)),
            )

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, timeout_s: float
    ) -> AsyncIterator[str]:
        body = self._body(messages, max_tokens=max_tokens) | {"stream": True}
        finished = False
        async for line in self._http.lines("chat/completions", body, timeout_s=timeout_s):
            if not line.startswith(_DATA):
                continue
            data = line.removeprefix(_DATA).strip()
            if data == _DONE:
                return
            with model_errors():
                choices = json.loads(data)["choices"]
                text = _text(choices[0].get("delta", {}).get("content") or "") if choices else ""
                finished = finished or bool(choices and choices[0].get("finish_reason"))
            if text:
                yield text
        if not finished:
            raise ModelUnavailable("the language model broke off its answer")

    async def check(self) -> Health:
        """`ok` when the server lists its models, whichever they are."""
        try:
            await self._http.get("models", timeout_s=CHECK_TIMEOUT_S)
        except ModelUnavailable as exc:
            return Health("model", "down", exc.message)
        return Health("model", "ok")

    async def close(self) -> None:
        await self._http.close()

    def _body(self, messages: Sequence[Message], *, max_tokens: int) -> dict[str, Any]:
        return {
            "model": self.name,
            "messages": [
                {"role": message.role.value, "content": message.content} for message in messages
            ],
            "max_tokens": max_tokens,
            "temperature": 0,
            "seed": _SEED,
        }


def _text(content: object) -> str:
    if not isinstance(content, str):
        raise TypeError("content is no text")
    return content
