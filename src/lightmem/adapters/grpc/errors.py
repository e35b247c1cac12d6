"""The one table of our errors and gRPC's status codes, used in both directions.

A status code alone is too coarse to rebuild an error from, so the error's own `code`, details and
refused fields travel beside it, as JSON in the trailing metadata `lightmem-error-bin`.
"""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import grpc
from grpc import StatusCode
from grpc.aio import AioRpcError, ServicerContext

from lightmem import errors as e

logger = logging.getLogger(__name__)

ERROR_KEY = "lightmem-error-bin"
_MAX_MESSAGE, _MAX_FIELDS = 400, 50

#: Every class of `lightmem.errors`; a test compares it with the tree.
STATUS_OF: Mapping[type[e.LightMemError], StatusCode] = {
    e.LightMemError: StatusCode.INTERNAL,
    e.InvalidInput: StatusCode.INVALID_ARGUMENT,
    e.InvalidTime: StatusCode.INVALID_ARGUMENT,
    e.TurnTooLarge: StatusCode.INVALID_ARGUMENT,
    e.NotAuthenticated: StatusCode.UNAUTHENTICATED,
    e.NotAllowed: StatusCode.PERMISSION_DENIED,
    e.NotFound: StatusCode.NOT_FOUND,
    e.Conflict: StatusCode.FAILED_PRECONDITION,
    e.IdempotencyConflict: StatusCode.ALREADY_EXISTS,
    e.VersionConflict: StatusCode.ABORTED,
    e.Forgotten: StatusCode.FAILED_PRECONDITION,
    e.ForgottenMeanwhile: StatusCode.ABORTED,
    e.AttributeTaken: StatusCode.FAILED_PRECONDITION,
    e.WrongState: StatusCode.FAILED_PRECONDITION,
    e.Erased: StatusCode.NOT_FOUND,
    e.LimitExceeded: StatusCode.RESOURCE_EXHAUSTED,
    e.InvalidModelOutput: StatusCode.DATA_LOSS,
    e.IncompatibleIndex: StatusCode.FAILED_PRECONDITION,
    e.OtherSecret: StatusCode.FAILED_PRECONDITION,
    e.DeadlineExceeded: StatusCode.DEADLINE_EXCEEDED,
    e.Unavailable: StatusCode.UNAVAILABLE,
    e.LedgerUnavailable: StatusCode.UNAVAILABLE,
    e.IndexUnavailable: StatusCode.UNAVAILABLE,
    e.GraphUnavailable: StatusCode.UNAVAILABLE,
    e.ShortTermUnavailable: StatusCode.UNAVAILABLE,
    e.QueueUnavailable: StatusCode.UNAVAILABLE,
    e.ModelUnavailable: StatusCode.UNAVAILABLE,
    e.ResponderUnavailable: StatusCode.UNAVAILABLE,
    e.ControllerUnavailable: StatusCode.UNAVAILABLE,
    e.SelectorUnavailable: StatusCode.UNAVAILABLE,
    e.WriterUnavailable: StatusCode.UNAVAILABLE,
}
CLASS_OF: Mapping[str, type[e.LightMemError]] = {cls.code: cls for cls in STATUS_OF}

#: Status codes without an error of ours that mean "the service did not answer".
_NO_ANSWER = {StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED}

_Metadata = tuple[tuple[str, str | bytes], ...]


def to_status(error: e.LightMemError) -> tuple[StatusCode, str, _Metadata]:
    """Status code, status text and trailing metadata of one of our errors."""
    # Metadata has a limit of its own, so what could be long is cut.
    body: dict[str, Any] = {
        "code": error.code,
        "message": error.message[:_MAX_MESSAGE],
        "details": error.details,
    }
    if isinstance(error, e.InvalidInput):
        body["errors"] = [
            [field.field, field.message[:_MAX_MESSAGE]] for field in error.errors[:_MAX_FIELDS]
        ]
    return STATUS_OF[type(error)], error.code, ((ERROR_KEY, json.dumps(body).encode()),)


def from_status(
    error: AioRpcError, *, unavailable: type[e.Unavailable], service: str
) -> e.LightMemError:
    """Our error again; without one in the metadata, what the status code itself tells.

    Args:
        unavailable: Raised when the service did not answer in time or at all.
        service: Its name for messages, such as `Controller`.
    """
    for key, value in error.trailing_metadata() or ():
        if key == ERROR_KEY and (ours := _decode(value)) is not None:
            return ours
    if error.code() in _NO_ANSWER:
        return unavailable(f"the {service} does not answer ({error.code().name})")
    if error.code() is StatusCode.RESOURCE_EXHAUSTED:
        return e.InvalidInput(f"the message to the {service} is too large")
    return e.LightMemError(f"the {service} failed ({error.code().name})")


def _decode(value: str | bytes) -> e.LightMemError | None:
    try:
        body = json.loads(value)
        cls = CLASS_OF[body["code"]]
        message, details = str(body["message"]), dict(body["details"])
        if issubclass(cls, e.InvalidInput):
            fields = tuple(e.FieldError(field, text) for field, text in body.get("errors", ()))
            return cls(message, errors=fields, **details)
        return cls(message, **details)
    except (ValueError, KeyError, TypeError):
        # A newer or foreign service speaks otherwise; its status code still tells enough.
        logger.warning("could not read the error that a service sent")
        return None


@asynccontextmanager
async def answering(context: "ServicerContext[Any, Any]") -> AsyncIterator[None]:
    """Around a servicer's body: our errors become statuses, others `INTERNAL` without detail."""
    try:
        yield
    except e.LightMemError as exc:
        await _abort(context, exc)
    except grpc.RpcError:
        raise
    except Exception:
        logger.exception("a call failed inside")
        await _abort(context, e.LightMemError("internal error"))


async def _abort(context: "ServicerContext[Any, Any]", error: e.LightMemError) -> NoReturn:
    code, message, metadata = to_status(error)
    await context.abort(code, message, metadata)
    raise AssertionError("abort always raises")
