"""What is looked up before a statement is stored: what it may repeat, change or put right."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from lightmem.model import Memory


class ReconcilingLedger(Protocol):
    """Memories by what they say, and what took the place of what."""

    async def memories_of_attributes(
        self, tenant_id: str, user_id: str, attribute_keys: Sequence[str]
    ) -> dict[str, list[Memory]]:
        """Active and superseded memories by attribute key, those recorded first first."""
        ...

    async def memories_quoting(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str]
    ) -> list[Memory]:
        """Active memories that quote one of the turns, those recorded first first."""
        ...

    async def hold_from(
        self, tenant_id: str, user_id: str, memory_ids: Sequence[str]
    ) -> Mapping[str, datetime]:
        """When each of the memories took the place of another that had held until then."""
        ...
