"""From a problem+json answer to the error of `lightmem.errors` that its `code` names."""

from collections.abc import Mapping
from typing import Any

import httpx

from lightmem.errors import (
    Conflict,
    FieldError,
    InvalidInput,
    LightMemError,
    LimitExceeded,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    Unavailable,
)

# What to raise for a code that this version does not know, or an answer that is no problem+json.
_BY_STATUS: Mapping[int, type[LightMemError]] = {
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: Conflict,
    429: LimitExceeded,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def error_classes() -> dict[str, type[LightMemError]]:
    """Every error class by its code."""
    classes = {LightMemError.code: LightMemError}
    waiting = [LightMemError]
    while waiting:
        for child in waiting.pop().__subclasses__():
            classes.setdefault(child.code, child)
            waiting.append(child)
    return classes


def error_of(response: httpx.Response) -> LightMemError:
    """The error that an unsuccessful answer stands for.

    `details` of the error carry `request_id`, `status` and, where told, `retry_after_s`.
    """
    problem = _problem(response)
    code = str(problem.get("code", ""))
    kind = error_classes().get(code) or _by_status(response.status_code)
    message = str(problem.get("detail") or problem.get("title") or _plain(response))
    details: dict[str, str | int | float | None] = {
        "status": response.status_code,
        "request_id": response.headers.get("X-Request-ID"),
        "retry_after_s": retry_after_s(response),
    }
    if issubclass(kind, InvalidInput):
        error: LightMemError = kind(message, errors=_field_errors(problem), **details)
    else:
        error = kind(message, **details)
    if code and code != kind.code:
        error.code = code
    return error


def retry_after_s(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait, if it says so in seconds."""
    value = response.headers.get("Retry-After", "")
    return float(value) if value.replace(".", "", 1).isdigit() else None


def _by_status(status: int) -> type[LightMemError]:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return InvalidInput if 400 <= status < 500 else LightMemError


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _plain(response: httpx.Response) -> str:
    return f"the server answered {response.status_code} {response.reason_phrase}"


def _field_errors(problem: Mapping[str, Any]) -> list[FieldError]:
    errors = problem.get("errors", [])
    return [
        FieldError(str(error.get("field", "")), str(error.get("message", "")))
        for error in errors
        if isinstance(error, dict)
    ]
