"""Language models whose answers are written down: in process, and behind HTTP servers that lie.

`ScriptedLanguageModel` keeps the port. `ModelServer` speaks the HTTP of Ollama and of OpenAI as
far as the adapters call it, and can break every promise of a server: stall, never end, answer with
an error, with prose, or break off in the middle.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from lightmem.errors import ModelUnavailable
from lightmem.model import Completion, Health, Message

#: A text, or what makes one from the request's messages.
Text = str | Callable[[Sequence[Mapping[str, Any]]], str]


class ScriptedLanguageModel:
    """Gives its answers in order, the last one again and again; an exception is raised."""

    name = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        #: The messages of each call so far.
        self.asked: list[list[Message]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        timeout_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        self.asked.append(list(messages))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        prompt = sum(len(message.content.split()) for message in messages)
        return Completion(answer, self.name, prompt, len(answer.split()))

    async def stream(
        self, messages: Sequence[Message], *, max_tokens: int, timeout_s: float
    ) -> AsyncIterator[str]:
        completion = await self.complete(messages, max_tokens=max_tokens, timeout_s=timeout_s)
        for piece in completion.text.split(" "):
            yield piece

    async def check(self) -> Health:
        return Health("model", "ok")

    async def close(self) -> None:
        return None


def is_unavailable(message: str = "the language model did not answer in time") -> ModelUnavailable:
    """What an adapter raises when its server does not answer."""
    return ModelUnavailable(message)


# --- servers ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Says:
    """A well-formed answer with this text."""

    text: Text


@dataclass(frozen=True, slots=True)
class Fails:
    """An error status; the body says nothing that the adapter could want."""

    status: int = 500


@dataclass(frozen=True, slots=True)
class SendsBody:
    """Status 200 and a body that is no completion."""

    body: bytes = b"<html>it works</html>"


@dataclass(frozen=True, slots=True)
class Stalls:
    """Takes the request and never answers."""


@dataclass(frozen=True, slots=True)
class NeverEnds:
    """Answers and goes on answering."""


@dataclass(frozen=True, slots=True)
class BreaksOff:
    """Promises more bytes than it sends, then hangs up."""


Behaviour = Says | Fails | SendsBody | Stalls | NeverEnds | BreaksOff


@dataclass
class ModelServer:
    """A server on a free port; behaves as told, in order, the last behaviour again and again."""

    behaviours: list[Behaviour] = field(default_factory=list)
    model: str = "scripted:latest"
    port: int = 0
    #: Bodies of the chat requests so far.
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ollama_url(self) -> str:
        return f"ollama://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"openai+http://127.0.0.1:{self.port}/v1"

    def will(self, *behaviours: Behaviour) -> None:
        """Behave so from now on."""
        self.behaviours = list(behaviours)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve the requests of one connection."""
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                length = _content_length(head)
                body = await reader.readexactly(length) if length else b""
                await self._respond(path, body, writer)
        writer.close()

    async def _respond(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if path == "/api/tags":
            return await _send(writer, {"models": [{"name": self.model}]})
        if path == "/v1/models":
            return await _send(writer, {"data": [{"id": self.model}]})
        request = json.loads(body)
        self.requests.append(request)
        behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
        match behaviour:
            case Says(text):
                said = text if isinstance(text, str) else text(request["messages"])
                await _say(writer, path, said, stream=bool(request.get("stream")))
            case Fails(status):
                await _send(writer, {"error": "no"}, status=status)
            case SendsBody(content):
                await _send_bytes(writer, content)
            case Stalls():
                await asyncio.Event().wait()
            case NeverEnds():
                await _send_forever(writer)
            case BreaksOff():
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
                await writer.drain()
                raise ConnectionError
        return None


@asynccontextmanager
async def model_server(*behaviours: Behaviour) -> AsyncIterator[ModelServer]:
    """A running server; it and its connections end with the block."""
    served = ModelServer(list(behaviours))
    connections: set[asyncio.Task[None]] = set()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await served.answer(reader, writer)
        except asyncio.CancelledError:
            writer.close()
        finally:
            connections.discard(task)

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def _send(writer: asyncio.StreamWriter, body: Any, *, status: int = 200) -> None:
    await _send_bytes(writer, json.dumps(body).encode(), status=status)


async def _send_bytes(writer: asyncio.StreamWriter, body: bytes, *, status: int = 200) -> None:
    head = f"HTTP/1.1 {status} Scripted\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


async def _say(writer: asyncio.StreamWriter, path: str, text: str, *, stream: bool) -> None:
    """The text as Ollama or OpenAI would put it, whole or word by word."""
    is_ollama = path.startswith("/api/")
    if stream:
        pieces = text.split(" ")
        lines = [_ollama_lines(pieces), _openai_lines(pieces)][not is_ollama]
        await _send_bytes(writer, "".join(lines).encode())
        return
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    message = {"role": "assistant", "content": text}
    if is_ollama:
        counts = {"prompt_eval_count": 11, "eval_count": 7}
        await _send(writer, {"model": "scripted", "message": message, "done": True, **counts})
    else:
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        await _send(writer, {"model": "scripted", "choices": [choice], "usage": usage})


def _ollama_lines(pieces: Sequence[str]) -> list[str]:
    lines = [{"message": {"content": piece}, "done": False} for piece in pieces]
    return [
        json.dumps(line) + "\n" for line in [*lines, {"message": {"content": ""}, "done": True}]
    ]


def _openai_lines(pieces: Sequence[str]) -> list[str]:
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


async def _send_forever(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b" " * 65_536
    while True:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
        await asyncio.sleep(0)
