"""What is accepted: one meaning of each limit, whichever way a request comes in."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lightmem.errors import FieldError, InvalidInput, InvalidTime, TurnTooLarge
from lightmem.model import NewTurn, RecallRequest

MAX_TURNS_PER_CALL = 1_000
MAX_TURN_CODE_POINTS = 32_768
MAX_QUERY_CODE_POINTS = 8_192
MAX_TOP_K = 50
MAX_BUDGET_TOKENS = 8_000
MAX_PAGE = 200
MAX_ID_CODE_POINTS = 255
MAX_METADATA_DEPTH = 16
MAX_FILTER_VALUES = 200

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def fault_of_text(text: str) -> str | None:
    """Why a text cannot be stored, or None: blank, a NUL, or a lone surrogate."""
    if all(map(_is_unseen, text)):
        return "must not be blank"
    if "\x00" in text:
        return "must not contain NUL"
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "must not contain a lone surrogate"
    return None


def _is_unseen(character: str) -> bool:
    """Whether it is a space or a sign without a width."""
    return character.isspace() or unicodedata.category(character) == "Cf"


def fault_of_metadata(metadata: Mapping[str, Any]) -> str | None:
    """Why metadata cannot be stored in every ledger and given back as it was, or None."""
    level: list[Any] = [metadata]
    for _ in range(MAX_METADATA_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str) and value and (fault := fault_of_text(f"x{value}")):
                return fault
            if isinstance(value, float) and not math.isfinite(value):
                return "must hold finite numbers"
            if isinstance(value, Mapping):
                below += [*value.keys(), *value.values()]
            elif isinstance(value, list | tuple):
                below += value
        if not below:
            return None
        level = below
    return f"must not be nested deeper than {MAX_METADATA_DEPTH}"


def check_id(field: str, value: str) -> None:
    """Raise `InvalidInput` unless `value` is 1 to 255 code points of ordinary text."""
    fault = fault_of_text(value)
    if fault is None and len(value) > MAX_ID_CODE_POINTS:
        fault = f"must have at most {MAX_ID_CODE_POINTS} characters"
    if fault is not None:
        raise InvalidInput.of(field, fault)


def moment_of(text: str) -> datetime | None:
    """The moment of an RFC 3339 time with an offset, which it keeps; None for any other text."""
    if _RFC_3339.fullmatch(text) is None:
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        # Near the ends of the calendar an offset leads out of it.
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment


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
        if fault := fault_of_metadata(turn.metadata):
            errors.append(FieldError(f"{field}.metadata", fault))
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
    errors += _faults_of_values("filters.speakers", request.filters.speakers)
    errors += _faults_of_values("filters.session_ids", request.filters.session_ids)
    if errors:
        raise InvalidInput(
            "; ".join(f"{error.field}: {error.message}" for error in errors), errors=errors
        )


def _faults_of_values(field: str, values: Sequence[str]) -> list[FieldError]:
    if len(values) > MAX_FILTER_VALUES:
        return [FieldError(field, f"must have at most {MAX_FILTER_VALUES} values")]
    return [
        FieldError(f"{field}.{position}", fault)
        for position, value in enumerate(values)
        if (fault := fault_of_text(value)) is not None
    ]
