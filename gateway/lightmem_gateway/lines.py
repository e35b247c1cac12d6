"""Reading a body of lines of any length: a line at a time, plain or gzip, never more in memory."""

import zlib
from collections.abc import AsyncIterator, Iterator

from starlette.requests import Request

from lightmem.domain.portable import MAX_LINE_BYTES, AnyLine, line_of
from lightmem.errors import FieldError, InvalidInput
from lightmem.ports import StagedLine
from lightmem_gateway.problems import BodyTooLarge, MalformedJson, UnsupportedMediaType
from lightmem_gateway.requests import parse_json

MEDIA_TYPE = "application/x-ndjson"
_MEDIA_TYPES = {MEDIA_TYPE, "application/ndjson", "application/jsonl"}
#: Bytes that are inflated at a time.
_PIECE = 1024 * 1024


def check_content_type(request: Request) -> None:
    """Raise `UnsupportedMediaType` unless lines of JSON come, plain or gzip; no type is lines."""
    value = request.headers.get("content-type")
    media_type = (value or MEDIA_TYPE).split(";")[0].strip().lower()
    if media_type not in _MEDIA_TYPES:
        raise UnsupportedMediaType(f"Content-Type must be {MEDIA_TYPE}")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip", "x-gzip"}:
        raise UnsupportedMediaType("Content-Encoding must be gzip or identity")


async def lines_of(chunks: AsyncIterator[bytes], *, is_gzip: bool) -> AsyncIterator[StagedLine]:
    """The lines of a body by number, which counts blank ones too.

    Raises:
        InvalidInput: a line is none; `errors` names it and its fields.
        BodyTooLarge: a line has more than 8 MiB.
    """
    number = 0
    async for raw in _split(_inflated(chunks) if is_gzip else chunks):
        number += 1
        if raw.strip():
            yield StagedLine(number, _line(number, raw))


def _line(number: int, raw: bytes) -> AnyLine:
    try:
        value = parse_json(raw)
    except MalformedJson as exc:
        raise InvalidInput.of(f"lines.{number}", exc.message.replace("the body", "it")) from exc
    found = line_of(value)
    if isinstance(found, list):
        errors = [FieldError(f"lines.{number}.{one.field}", one.message) for one in found]
        raise InvalidInput(f"{errors[0].field}: {errors[0].message}", errors=errors)
    return found


async def _split(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines, without their ends; the last one may lack its own."""
    waiting = bytearray()
    number = 1
    async for chunk in chunks:
        searched = len(waiting)
        waiting += chunk
        while (end := waiting.find(b"\n", searched)) >= 0:
            _check_length(number, end)
            yield bytes(waiting[:end])
            del waiting[: end + 1]
            searched = 0
            number += 1
        _check_length(number, len(waiting))
    if waiting:
        yield bytes(waiting)


def _check_length(number: int, length: int) -> None:
    if length > MAX_LINE_BYTES:
        raise BodyTooLarge(f"lines.{number}: has more than {MAX_LINE_BYTES} bytes")


async def _inflated(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """What gzip inflates to, in pieces, however much it is."""
    inflate = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        async for chunk in chunks:
            for piece in _pieces(inflate, chunk):
                yield piece
    except zlib.error as exc:
        raise MalformedJson("the body is no gzip stream") from exc
    if not inflate.eof or inflate.unused_data:
        raise MalformedJson("the gzip stream ends before its end")


def _pieces(inflate: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    while chunk:
        yield inflate.decompress(chunk, _PIECE)
        chunk = inflate.unconsumed_tail
