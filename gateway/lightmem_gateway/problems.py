"""Errors as `application/problem+json` (RFC 9457): the one table from class to status.

What a caller did wrong is told in the error's own words. What went wrong here is told in the
fixed words of the table, so that no stack, query or host leaks.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from lightmem import errors
from lightmem.errors import FieldError, InvalidInput, InvalidTime, LightMemError

#: Errors listed in one answer, and characters of a field's name in it.
MAX_ERRORS, MAX_FIELD_CHARACTERS = 100, 200

MEDIA_TYPE = "application/problem+json"


class MalformedJson(LightMemError):
    """The body is no JSON text that can be read in one way only."""

    code = "MALFORMED_JSON"


class UnsupportedMediaType(LightMemError):
    """The body has another content type, charset or encoding than is read here."""

    code = "UNSUPPORTED_MEDIA_TYPE"


class BodyTooLarge(LightMemError):
    """The body is larger than is read, as it came or decompressed."""

    code = "BODY_TOO_LARGE"


class NoSuchRoute(LightMemError):
    """No route has this path."""

    code = "NOT_FOUND"


class MethodNotAllowed(LightMemError):
    """The path is there, with other methods."""

    code = "METHOD_NOT_ALLOWED"


@dataclass(frozen=True, slots=True)
class Kind:
    """How a class of errors is answered."""

    status: int
    title: str
    retry_after_s: int | None = None


_DOWN = 2

KINDS: Mapping[type[LightMemError], Kind] = {
    LightMemError: Kind(500, "Something went wrong here"),
    errors.InvalidInput: Kind(422, "The request is not valid"),
    errors.InvalidTime: Kind(422, "A time is not valid"),
    errors.TurnTooLarge: Kind(413, "A turn is too large"),
    errors.NotAuthenticated: Kind(401, "No valid key came with the request"),
    errors.NotAllowed: Kind(403, "The key's role does not reach this"),
    errors.NotFound: Kind(404, "There is no such thing"),
    errors.Conflict: Kind(409, "The request does not fit the state of things"),
    errors.IdempotencyConflict: Kind(409, "The idempotency key came with another body before"),
    errors.VersionConflict: Kind(409, "It changed since it was read"),
    errors.Forgotten: Kind(409, "It says what was forgotten"),
    errors.ForgottenMeanwhile: Kind(409, "Something was forgotten meanwhile"),
    errors.AttributeTaken: Kind(409, "Another memory says what holds of the same"),
    errors.WrongState: Kind(409, "The call does not fit the thing's state"),
    errors.Erased: Kind(410, "It was about a user who has been erased"),
    errors.LimitExceeded: Kind(429, "Too much in this window of time"),
    errors.InvalidModelOutput: Kind(502, "The language model's answer cannot be used"),
    errors.IncompatibleIndex: Kind(503, "The index was filled by another encoder"),
    errors.OtherSecret: Kind(503, "This process has another secret than the installation"),
    errors.DeadlineExceeded: Kind(504, "There was no answer in time", _DOWN),
    errors.Unavailable: Kind(503, "A part of the system does not answer", _DOWN),
    errors.LedgerUnavailable: Kind(503, "The system of record does not answer", _DOWN),
    errors.IndexUnavailable: Kind(503, "The index does not answer", _DOWN),
    errors.GraphUnavailable: Kind(503, "The long-term graph does not answer", _DOWN),
    errors.ShortTermUnavailable: Kind(503, "The short-term buffer does not answer", _DOWN),
    errors.QueueUnavailable: Kind(503, "The job queue does not answer", _DOWN),
    errors.ModelUnavailable: Kind(503, "The small language model does not answer", _DOWN),
    errors.ResponderUnavailable: Kind(503, "No model that answers is at hand", 10),
    errors.ControllerUnavailable: Kind(503, "The Controller does not answer", _DOWN),
    errors.SelectorUnavailable: Kind(503, "The Selector does not answer", _DOWN),
    errors.WriterUnavailable: Kind(503, "The Writer does not answer", _DOWN),
    MalformedJson: Kind(400, "The body is not well-formed JSON"),
    UnsupportedMediaType: Kind(415, "The body's type is not read here"),
    BodyTooLarge: Kind(413, "The body is too large"),
    NoSuchRoute: Kind(404, "There is no such route"),
    MethodNotAllowed: Kind(405, "The route has other methods"),
}


def kind_of(error: type[LightMemError]) -> Kind:
    """How a class is answered: as its nearest ancestor in the table."""
    return next(KINDS[ancestor] for ancestor in error.__mro__ if ancestor in KINDS)


def problem(error: LightMemError, *, request_id: str) -> dict[str, Any]:
    """The members of the problem document."""
    kind = kind_of(type(error))
    document: dict[str, Any] = {
        "type": f"urn:lightmem:problem:{error.code.lower().replace('_', '-')}",
        "title": kind.title,
        "status": kind.status,
        "detail": (error.message if kind.status < 500 else "") or kind.title,
        "code": error.code,
        "request_id": request_id,
    }
    if isinstance(error, InvalidInput):
        document["errors"] = [
            {"field": one.field[:MAX_FIELD_CHARACTERS], "message": one.message}
            for one in error.errors[:MAX_ERRORS]
        ]
        document["detail"] = document["detail"][:1_000]
    return document


def problem_response(
    error: LightMemError, *, request_id: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The whole answer, with `Retry-After` and `WWW-Authenticate` where they belong."""
    kind = kind_of(type(error))
    extra = dict(headers or {})
    retry_after_s = error.details.get("retry_after_s", kind.retry_after_s)
    if retry_after_s is not None:
        extra["Retry-After"] = str(max(1, round(float(retry_after_s))))
    if kind.status == 401:
        extra["WWW-Authenticate"] = 'Bearer realm="lightmem"'
    # ASCII escapes carry even a lone surrogate of a refused field's name.
    content = json.dumps(problem(error, request_id=request_id)).encode("ascii")
    return Response(content, status_code=kind.status, media_type=MEDIA_TYPE, headers=extra)


