"""An id for a turn that brings none, the same at every reading of the file.

It is made of the words and not of the place, so that lines added before a turn do not change
it; the same words said twice are told apart by counting.
"""

import hashlib
import json
from collections import Counter
from dataclasses import replace

from lightmem.client.turns import SaidTurn


class TurnNamer:
    """Gives each turn of a file a `client_id`."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def named(self, session_id: str, turn: SaidTurn) -> SaidTurn:
        """The turn with its own `client_id`, or one made from what was said."""
        if turn.client_id is not None:
            return turn
        at = turn.occurred_at.isoformat() if turn.occurred_at else None
        said = [session_id, str(turn.role), turn.speaker, turn.content, at]
        digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]
        self._seen[digest] += 1
        return replace(turn, client_id=f"{digest}-{self._seen[digest]}")
