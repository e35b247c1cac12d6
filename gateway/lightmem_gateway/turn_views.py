"""Answers about turns, sessions and operations."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from lightmem.model import (
    AcceptedTurns,
    Operation,
    Session,
    Turn,
    TurnOutcome,
)
from lightmem_gateway.views import View


class TurnView(View):
    """A turn; `occurred_at` has the offset that it was said with."""

    id: str
    client_id: str | None
    user_id: str
    session_id: str
    role: str
    speaker: str | None
    content: str
    occurred_at: datetime
    recorded_at: datetime
    metadata: dict[str, Any]

    @classmethod
    def of(cls, turn: Turn) -> "TurnView":
        """The view of a turn."""
        zone = timezone(timedelta(minutes=turn.utc_offset_minutes))
        return cls(
            id=turn.id,
            client_id=turn.client_id,
            user_id=turn.user_id,
            session_id=turn.session_id,
            role=turn.role,
            speaker=turn.speaker,
            content=turn.content,
            occurred_at=turn.occurred_at.astimezone(zone)
            if turn.utc_offset_minutes
            else turn.occurred_at,
            recorded_at=turn.recorded_at,
            metadata=dict(turn.metadata),
        )


class SessionView(View):
    """One conversation."""

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int

    @classmethod
    def of(cls, session: Session) -> "SessionView":
        """The view of a session."""
        return cls(
            session_id=session.session_id,
            first_at=session.first_at,
            last_at=session.last_at,
            turns=session.turns,
        )


class OutcomeView(View):
    """What became of one turn."""

    turn_id: str
    outcome: str
    memory_ids: list[str]
    reason: str | None

    @classmethod
    def of(cls, outcome: TurnOutcome) -> "OutcomeView":
        """The view of an outcome."""
        return cls(
            turn_id=outcome.turn_id,
            outcome=outcome.outcome,
            memory_ids=list(outcome.memory_ids),
            reason=outcome.reason,
        )


class TokensView(View):
    """Tokens that models took."""

    prompt: int
    completion: int


class OperationView(View):
    """A piece of work that the caller can follow."""

    id: str
    kind: str
    status: str
    outcomes: list[OutcomeView]
    result: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None
    model_calls: int
    tokens: TokensView

    @classmethod
    def of(cls, operation: Operation) -> "OperationView":
        """The view of an operation."""
        return cls(
            id=operation.id,
            kind=operation.kind,
            status=operation.status,
            outcomes=[OutcomeView.of(outcome) for outcome in operation.outcomes],
            result=dict(operation.result) if operation.result is not None else None,
            created_at=operation.created_at,
            finished_at=operation.finished_at,
            model_calls=operation.model_calls,
            tokens=TokensView(
                prompt=operation.prompt_tokens, completion=operation.completion_tokens
            ),
        )


class AcceptedView(View):
    """Turns that are durable."""

    operation_id: str
    turn_ids: list[str]
    status: str

    @classmethod
    def of(cls, accepted: AcceptedTurns) -> "AcceptedView":
        """The view of accepted turns."""
        return cls(
            operation_id=accepted.operation.id,
            turn_ids=list(accepted.turn_ids),
            status=accepted.operation.status,
        )


class WrittenView(AcceptedView):
    """Turns that the Writer has ended with."""

    outcomes: list[OutcomeView]

    @classmethod
    def of_operation(cls, operation: Operation, turn_ids: Sequence[str]) -> "WrittenView":
        """The view of an ended operation."""
        return cls(
            operation_id=operation.id,
            turn_ids=list(turn_ids),
            status=operation.status,
            outcomes=[OutcomeView.of(outcome) for outcome in operation.outcomes],
        )
