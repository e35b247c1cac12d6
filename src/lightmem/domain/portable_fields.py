"""What a field of a portable line may hold, and why it may not hold what it was given."""

import base64
import math
import struct
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    StrictInt,
    StrictStr,
)
from pydantic_core import PydanticCustomError

from lightmem.domain.limits import (
    MAX_ID_CODE_POINTS,
    MAX_TURN_CODE_POINTS,
    fault_of_metadata,
    fault_of_text,
    moment_of,
)

#: As far as a whole number is the same in every reader of JSON, and in every database.
MAX_WHOLE = 2**53 - 1
MAX_SEQ = 2**31 - 1


def _time(value: Any) -> datetime:
    moment = moment_of(value) if isinstance(value, str) else None
    if moment is None:
        raise PydanticCustomError("invalid_time", "must be an RFC 3339 time with an offset")
    return moment


def _words(value: str) -> str:
    if fault := fault_of_text(value):
        raise PydanticCustomError("invalid_text", "{fault}", {"fault": fault})
    return value


def _words_or_none(value: str) -> str:
    return _words(value) if value else value


def _uuid(value: str) -> str:
    try:
        is_id = str(UUID(value)) == value
    except ValueError:
        is_id = False
    if not is_id:
        raise PydanticCustomError("invalid_id", "must be an id: a UUID in lower case")
    return value


def _metadata(value: dict[str, Any]) -> dict[str, Any]:
    if fault := fault_of_metadata(value):
        raise PydanticCustomError("invalid_metadata", "{fault}", {"fault": fault})
    return value


def _vector(value: str) -> str:
    try:
        floats = struct.iter_unpack("<f", base64.b64decode(value, validate=True))
        is_vector = all(math.isfinite(number) for (number,) in floats)
    except (ValueError, struct.error):
        is_vector = False
    if not is_vector:
        raise PydanticCustomError("invalid_vector", "must be 32-bit floats in base64")
    return value


#: As JSON has it: text of a time, its offset kept; in the ledger's order of digits.
Time = Annotated[
    datetime, BeforeValidator(_time), PlainSerializer(lambda moment: moment.isoformat())
]
Id = Annotated[StrictStr, AfterValidator(_uuid)]
Words = Annotated[StrictStr, Field(max_length=MAX_TURN_CODE_POINTS), AfterValidator(_words)]
Name = Annotated[StrictStr, Field(max_length=MAX_ID_CODE_POINTS), AfterValidator(_words)]
Whole = Annotated[StrictInt, Field(ge=0, le=MAX_WHOLE)]
Place = Annotated[StrictInt, Field(ge=1, le=MAX_SEQ)]
Hash = Annotated[StrictStr, Field(max_length=64, pattern="^[0-9a-f]+$")]
Hashes = Annotated[list[Hash], Field(max_length=10_000)]
Metadata = Annotated[dict[str, Any], AfterValidator(_metadata)]
WordsOrNone = Annotated[
    StrictStr, Field(max_length=MAX_TURN_CODE_POINTS), AfterValidator(_words_or_none)
]
Vector = Annotated[StrictStr, Field(max_length=65_536), AfterValidator(_vector)]
