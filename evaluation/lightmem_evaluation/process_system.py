"""A system in a process of its own, which may have other packages: it speaks JSON by lines.

The process reads a request a line and answers each with one line:

    {"build": ID, "turns": [{"id", "session", "speaker", "text", "at"}]} -> {"ok": true}
    {"search": ID, "query": TEXT, "k": N}                                -> {"items": [[turn id]]}
    {"size": true}                                                       -> {"bytes": N}

An answer `{"error": TEXT}` ends the measure. What the process says on stderr is passed through.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from lightmem_evaluation.locomo import Conversation, Question, dialogue_id
from lightmem_evaluation.systems import Found, with_speaker

#: A whole conversation is one line.
MAX_LINE = 64 * 1024 * 1024


class ProcessSystem:
    """Hands conversations and questions to a process."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self._process = process
        self._bytes = 0

    async def build(self, conversation: Conversation) -> None:
        """Give it all turns: `speaker: words`, as plain dense search has them."""
        turns = [
            {
                "id": dialogue_id(turn),
                "session": session.session_id,
                "speaker": turn.speaker,
                "text": with_speaker(turn),
                "at": turn.occurred_at.isoformat() if turn.occurred_at else None,
            }
            for session in conversation.sessions
            for turn in session.turns
        ]
        await self._ask({"build": conversation.id, "turns": turns})
        self._bytes = int((await self._ask({"size": True}))["bytes"])

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """Its best `k` items; the time is taken here, the way there and back included."""
        start = time.perf_counter()
        asked = {"search": conversation.id, "query": question.text, "k": k}
        answer = await self._ask(asked)
        items = [tuple(turns) for turns in answer["items"]]
        return Found(items[:k], {"total": (time.perf_counter() - start) * 1000})

    def size_bytes(self) -> int:
        """What the process said that it keeps."""
        return self._bytes

    async def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        reader, writer = self._process.stdout, self._process.stdin
        assert reader is not None
        assert writer is not None
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        line = await reader.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        return answer


@asynccontextmanager
async def open_process(
    name: str, command: Sequence[str], *, env: Mapping[str, str]
) -> AsyncIterator[ProcessSystem]:
    """Start the process of a system, and end it."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(env),
        limit=MAX_LINE,
    )
    try:
        yield ProcessSystem(name, process)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), timeout=10)
        except TimeoutError:
            process.kill()
            await process.wait()
