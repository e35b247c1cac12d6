"""A turn as an application hands it over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lightmem.model import Role


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """One message, word for word.

    Args:
        content: What was said.
        role: Who said it: the user, the assistant, the system or a tool.
        speaker: The person's name, where it matters.
        occurred_at: When it was said, with an offset; None is the moment of storing.
        client_id: The caller's own id. The same id with the same content is stored once.
        metadata: Anything that belongs to the turn; it comes back with it.
    """

    content: str
    role: Role = Role.USER
    speaker: str | None = None
    occurred_at: datetime | None = None
    client_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        """The turn as the HTTP API takes it, without what was not given."""
        given = {
            "role": str(self.role),
            "content": self.content,
            "speaker": self.speaker,
            "occurred_at": self.occurred_at.isoformat() if self.occurred_at else None,
            "client_id": self.client_id,
            "metadata": dict(self.metadata) or None,
        }
        return {name: value for name, value in given.items() if value is not None}
