"""An encoder that encodes each text once a run, so that systems and switches share the work."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import numpy as np
from numpy.typing import NDArray

from lightmem.ports import Encoded, Encoder

Vectors = NDArray[np.float32]


class RememberingEncoder:
    """Answers from what it encoded before; keeps `ports.Encoder`. Not for measures of time."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Vectors] = {}
        self._encoded: dict[str, Encoded] = {}
        self.encoder_id = encoder.encoder_id
        self.dim = encoder.dim
        self.token_dim = encoder.token_dim

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, shape (len(texts), dim)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors |= dict(zip(new, await self._encoder.encode(new), strict=True))
        if not texts:
            return np.empty((0, self.dim), np.float32)
        return np.stack([self._vectors[text] for text in texts])

    async def encode_tokens(self, texts: Sequence[str]) -> list[Encoded]:
        """The vectors of the texts and of their tokens."""
        new = [text for text in dict.fromkeys(texts) if text not in self._encoded]
        if new:
            self._encoded |= dict(zip(new, await self._encoder.encode_tokens(new), strict=True))
        return [self._encoded[text] for text in texts]


@asynccontextmanager
async def served(encoder: Encoder) -> AsyncIterator[str]:
    """Serve the encoder as `/v1/embeddings` on a free local port; yields the URL up to `/v1`.

    Systems that are built for OpenAI's embeddings are so given the encoder under measure.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _read_request(reader):
                writer.write(_response(await _embeddings(encoder, request)))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The caller has gone; there is nobody to tell.
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1"


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    """The body of the next request; empty at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return await reader.readexactly(length)


async def _embeddings(encoder: Encoder, body: bytes) -> bytes:
    asked = json.loads(body)
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    data = [
        {"object": "embedding", "index": place, "embedding": vector.tolist()}
        for place, vector in enumerate(await encoder.encode(texts))
    ]
    usage = {"prompt_tokens": 0, "total_tokens": 0}
    answer = {"object": "list", "model": asked.get("model", ""), "data": data, "usage": usage}
    return json.dumps(answer).encode()


def _response(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + body
