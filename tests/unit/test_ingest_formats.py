"""Files of conversations become turns, and what cannot be stored is named."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.errors import InvalidInput
from lightmem.ingest import Format, parse
from lightmem.ingest.locomo import session_time
from lightmem.ingest.parsed import Refused
from lightmem.model import Role

SAMPLE = {
    "sample_id": "walk-1",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Pau",
        "session_2_date_time": "12:05 am on 3 March, 2024",
        "session_2": [{"speaker": "Pau", "dia_id": "D2:1", "text": "Home at last."}],
        "session_1_date_time": "1:56 pm on 29 February, 2024",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "We saw a heron."},
            {
                "speaker": "Pau",
                "dia_id": "D1:2",
                "text": "Look!",
                "blip_caption": "a grey bird in a river",
            },
        ],
    },
    "qa": [],
}


def jsonl(*entries: object) -> str:
    return "\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)


# --- LoCoMo -----------------------------------------------------------------------------------


def test_a_locomo_sample_gives_its_sessions_by_number_for_the_user_of_its_id() -> None:
    parsed = parse(json.dumps([SAMPLE]), Format.LOCOMO, name="file")

    assert [(s.user_id, s.session_id, len(s.turns)) for s in parsed.sessions] == [
        ("walk-1", "session_1", 2),
        ("walk-1", "session_2", 1),
    ]
    assert parsed.turns == 3
    assert not parsed.faults


def test_a_locomo_turn_keeps_its_speaker_id_caption_and_order_in_time() -> None:
    parsed = parse(json.dumps([SAMPLE]), Format.LOCOMO, name="file")

    second = parsed.sessions[0].turns[1]
    assert (second.role, second.speaker, second.content) == (Role.USER, "Pau", "Look!")
    assert second.client_id == "walk-1/D1:2"
    assert second.metadata == {"dia_id": "D1:2", "caption": "a grey bird in a river"}
    assert second.occurred_at == datetime(2024, 2, 29, 13, 56, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("12:00 am on 1 May, 2023", 0),
        ("12:30 pm on 1 May, 2023", 12),
        ("1:00 am on 1 May, 2023", 1),
        ("11:59 pm on 1 May, 2023", 23),
    ],
)
def test_a_session_time_counts_midnight_and_noon_right(text: str, hour: int) -> None:
    assert session_time(text).hour == hour


@pytest.mark.parametrize("text", ["", "yesterday", "1:00 pm on 31 February, 2023", "1 Mai 2023"])
def test_a_session_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        session_time(text)


def test_a_locomo_session_without_a_time_is_a_fault_and_the_others_are_kept() -> None:
    broken = {**SAMPLE["conversation"], "session_2_date_time": None}  # type: ignore[dict-item]

    parsed = parse(json.dumps([{**SAMPLE, "conversation": broken}]), Format.LOCOMO, name="file")

    assert [session.session_id for session in parsed.sessions] == ["session_1"]
    assert [fault.where for fault in parsed.faults] == ["walk-1, session_2"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"messages": []}'])
def test_a_file_that_is_no_locomo_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text, Format.LOCOMO, name="file")


# --- JSON Lines -------------------------------------------------------------------------------


def test_a_line_keeps_every_field_it_brings() -> None:
    line = {
        "user_id": "ana",
        "session_id": "s1",
        "role": "assistant",
        "speaker": "Bot",
        "content": "Hola",
        "occurred_at": "2024-05-08T10:15:00+02:00",
        "client_id": "m-1",
        "metadata": {"channel": "phone"},
        "mood": "calm",
    }

    [session] = parse(jsonl(line), Format.JSONL, name="file").sessions

    [turn] = session.turns
    assert (session.user_id, session.session_id) == ("ana", "s1")
    assert (turn.role, turn.speaker, turn.content, turn.client_id) == (
        Role.ASSISTANT,
        "Bot",
        "Hola",
        "m-1",
    )
    assert turn.occurred_at == datetime(2024, 5, 8, 10, 15, tzinfo=timezone(timedelta(hours=2)))
    assert turn.metadata == {"channel": "phone", "mood": "calm"}


def test_lines_of_interleaved_sessions_are_gathered_in_their_order() -> None:
    lines = [{"session_id": s, "content": c} for s, c in ("a1", "b2", "a3", "b4")]

    sessions = parse(jsonl(*lines), Format.JSONL, name="file").sessions

    assert [(s.session_id, [t.content for t in s.turns]) for s in sessions] == [
        ("a", ["1", "3"]),
        ("b", ["2", "4"]),
    ]


def test_bad_lines_are_named_by_number_and_the_good_ones_are_kept() -> None:
    text = jsonl(
        {"content": "good"},
        "not json",
        "",
        ["a", "list"],
        {"content": "  "},
        {"content": "x", "role": "king"},
        {"content": "x", "occurred_at": "2024-05-08T10:15:00"},
        {"content": "x" * 32_769},
        {"content": "a\u0000b"},
        {"content": "also good"},
    )

    parsed = parse(text, Format.JSONL, name="file")

    assert [turn.content for turn in parsed.sessions[0].turns] == ["good", "also good"]
    assert [fault.where for fault in parsed.faults] == [
        f"line {number}" for number in (2, 4, 5, 6, 7, 8, 9)
    ]


def test_the_same_words_said_twice_are_two_turns_with_ids_of_their_own() -> None:
    text = jsonl({"content": "ok"}, {"content": "ok"})

    [session] = parse(text, Format.JSONL, name="file").sessions

    ids = [turn.client_id for turn in session.turns]
    assert len(set(ids)) == 2


def test_a_line_put_in_before_others_does_not_change_their_ids() -> None:
    first = parse(jsonl({"content": "b"}, {"content": "c"}), Format.JSONL, name="file")
    second = parse(
        jsonl({"content": "a"}, {"content": "b"}, {"content": "c"}), Format.JSONL, name="file"
    )

    before = [turn.client_id for turn in first.sessions[0].turns]
    after = [turn.client_id for turn in second.sessions[0].turns]
    assert after[1:] == before


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), max_size=8))
def test_every_line_is_a_turn_or_a_fault(contents: list[str]) -> None:
    text = "\n".join(json.dumps({"content": c}, ensure_ascii=False) for c in contents)

    parsed = parse(text, Format.JSONL, name="file")

    assert parsed.turns + len(parsed.faults) == len(contents)


# --- OpenAI messages --------------------------------------------------------------------------


def test_openai_messages_are_one_session_named_by_the_file() -> None:
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "I moved to Turin.", "name": "Ida"},
        {"role": "assistant", "content": "Noted."},
    ]

    [listed] = parse(json.dumps(messages), Format.OPENAI, name="chat").sessions
    [wrapped] = parse(json.dumps({"messages": messages}), Format.OPENAI, name="chat").sessions

    assert listed == wrapped
    assert listed.session_id == "chat"
    assert [turn.role for turn in listed.turns] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]
    assert listed.turns[1].speaker == "Ida"


def test_openai_parts_and_tool_calls_are_kept() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]
    parts = [{"type": "text", "text": "What is this?"}, picture]
    messages = [
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "42", "tool_call_id": "c1"},
    ]

    [session] = parse(json.dumps(messages), Format.OPENAI, name="chat").sessions

    asked, called, told = session.turns
    assert asked.content == "What is this?\n[image_url]"
    assert asked.metadata["content"] == parts
    assert called.content == '[call] f({"a":1})'
    assert called.metadata["tool_calls"] == calls
    assert told.metadata["tool_call_id"] == "c1"


def test_several_openai_conversations_are_sessions_of_their_own() -> None:
    one = {"id": "first", "messages": [{"role": "user", "content": "a"}]}
    two = {"messages": [{"role": "user", "content": "b"}, {"role": "user", "content": ""}]}

    parsed = parse(json.dumps([one, two]), Format.OPENAI, name="chat")

    assert [session.session_id for session in parsed.sessions] == ["first", "chat-2"]
    assert [fault.where for fault in parsed.faults] == ["conversation 2, message 2"]


@pytest.mark.parametrize("text", ["{", '"text"', "{}", "[{}, 3]"])
def test_a_file_without_messages_stores_nothing(text: str) -> None:
    try:
        parsed = parse(text, Format.OPENAI, name="chat")
    except InvalidInput:
        return

    assert parsed.turns == 0
    assert parsed.faults
