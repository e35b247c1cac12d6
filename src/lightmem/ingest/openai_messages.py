"""OpenAI chat messages: a list of `{"role", "content"}`, or an object with such `messages`.

A list of such objects is several conversations. The session is the object's `session_id` or `id`,
else the file's name (with a number, where there are several). A message without words is kept by
what it does: a tool call is written out, a picture is `[image_url]`; the whole is in `metadata`.
"""

import json
from typing import Any

from lightmem.client.turns import SaidTurn
from lightmem.errors import InvalidInput
from lightmem.ingest.identity import TurnNamer
from lightmem.ingest.parsed import (
    Fault,
    Parsed,
    Refused,
    SessionTurns,
    check_name,
    checked,
    role_of,
    text_or_none,
    time_of,
)

_OWN_FIELDS = {"role", "content", "name", "occurred_at", "client_id"}


def parse_openai_messages(text: str, *, name: str) -> Parsed:
    """The messages of each conversation; one that is none is a fault named by its number from 1.

    Raises:
        InvalidInput: the text is not JSON, or holds no messages.
    """
    sessions = []
    faults: list[Fault] = []
    conversations = _conversations(text)
    namer = TurnNamer()
    for number, (given, messages) in enumerate(conversations, start=1):
        several = len(conversations) > 1
        session_id = given or (f"{name}-{number}" if several else name)
        prefix = f"conversation {number}, " if several else ""
        turns = []
        for place, message in enumerate(messages, start=1):
            try:
                check_name("session_id", session_id)
                turns.append(namer.named(session_id, _turn(message)))
            except Refused as exc:
                faults.append(Fault(f"{prefix}message {place}", str(exc)))
        sessions.append(SessionTurns(None, session_id, turns))
    return Parsed([session for session in sessions if session.turns], faults)


def _conversations(text: str) -> list[tuple[str | None, list[Any]]]:
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except ValueError as exc:
        raise InvalidInput(f"the file is not JSON: {exc}") from exc
    if isinstance(document, list) and not _holds_conversations(document):
        document = {"messages": document}
    found = []
    for conversation in document if isinstance(document, list) else [document]:
        messages = conversation.get("messages") if isinstance(conversation, dict) else None
        if not isinstance(messages, list):
            raise InvalidInput('the file is neither a list of messages nor {"messages": […]}')
        given = conversation.get("session_id") or conversation.get("id")
        found.append((str(given) if given else None, messages))
    return found


def _holds_conversations(document: list[Any]) -> bool:
    return any(isinstance(entry, dict) and "messages" in entry for entry in document)


def _turn(message: Any) -> SaidTurn:
    if not isinstance(message, dict):
        raise Refused("is not a JSON object")
    metadata = {key: value for key, value in message.items() if key not in _OWN_FIELDS}
    if not isinstance(message.get("content"), str | None):
        metadata["content"] = message["content"]
    turn = SaidTurn(
        content=_words(message),
        role=role_of(message),
        speaker=text_or_none(message, "name"),
        occurred_at=time_of(message, "occurred_at"),
        client_id=text_or_none(message, "client_id"),
        metadata=metadata,
    )
    return checked(turn)


def _words(message: dict[str, Any]) -> str:
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        raise Refused("content must be text or a list of parts")
    parts = content if isinstance(content, list) else [content]
    said = [text for part in parts if (text := _part(part))]
    said.extend(_tool_call(call) for call in message.get("tool_calls") or [])
    return "\n".join(said)


def _part(part: Any) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        raise Refused("content holds a part that is no object")
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else f"[{part.get('type', 'part')}]"


def _tool_call(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise Refused("tool_calls holds something that is no function call")
    return f"[call] {function.get('name')}({function.get('arguments', '')})"
