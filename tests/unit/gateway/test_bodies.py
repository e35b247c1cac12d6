"""Times are taken with an offset alone, and bodies become what the core takes."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from lightmem.errors import InvalidInput, InvalidTime
from lightmem.model import KeyRole
from lightmem_gateway.bodies import KeyBody, RecallBody, TurnsBody, parse_time
from lightmem_gateway.problems import refused

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2024-05-08T10:15:00+02:00", datetime(2024, 5, 8, 8, 15, tzinfo=UTC)),
        ("2024-05-08t10:15:00z", datetime(2024, 5, 8, 10, 15, tzinfo=UTC)),
        ("2024-05-08 10:15:00.25-05:30", datetime(2024, 5, 8, 15, 45, 0, 250_000, tzinfo=UTC)),
        ("2024-05-08T10:15:00.123456789Z", datetime(2024, 5, 8, 10, 15, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_a_time_with_an_offset_is_one_moment(text: str, utc: datetime) -> None:
    assert parse_time(text) == utc


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-08T10:15:00",
        "2024-05-08",
        "20240508T101500Z",
        "2024-13-01T00:00:00Z",
        "2024-05-08T10:15:60Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "٢٠٢٤-05-08T10:15:00Z",
        "yesterday",
        "",
        1715163300,
        True,
        ["2024-05-08T10:15:00Z"],
    ],
    ids=repr,
)
def test_what_is_no_moment_is_an_invalid_time(value: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        RecallBody.model_validate({"query": "where?", "now": value})

    error = refused([{**one, "loc": ("body", *one["loc"])} for one in caught.value.errors()])
    assert isinstance(error, InvalidTime)
    assert [one.field for one in error.errors] == ["now"]


def test_a_turn_keeps_the_offset_that_it_was_said_with() -> None:
    body = TurnsBody.model_validate(
        {
            "session_id": "s1",
            "turns": [
                {"role": "user", "content": "Hi", "occurred_at": "2024-05-08T10:15:00-03:30"},
                {"role": "user", "content": "Hi"},
            ],
        }
    )

    told, untold = body.to_turns(NOW)

    assert (told.utc_offset_minutes, told.occurred_at.hour) == (-210, 13)
    assert (untold.utc_offset_minutes, untold.occurred_at) == (0, NOW)


@pytest.mark.parametrize(
    ("fields", "refused_field"),
    [
        ({"top_k": "5"}, "top_k"),
        ({"top_k": True}, "top_k"),
        ({"top_k": 5.5}, "top_k"),
        ({"explain": "yes"}, "explain"),
        ({"layers": ["attic"]}, "layers.0"),
        ({"filters": {"form": None}}, "filters.form"),
        ({"filters": {"from": "2024-05-08"}}, "filters.from"),
        ({"filters": {"start": "2024-05-08T00:00:00Z"}}, "filters.start"),
        ({"as_of": []}, "as_of"),
        ({"query": None}, "query"),
        ({"topk": 5}, "topk"),
    ],
    ids=repr,
)
def test_a_refused_field_is_named_by_its_path(fields: dict[str, Any], refused_field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        RecallBody.model_validate({"query": "where?", **fields})

    error = refused([{**one, "loc": ("body", *one["loc"])} for one in caught.value.errors()])

    assert [one.field for one in error.errors] == [refused_field]


@pytest.mark.parametrize(
    ("role", "user_id"), [(KeyRole.USER, None), (KeyRole.TENANT, "ana"), (KeyRole.USER, " ")]
)
def test_a_user_key_names_its_user_and_no_other_key_does(
    role: KeyRole, user_id: str | None
) -> None:
    with pytest.raises(InvalidInput):
        KeyBody(role=role, user_id=user_id).check()
