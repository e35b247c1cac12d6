"""Around every request: its id, its trace, its numbers, its log line, and no error let through."""

import hashlib
import logging
import re
import time
from collections.abc import MutableMapping
from typing import Any

from opentelemetry.trace import SpanKind
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lightmem.domain.ids import new_id
from lightmem.errors import LightMemError
from lightmem.model import ApiKey
from lightmem.telemetry import (
    HTTP_REQUESTS,
    HTTP_SECONDS,
    continued,
    current_trace_id,
    request_id,
    span,
    trace_headers,
)
from lightmem_gateway.paths import routed_path
from lightmem_gateway.problems import problem_response

REQUEST_ID_HEADER = "X-Request-ID"

#: What the log says of a caller that left before its answer.
CLIENT_LEFT = 499

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")

access = logging.getLogger("lightmem.access")
logger = logging.getLogger(__name__)


class RequestContext:
    """The outermost of our middlewares. Answers HEAD as GET without its body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID_HEADER, "")
        identity = given if _TOKEN.fullmatch(given) else new_id()
        token = request_id.set(identity)
        try:
            with span(
                f"{scope['method']} request", parent=continued(headers), kind=SpanKind.SERVER
            ) as current:
                exchange = _Exchange(scope, send, identity)
                await self._serve(exchange, receive)
                current.update_name(f"{scope['method']} {exchange.route}")
                current.set_attribute("http.response.status_code", exchange.status)
                exchange.tell()
        finally:
            request_id.reset(token)

    async def _serve(self, exchange: "_Exchange", receive: Receive) -> None:
        try:
            await self._app(exchange.scope, receive, exchange.send)
        except ClientDisconnect:
            exchange.status = CLIENT_LEFT
        except Exception:
            logger.exception("a request failed")
            if not exchange.is_begun:
                answer = problem_response(LightMemError(""), request_id=exchange.request_id)
                await answer(exchange.scope, receive, exchange.send)


class _Exchange:
    """One request and what is sent for it."""

    def __init__(self, scope: Scope, send: Send, identity: str) -> None:
        self.request_id = identity
        self.scope: MutableMapping[str, Any] = dict(scope)
        self.scope["path"] = routed_path(scope)
        self.scope["state"] = {**scope.get("state", {}), "request_id": identity}
        self.status = CLIENT_LEFT
        self.is_begun = False
        self._send = send
        self._begun_at = time.perf_counter()
        self._is_head = scope["method"] == "HEAD"
        if self._is_head:
            self.scope["method"] = "GET"

    async def send(self, message: Message) -> None:
        """Send on, with the headers that every answer carries."""
        if message["type"] == "http.response.start":
            self.is_begun = True
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID_HEADER] = self.request_id
            for name, value in trace_headers().items():
                headers[name] = value
        elif self._is_head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)

    @property
    def route(self) -> str:
        """The template of the route, so that numbers are by route and never by user."""
        return getattr(self.scope.get("route"), "path_format", "unmatched")

    @property
    def method(self) -> str:
        """The method, where it is one that any route has."""
        known = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
        return self.scope["method"] if self.scope["method"] in known else "other"

    def tell(self) -> None:
        """Count the exchange and log it: ids alone, a user's as a hash."""
        seconds = time.perf_counter() - self._begun_at
        HTTP_REQUESTS.labels(self.method, self.route, str(self.status)).inc()
        HTTP_SECONDS.labels(self.method, self.route).observe(seconds)
        fields: dict[str, object] = {
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "ms": round(seconds * 1000, 2),
            "trace_id": current_trace_id(),
        }
        key: ApiKey | None = self.scope["state"].get("key")
        if key is not None:
            fields["key_id"] = key.id
            fields["tenant_id"] = key.tenant_id
        user_id = self.scope.get("path_params", {}).get("user_id")
        if user_id is not None:
            fields["user"] = _hashed(user_id)
        access.info("request", extra={"fields": fields})


def _hashed(user_id: str) -> str:
    return hashlib.sha256(user_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
