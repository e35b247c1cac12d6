"""Paths whose segments may hold any character, a slash among them.

Servers decode a path before routing, which makes `a%2Fb` two segments. Here the path that is
routed is built from the raw one: each segment decoded, with its slashes and percent signs put
back; the convertor of a parameter takes these out again.
"""

import re
from typing import ClassVar
from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import Scope

#: What a proxy may put before the path; whose host it names is nothing to us.
_ORIGIN = re.compile(r"^https?://[^/]*", re.IGNORECASE)


class SegmentConvertor(Convertor[str]):
    """One segment of a path, whatever it holds."""

    regex: ClassVar[str] = "[^/]+"

    def convert(self, value: str) -> str:
        """The text that the caller encoded."""
        return value.replace("%2F", "/").replace("%25", "%")

    def to_string(self, value: str) -> str:
        """The text as it stands in a routed path."""
        return _closed(value)


register_url_convertor("segment", SegmentConvertor())


def routed_path(scope: Scope) -> str:
    """The path to route by. Bytes that are no UTF-8 become lone surrogates, which no id holds."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode("ascii")
    path = _ORIGIN.sub("", raw.partition(b"?")[0].decode("latin-1"))
    segments = path.split("/")
    return "/".join(_closed(unquote(segment, errors="surrogateescape")) for segment in segments)


def _closed(segment: str) -> str:
    return segment.replace("%", "%25").replace("/", "%2F")
