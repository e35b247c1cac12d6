"""Trace context across a call: put in the metadata by clients, taken up by servers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from grpc.aio import ServicerContext
from opentelemetry import context as otel_context
from opentelemetry import propagate, trace

_tracer = trace.get_tracer("lightmem.rpc")


def outgoing_metadata() -> tuple[tuple[str, str], ...]:
    """`traceparent` and what else the propagator sets for the current span."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return tuple(carrier.items())


@contextmanager
def continued_trace(name: str, context: "ServicerContext[Any, Any]") -> Iterator[None]:
    """A server span `name` within the caller's trace."""
    with spanning(name, _carrier(context)):
        yield


@contextmanager
def spanning(name: str, carrier: Mapping[str, str]) -> Iterator[None]:
    """A server span `name` within the trace that the carrier names, if it names one."""
    token = otel_context.attach(propagate.extract(carrier))
    try:
        with _tracer.start_as_current_span(name, kind=trace.SpanKind.SERVER):
            yield
    finally:
        otel_context.detach(token)


def _carrier(context: "ServicerContext[Any, Any]") -> dict[str, str]:
    metadata = context.invocation_metadata() or ()
    return {key: value for key, value in metadata if isinstance(value, str)}
