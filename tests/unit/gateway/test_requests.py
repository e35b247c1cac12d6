"""Bodies with one meaning are read; all others are refused as what they are."""

import gzip
import json
from collections.abc import Sequence

import pytest
from starlette.types import Message, Scope

from lightmem_gateway.problems import BodyTooLarge, MalformedJson, UnsupportedMediaType
from lightmem_gateway.requests import MAX_BODY_BYTES, JsonRequest, hash_of_json, parse_json


def request_with(chunks: Sequence[bytes], **headers: str) -> JsonRequest:
    """A request whose body comes in these pieces."""
    scope: Scope = {
        "type": "http",
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
        ],
        "state": {},
    }
    waiting = list(chunks)

    async def receive() -> Message:
        body = waiting.pop(0) if waiting else b""
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    return JsonRequest(scope, receive)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 2}}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b"{} {}",
    ],
    ids=lambda body: body[:12].decode("latin-1"),
)
def test_what_is_no_json_or_has_two_meanings_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse_json(body)


def test_one_document_in_two_spellings_has_one_hash() -> None:
    one, other = parse_json(b'{"a": 1, "b": [2]}'), parse_json(b'{ "b":[2],"a":1 }')

    assert hash_of_json(one) == hash_of_json(other)
    assert hash_of_json(one) != hash_of_json({"a": 1, "b": [3]})


async def test_a_body_in_pieces_is_read_as_one() -> None:
    request = request_with([b'{"a"', b": 1}"], content_type="application/json; charset=UTF-8")

    await request.load()

    assert await request.json() == {"a": 1}


async def test_a_gzipped_body_is_read() -> None:
    packed = gzip.compress(json.dumps({"a": "ä" * 1_000}).encode())
    request = request_with([packed[:20], packed[20:]], content_encoding="gzip")

    await request.load()

    assert await request.json() == {"a": "ä" * 1_000}


async def test_a_body_is_too_large_whether_declared_or_found_so() -> None:
    declared = request_with([b"{}"], content_length=str(MAX_BODY_BYTES + 1))
    found = request_with([b" " * MAX_BODY_BYTES, b"{}"])

    for request in (declared, found):
        with pytest.raises(BodyTooLarge):
            await request.load()


async def test_a_small_body_that_inflates_without_end_is_too_large() -> None:
    bomb = gzip.compress(b" " * (64 * 1024 * 1024))
    request = request_with([bomb], content_encoding="gzip")

    with pytest.raises(BodyTooLarge):
        await request.load()


@pytest.mark.parametrize("packed", [b"no gzip", gzip.compress(b"{}")[:-4]])
async def test_a_broken_gzip_stream_is_malformed(packed: bytes) -> None:
    request = request_with([packed], content_encoding="gzip")

    with pytest.raises(MalformedJson):
        await request.load()


@pytest.mark.parametrize(
    "headers",
    [
        {"content_type": "text/plain"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"content_type": "application/jsonlines"},
        {"content_type": "application/json; charset=utf-16"},
        {"content_encoding": "br"},
    ],
    ids=str,
)
async def test_other_types_are_refused(headers: dict[str, str]) -> None:
    request = request_with([b"{}"], **headers)

    with pytest.raises(UnsupportedMediaType):
        await request.load()
