"""Every error of ours must arrive on the far side of gRPC as itself."""

from collections.abc import Iterator

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from lightmem import errors
from lightmem.adapters.grpc.errors import CLASS_OF, STATUS_OF, from_status, to_status


def all_errors(cls: type[errors.LightMemError]) -> Iterator[type[errors.LightMemError]]:
    yield cls
    for sub in cls.__subclasses__():
        yield from all_errors(sub)


#: What a shell adds for itself never travels between services.
ALL = sorted(
    {cls for cls in all_errors(errors.LightMemError) if cls.__module__ == errors.__name__},
    key=lambda cls: cls.__name__,
)


def sent(error: errors.LightMemError) -> AioRpcError:
    code, text, metadata = to_status(error)
    return AioRpcError(code, Metadata(), Metadata(*metadata), details=text)


def received(error: AioRpcError) -> errors.LightMemError:
    return from_status(error, unavailable=errors.SelectorUnavailable, service="Selector")


def test_the_table_names_every_error_once() -> None:
    assert set(STATUS_OF) == set(ALL)
    assert len(CLASS_OF) == len(ALL)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_an_error_arrives_as_itself(cls: type[errors.LightMemError]) -> None:
    error = cls("no session 's1'", session_id="s1", attempt=2, share=0.5, nothing=None)

    arrived = received(sent(error))

    assert type(arrived) is cls
    assert arrived.message == error.message
    assert arrived.details == error.details


def test_refused_fields_arrive_with_their_names() -> None:
    fields = (errors.FieldError("top_k", "must be 1 to 50"), errors.FieldError("query", "¿vacío?"))

    arrived = received(sent(errors.InvalidInput("two faults", errors=fields)))

    assert isinstance(arrived, errors.InvalidInput)
    assert arrived.errors == fields


def test_an_error_of_any_length_fits_the_metadata() -> None:
    fields = [errors.FieldError(f"turns.{n}.content", "x" * 5_000) for n in range(1_000)]

    _, text, metadata = to_status(errors.InvalidInput("y" * 100_000, errors=fields))

    assert len(text) + sum(len(value) for _, value in metadata) < 32_000


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        (grpc.StatusCode.UNAVAILABLE, errors.SelectorUnavailable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.SelectorUnavailable),
        (grpc.StatusCode.CANCELLED, errors.SelectorUnavailable),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.InvalidInput),
        (grpc.StatusCode.UNKNOWN, errors.LightMemError),
    ],
)
def test_a_bare_status_code_still_tells_what_to_do(
    code: grpc.StatusCode, cls: type[errors.LightMemError]
) -> None:
    assert type(received(AioRpcError(code, Metadata(), Metadata()))) is cls


@pytest.mark.parametrize("body", [b"\xff", b"[]", b'{"code": "FROM_THE_FUTURE"}', b"{}"])
def test_unreadable_metadata_falls_back_to_the_status_code(body: bytes) -> None:
    metadata = Metadata(("lightmem-error-bin", body))

    arrived = received(AioRpcError(grpc.StatusCode.UNAVAILABLE, Metadata(), metadata))

    assert type(arrived) is errors.SelectorUnavailable
