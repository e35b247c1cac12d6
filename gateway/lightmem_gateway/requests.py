"""Reading a request: the key first, then a bounded body, then JSON with one meaning."""

import hashlib
import json
import math
import zlib
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from lightmem_gateway.auth import authenticate
from lightmem_gateway.problems import BodyTooLarge, MalformedJson, UnsupportedMediaType

MAX_BODY_BYTES = 8 * 1024 * 1024

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRequest(Request):
    """A request whose body is read once, within bounds."""

    async def load(self) -> None:
        """Read and parse the body, before any rule looks at it.

        Raises:
            UnsupportedMediaType: it is not JSON in UTF-8, plain or gzip.
            BodyTooLarge: it has more than 8 MiB, decompressed.
            MalformedJson: it is no JSON text, or an ambiguous one.
        """
        self._body = await self._read()
        if not self._body:
            return
        _check_content_type(self.headers.get("content-type"))
        self._json = parse_json(self._body)
        # Two spellings of one document are one body to an idempotency key.
        if "idempotency-key" in self.headers:
            self.state.body_hash = hash_of_json(self._json)

    async def _read(self) -> bytes:
        encoding = self.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip", "x-gzip"}:
            raise UnsupportedMediaType("Content-Encoding must be gzip or identity")
        declared = self.headers.get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > MAX_BODY_BYTES:
            raise BodyTooLarge(f"the body has more than {MAX_BODY_BYTES} bytes")
        inflate = None if encoding == "identity" else _Inflater()
        body = bytearray()
        async for chunk in self.stream():
            body += inflate.feed(chunk, MAX_BODY_BYTES + 1 - len(body)) if inflate else chunk
            if len(body) > MAX_BODY_BYTES:
                raise BodyTooLarge(f"the body has more than {MAX_BODY_BYTES} bytes")
        if inflate is not None and body and not inflate.is_complete:
            raise MalformedJson("the gzip stream ends before its end")
        return bytes(body)


class _Inflater:
    """Inflates gzip piecewise, never beyond what is asked for."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def is_complete(self) -> bool:
        """Whether the stream reached its end, with nothing after it."""
        return self._inflate.eof and not self._inflate.unused_data

    def feed(self, chunk: bytes, most: int) -> bytes:
        """At most `most` bytes of what the chunk inflates to."""
        try:
            return self._inflate.decompress(chunk, most)
        except zlib.error as exc:
            raise MalformedJson("the body is no gzip stream") from exc


def _check_content_type(value: str | None) -> None:
    """A missing type is taken as JSON; any other one is refused."""
    if value is None:
        return
    media_type, *parameters = (part.strip().lower() for part in value.split(";"))
    if media_type != "application/json":
        raise UnsupportedMediaType("Content-Type must be application/json")
    for parameter in parameters:
        name, _, charset = parameter.partition("=")
        if name.strip() == "charset" and charset.strip(" \"'") not in {"utf-8", "utf8"}:
            raise UnsupportedMediaType("charset must be utf-8")


# --- JSON -----------------------------------------------------------------------------------


def parse_json(body: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        MalformedJson: no JSON in UTF-8; a name twice in one object; a number that is none or
            beyond what a double holds; nested too deeply.
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except UnicodeDecodeError as exc:
        raise MalformedJson("the body is not UTF-8") from exc
    except json.JSONDecodeError as exc:
        raise MalformedJson(f"no JSON at character {exc.pos}") from exc
    except RecursionError as exc:
        raise MalformedJson("the body is nested too deeply") from exc
    except ValueError as exc:
        # An integer with more digits than Python converts.
        raise MalformedJson("a number is too large") from exc


def hash_of_json(value: Any) -> str:
    """SHA-256 of a JSON value, whatever the spelling of its text was."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    except RecursionError as exc:
        raise MalformedJson("the body is nested too deeply") from exc
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise MalformedJson("a name occurs twice in one object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise MalformedJson(f"{name} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise MalformedJson("a number is too large")
    return number


# --- routes ---------------------------------------------------------------------------------


class GuardedRoute(APIRoute):
    """A route that knows who is asking before it reads what is asked."""

    def get_route_handler(self) -> Handler:
        """The route's handler behind the key and the body's bounds."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            await authenticate(request)
            if self.body_field is None:
                return await handle(request)
            incoming = JsonRequest(request.scope, request.receive)
            await incoming.load()
            return await handle(incoming)

        return guarded
