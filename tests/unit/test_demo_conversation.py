"""The demo's conversation is one that the system takes as it is."""

from lightmem.cli.demo import conversation


def test_the_demo_conversation_is_read_without_a_fault() -> None:
    parsed = conversation()

    assert not parsed.faults
    assert len(parsed.sessions) == 10
    assert parsed.turns >= 120


def test_the_demo_conversation_runs_forward_in_time_in_two_voices() -> None:
    turns = [turn for session in conversation().sessions for turn in session.turns]

    times = [turn.occurred_at for turn in turns if turn.occurred_at]
    assert times == sorted(times)
    assert len(times) == len(turns)
    assert {turn.speaker for turn in turns} == {"Lucía", "Emil"}
    assert len({turn.client_id for turn in turns}) == len(turns)
