"""The ledger's part in what was said, and the operations that work on it."""

from collections.abc import Sequence
from typing import Protocol

from lightmem.model import (
    AcceptedTurns,
    Gathering,
    Idempotency,
    NewTurn,
    Operation,
    Page,
    Session,
    Turn,
)


class TurnLedger(Protocol):
    """What was said, and the operations that work on it."""

    async def append_turns(
        self,
        tenant_id: str,
        user_id: str,
        session_id: str,
        turns: Sequence[NewTurn],
        *,
        actor: str,
        idempotency: Idempotency | None = None,
        gathering: Gathering | None = None,
        forgetting_state: str | None = None,
    ) -> AcceptedTurns:
        """Store turns, their operation, its jobs, the audit entry and the kept answer at once.

        Durable when it returns. A repeated `client_id` with the same content, role, speaker
        gives the outcome `duplicate` and the first turn's id; with other content `rejected`
        (reason `CLIENT_ID_CONFLICT`). New turns start `pending`; `system` turns end `no_facts`.
        One INDEX_TURNS and one WRITE job are put in the outbox for the new turns, if any; the
        INDEX_TURNS job becomes due a few seconds later, since the caller indexes at once itself.
        An operation without new turns is `succeeded`. With a `gathering` the WRITE job waits for
        more of the session, and is done together with the jobs that it waited with.

        `forgetting_state` is what the words were held against, see `ForgettingLedger`. A turn that
        says nothing since all it said was struck is stored so, is not among the new ones and ends
        `rejected` (reason `FORGOTTEN`).

        Raises:
            IdempotencyConflict: the idempotency key came with another body before.
            ForgottenMeanwhile: the words were held against another state of forgetting.
        """
        ...

    async def get_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None = None
    ) -> Turn: ...

    async def get_turns(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, neighbours: int = 0
    ) -> list[Turn]:
        """Those of the turns that exist and `neighbours` turns either side within the session.

        Ordered by session, then `seq`; each once.
        """
        ...

    async def get_turns_around(
        self, tenant_id: str, user_id: str, turn_ids: Sequence[str], *, places: int
    ) -> list[Turn]:
        """Those of the turns that exist and what is within so many places of them.

        What was deleted keeps its place: unlike `neighbours` of `get_turns`, nothing beyond it
        comes instead, which makes this one quick statement. Ordered by session, then `seq`.
        """
        ...

    async def list_turns(
        self,
        tenant_id: str,
        user_id: str,
        *,
        session_id: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Turn]:
        """Oldest first."""
        ...

    async def list_sessions(
        self, tenant_id: str, user_id: str, *, limit: int, cursor: str | None
    ) -> Page[Session]:
        """Latest first."""
        ...

    async def delete_turn(
        self, tenant_id: str, turn_id: str, *, user_id: str | None, actor: str
    ) -> None:
        """Delete a turn and its quotes; a memory that no quote is left of is forgotten.

        Puts a DELETE_POINTS job in the outbox for what left, INDEX_* for what changed.
        """
        ...

    async def get_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None = None
    ) -> Operation: ...

    async def retry_operation(
        self, tenant_id: str, operation_id: str, *, user_id: str | None, actor: str
    ) -> Operation:
        """Make the quarantined turns `pending` again and put a WRITE job in the outbox.

        Raises:
            WrongState: nothing in it is quarantined.
        """
        ...
