"""What goes into a message comes out of it: through bytes, for every value that travels."""

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given

from lightmem import model as m
from lightmem.adapters.grpc import convert
from lightmem.errors import InvalidInput
from lightmem.rpc.v1 import memory_pb2, selector_pb2, writer_pb2
from support import values


@given(values.requests)
def test_a_request_survives_the_wire(request: m.RecallRequest) -> None:
    wire = convert.request_to_pb(request).SerializeToString()

    assert convert.request_from_pb(memory_pb2.RecallRequest.FromString(wire)) == request


@given(values.plans)
def test_a_plan_survives_the_wire(plan: m.Plan) -> None:
    wire = convert.plan_to_pb(plan).SerializeToString()

    assert convert.plan_from_pb(memory_pb2.Plan.FromString(wire)) == plan


@given(values.selections)
def test_a_selection_survives_the_wire(selection: m.Selection) -> None:
    wire = convert.selection_to_pb(selection).SerializeToString()

    arrived = convert.selection_from_pb(selector_pb2.SelectResponse.FromString(wire))

    assert arrived == selection


@given(values.turns)
def test_a_turn_survives_the_wire(turn: m.Turn) -> None:
    wire = convert.turn_to_pb(turn).SerializeToString()

    arrived = convert.turn_from_pb("acme", "ana", memory_pb2.Turn.FromString(wire))

    assert arrived == turn


@given(values.extractions)
def test_an_extraction_survives_the_wire(extraction: m.Extraction) -> None:
    wire = convert.extraction_to_pb(extraction).SerializeToString()

    arrived = convert.extraction_from_pb(writer_pb2.ExtractResponse.FromString(wire))

    assert arrived == extraction


def test_whole_numbers_in_metadata_stay_whole() -> None:
    struct = convert.metadata_to_pb({"n": 3, "deep": [{"m": 4}], "x": 0.5})

    assert repr(convert.metadata_from_pb(struct)["deep"]) == "[{'m': 4}]"


@pytest.mark.parametrize(
    ("change", "field"),
    [({"mode": "telepathic"}, "mode"), ({"layers": ["cellar"]}, "layers"), ({"now": None}, "now")],
)
def test_a_foreign_word_is_refused_by_name(change: dict[str, object], field: str) -> None:
    message = memory_pb2.RecallRequest(query="Where?", mode="fast", now=Timestamp(seconds=1))
    for name, value in change.items():
        message.ClearField(name)  # type: ignore[arg-type]
        if value is not None:
            message.MergeFrom(memory_pb2.RecallRequest(**{name: value}))  # type: ignore[arg-type]

    with pytest.raises(InvalidInput) as refusal:
        convert.request_from_pb(message)

    assert refusal.value.errors[0].field == field
