"""Which attribute a memory claims, of those that its user's own turns tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from lightmem.adapters.ledger.database import slices
from lightmem.adapters.ledger.tables import turns
from lightmem.domain.attributes import claims_of
from lightmem.model import Role


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as memories rest on it."""

    role: str
    speaker: str | None
    content: str
    occurred_at: datetime


def told_in(
    connection: Connection, tenant_id: str, user_id: str, turn_ids: Sequence[str]
) -> dict[str, Told]:
    """Those of the turns that the user has, by id."""
    found: dict[str, Told] = {}
    for some in slices(turn_ids):
        wanted = select(
            turns.c.id, turns.c.role, turns.c.speaker, turns.c.content, turns.c.occurred_at
        ).where(turns.c.tenant_id == tenant_id, turns.c.user_id == user_id, turns.c.id.in_(some))
        for row in connection.execute(wanted):
            found[row.id] = Told(row.role, row.speaker, row.content, row.occurred_at)
    return found


def claimed_key(text: str, language: str, told: Told | None) -> str | None:
    """The key of what the text claims; None where it claims nothing, or another than the user.

    Args:
        told: The first turn that the memory rests on.
    """
    if told is None or told.role != Role.USER.value:
        return None
    claims = claims_of(text, language=language, speaker=told.speaker)
    return claims[0].key if claims else None
