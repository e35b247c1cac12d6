"""What is accepted: one meaning of each limit, whichever way a request comes in."""

from collections.abc import Sequence
from datetime import datetime

from lightmem.errors import FieldError, InvalidInput, InvalidTime, TurnTooLarge
from lightmem.model import NewTurn, RecallRequest

MAX_TURNS_PER_CALL = 1_000
MAX_TURN_CODE_POINTS = 32_768
MAX_QUERY_CODE_POINTS = 8_192
MAX_TOP_K = 50
MAX_BUDGET_TOKENS = 8_000
MAX_PAGE = 200
MAX_ID_CODE_POINTS = 255


def fault_of_text(text: str) -> str | None:
    """Why a text cannot be stored, or None: blank, a NUL, or a lone surrogate."""
    if not text.strip():
        return "must not be blank"
    if "\x00" in text:
        return "must not contain NUL"
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "must not contain a lone surrogate"
    return None


def check_id(field: str, value: str) -> None:
    """Raise `InvalidInput` unless `value` is 1 to 255 code points of ordinary text."""
    fault = fault_of_text(value)
    if fault is None and len(value) > MAX_ID_CODE_POINTS:
        fault = f"must have at most {MAX_ID_CODE_POINTS} characters"
    if fault is not None:
        raise InvalidInput.of(field, fault)


def check_aware(field: str, value: datetime | None) -> None:
    """Raise `InvalidTime` for a time without an offset."""
    if value is not None and value.tzinfo is None:
        raise InvalidTime(
            f"{field}: must have an offset",
            errors=(FieldError(field, "must be RFC 3339 with an offset"),),
        )


def check_turns(turns: Sequence[NewTurn]) -> None:
    """Raise for the turns of one call that cannot be stored; then none of them is."""
    if not 1 <= len(turns) <= MAX_TURNS_PER_CALL:
        raise InvalidInput.of("turns", f"must hold 1 to {MAX_TURNS_PER_CALL} turns")
    errors = []
    for position, turn in enumerate(turns):
        field = f"turns.{position}"
        check_aware(f"{field}.occurred_at", turn.occurred_at)
        if len(turn.content) > MAX_TURN_CODE_POINTS:
            raise TurnTooLarge(
                f"{field}.content: longer than {MAX_TURN_CODE_POINTS} code points",
                errors=(FieldError(f"{field}.content", "is too long"),),
            )
        named = (
            ("content", turn.content),
            ("client_id", turn.client_id),
            ("speaker", turn.speaker),
        )
        for name, value in named:
            fault = fault_of_text(value) if value is not None else None
            if fault is None and name != "content" and len(value or "") > MAX_ID_CODE_POINTS:
                fault = f"must have at most {MAX_ID_CODE_POINTS} characters"
            if fault is not None:
                errors.append(FieldError(f"{field}.{name}", fault))
    if errors:
        raise InvalidInput(
            "; ".join(f"{error.field}: {error.message}" for error in errors), errors=errors
        )


def check_recall(request: RecallRequest) -> None:
    """Raise for a recall outside the limits, naming each field."""
    for field, value in (
        ("now", request.now),
        ("filters.from", request.filters.start),
        ("filters.to", request.filters.end),
        ("as_of.valid", request.as_of.valid),
        ("as_of.known", request.as_of.known),
    ):
        check_aware(field, value)
    errors = []
    if not 1 <= len(request.query) <= MAX_QUERY_CODE_POINTS:
        errors.append(FieldError("query", f"must have 1 to {MAX_QUERY_CODE_POINTS} characters"))
    elif (fault := fault_of_text(request.query)) is not None:
        errors.append(FieldError("query", fault))
    if not 1 <= request.top_k <= MAX_TOP_K:
        errors.append(FieldError("top_k", f"must be 1 to {MAX_TOP_K}"))
    if not 1 <= request.budget_tokens <= MAX_BUDGET_TOKENS:
        errors.append(FieldError("budget_tokens", f"must be 1 to {MAX_BUDGET_TOKENS}"))
    if errors:
        raise InvalidInput(
            "; ".join(f"{error.field}: {error.message}" for error in errors), errors=errors
        )
