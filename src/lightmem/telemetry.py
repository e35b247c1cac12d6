"""What the system tells about itself: spans, histograms by stage, and structured log lines.

No metric, span or log line carries a user's words. Exceptions are told by their class, since a
message may quote what it refused.
"""

import json
import logging
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

#: From half a millisecond to half a minute, fine where recall and write live.
BUCKETS_S = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05),
    *(0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0),
)

REGISTRY = CollectorRegistry()
ProcessCollector(namespace="lightmem", registry=REGISTRY)

RECALL_SECONDS = Histogram(
    "lightmem_recall_seconds",
    "Seconds of a recall, by stage.",
    ["stage"],
    buckets=BUCKETS_S,
    registry=REGISTRY,
)
WRITE_SECONDS = Histogram(
    "lightmem_write_seconds",
    "Seconds of a write, by stage.",
    ["stage"],
    buckets=BUCKETS_S,
    registry=REGISTRY,
)
DREAM_SECONDS = Histogram(
    "lightmem_dream_seconds",
    "Seconds of a dream, by stage.",
    ["stage"],
    buckets=BUCKETS_S,
    registry=REGISTRY,
)
HTTP_SECONDS = Histogram(
    "lightmem_http_seconds",
    "Seconds from request to the end of its answer.",
    ["method", "route"],
    buckets=BUCKETS_S,
    registry=REGISTRY,
)
HTTP_REQUESTS = Counter(
    "lightmem_http_requests",
    "Requests answered.",
    ["method", "route", "status"],
    registry=REGISTRY,
)
RECALL_DEGRADED = Counter(
    "lightmem_recall_degraded",
    "Recalls that answered without one of their parts.",
    ["part"],
    registry=REGISTRY,
)
OUTBOX_JOBS = Gauge(
    "lightmem_outbox_jobs",
    "Jobs still to be done, by kind.",
    ["kind"],
    registry=REGISTRY,
)

#: The request that the current task works for; it is put on each log line.
request_id: ContextVar[str] = ContextVar("request_id", default="")

_tracer = trace.get_tracer("lightmem")
_propagator = TraceContextTextMapPropagator()


def metrics_text() -> bytes:
    """All numbers in the text format of Prometheus."""
    return generate_latest(REGISTRY)


# --- spans ----------------------------------------------------------------------------------


def configure_tracing(service: str, *, otlp_endpoint: str | None) -> None:
    """Record spans in this process, and export them when there is somewhere to send them.

    The first call in a process decides; later ones change nothing.
    """
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    if otlp_endpoint:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=otlp_endpoint)))
    trace.set_tracer_provider(provider)


@contextmanager
def span(
    name: str,
    *,
    parent: Context | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
    **attributes: str | int | float,
) -> Iterator[Span]:
    """A span around a block. An exception marks it by class, never by message."""
    with _tracer.start_as_current_span(
        name,
        context=parent,
        kind=kind,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield current
        except Exception as exc:
            current.set_status(Status(StatusCode.ERROR, type(exc).__name__))
            raise


def continued(headers: Mapping[str, str]) -> Context:
    """The trace that a caller's `traceparent` names; a new one when there is none or a bad one."""
    return _propagator.extract(dict(headers), context=Context())


def trace_headers() -> dict[str, str]:
    """`traceparent` of the current span, to answer with or to send on."""
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return carrier


def current_trace_id() -> str:
    """The current trace as 32 hexadecimal digits."""
    return trace.format_trace_id(trace.get_current_span().get_span_context().trace_id)


# --- stages ---------------------------------------------------------------------------------


@contextmanager
def timed(histogram: Histogram, stage: str) -> Iterator[None]:
    """Observe how long a block takes under a stage's label."""
    begun = time.perf_counter()
    try:
        yield
    finally:
        histogram.labels(stage).observe(time.perf_counter() - begun)


class StageTimer:
    """Times the stages of one run, in milliseconds by name, into a histogram and spans."""

    def __init__(self, histogram: Histogram, *, run: str) -> None:
        self._histogram = histogram
        self._run = run
        self._begun = time.perf_counter()
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage."""
        begun = time.perf_counter()
        try:
            with span(f"{self._run}.{name}"):
                yield
        finally:
            self.record(name, time.perf_counter() - begun)

    def record(self, name: str, seconds: float) -> None:
        """Take over a stage that was timed elsewhere."""
        self._histogram.labels(name).observe(seconds)
        self.timings_ms[name] = round(seconds * 1000, 3)

    def finish(self) -> dict[str, float]:
        """Record `total` and return all timings."""
        self.record("total", time.perf_counter() - self._begun)
        return self.timings_ms


# --- log lines ------------------------------------------------------------------------------


class JsonLines(logging.Formatter):
    """One JSON object a line. What is passed as `extra={"fields": {...}}` is merged in."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON; an exception as its class and where it passed, without its words."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if current := request_id.get():
            line["request_id"] = current
        line.update(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["stack"] = traceback.format_tb(record.exc_info[2])
        return json.dumps(line, default=str)


def configure_logging(level: str) -> None:
    """Log JSON lines of at least this level to standard error, and nothing else anywhere."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # A URL holds user ids; and nobody asked for each plugin.
    for chatty in ("httpx", "httpcore", "uvicorn.access", "neo4j.notifications", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