# --- handlers -------------------------------------------------------------------------------


def request_id_of(request: Request) -> str:
    """The id that `RequestContext` gave the request."""
    return str(getattr(request.state, "request_id", ""))


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error of ours."""
    assert isinstance(error, LightMemError)
    return problem_response(error, request_id=request_id_of(request))


async def answer_validation(request: Request, error: Exception) -> Response:
    """Answer what Pydantic refused."""
    assert isinstance(error, RequestValidationError)
    return problem_response(refused(error.errors()), request_id=request_id_of(request))


async def answer_http(request: Request, error: Exception) -> Response:
    """Answer what the router refused: an unknown path, or another method."""
    assert isinstance(error, HTTPException)
    mine: LightMemError
    match error.status_code:
        case 404:
            mine = NoSuchRoute("no such route")
        case 405:
            mine = MethodNotAllowed(f"{request.method} is not among the route's methods")
        case _:
            mine = MalformedJson("the body cannot be read")
    return problem_response(mine, request_id=request_id_of(request), headers=error.headers)


def refused(faults: Sequence[Mapping[str, Any]]) -> InvalidInput:
    """What Pydantic found, in the words of this API: each field by its path in the JSON text."""
    found = [FieldError(_path(fault["loc"]), _message(fault)) for fault in faults]
    kind = InvalidTime if all(fault["type"] == "invalid_time" for fault in faults) else InvalidInput
    detail = "; ".join(f"{one.field[:MAX_FIELD_CHARACTERS]}: {one.message}" for one in found[:10])
    return kind(detail, errors=found)


def _path(location: Sequence[str | int]) -> str:
    """`("body", "turns", 0, "content")` is `turns.0.content`; the body itself is `body`."""
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def _message(fault: Mapping[str, Any]) -> str:
    match fault["type"]:
        case "extra_forbidden":
            return "unknown field"
        case "missing":
            return "is required"
        case _:
            return str(fault["msg"])
