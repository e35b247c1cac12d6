"""Server-sent events, read line by line."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from lightmem.client.answers import ChatEvent


class EventReader:
    """Gathers lines into events; the blank line that ends one gives it out."""

    def __init__(self) -> None:
        self._event = "message"
        self._data: list[str] = []

    def feed(self, line: str) -> ChatEvent | None:
        """Take one line without its end; the event that it completes, if any."""
        if not line:
            return self._give()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return None

    def _give(self) -> ChatEvent | None:
        event = ChatEvent(event=self._event, data=_decoded("\n".join(self._data)))
        complete = bool(self._data)
        self._event, self._data = "message", []
        return event if complete else None


def events_of(lines: Iterator[str]) -> Iterator[ChatEvent]:
    """The events of a stream of lines."""
    reader = EventReader()
    for line in lines:
        if (event := reader.feed(line)) is not None:
            yield event


async def events_of_async(lines: AsyncIterator[str]) -> AsyncIterator[ChatEvent]:
    """The events of a stream of lines."""
    reader = EventReader()
    async for line in lines:
        if (event := reader.feed(line)) is not None:
            yield event


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
