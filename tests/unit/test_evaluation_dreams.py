"""What the measure of dreams counts and draws."""

from collections import Counter

import pytest

from lightmem.adapters.ollama import OllamaLanguageModel
from lightmem.client import SaidTurn
from lightmem.ingest import SessionTurns
from lightmem.model import Message, Role
from lightmem_evaluation.dream_growth import beginning
from lightmem_evaluation.dream_layers import _noisy
from lightmem_evaluation.dream_quality import _story_differences
from lightmem_evaluation.dream_sentences import drawn, first
from lightmem_evaluation.dreaming import Dreamt
from lightmem_evaluation.locomo import Conversation, Question
from lightmem_evaluation.slow_model import NAME, slow_model
from lightmem_evaluation.update_cases import load_stories
from lightmem_evaluation.updates import Answered

TURNS = [SaidTurn(f"Turn {number}. It is one.", speaker="Ben") for number in range(30)]


def answered(name: str, *, right: bool) -> Answered:
    return Answered(name, "en", "change", is_first=right, is_dated=True, is_one=True)


def test_turns_are_drawn_until_they_have_so_many_sentences_alike_for_a_seed() -> None:
    assert [turn.content for turn in first(TURNS, 5)] == [turn.content for turn in TURNS[:3]]
    assert drawn(TURNS, 20, 1) == drawn(TURNS, 20, 1)
    assert drawn(TURNS, 20, 1) != drawn(TURNS, 20, 2)
    assert len(drawn(TURNS, 20, 1)) == 10


def test_half_of_what_a_noisy_story_says_is_noise() -> None:
    story = load_stories()[0]

    noisy = _noisy(story, TURNS, 1)

    for before, after in zip(story.sessions, noisy.sessions, strict=True):
        own = [turn for turn in after.turns if turn.speaker != "Ben"]
        assert own == list(before.turns)
        assert len(after.turns) == 2 * len(before.turns)
    assert _noisy(story, TURNS, 1) == noisy
    assert _noisy(story, TURNS, 2) != noisy


def test_what_dreams_changed_is_told_story_by_story() -> None:
    without = [answered("a", right=True), answered("b", right=False)]
    having = [answered("a", right=True), answered("b", right=True)]

    found = _story_differences(having, without)

    assert found["all"]["is_right"] == found["change"]["is_right"] == 0.5
    assert found["all"]["is_dated"] == 0.0


def test_dreams_are_summed_up() -> None:
    dreamt = Dreamt({"a": 10, "b": 10}, {"a": 8, "b": 9}, Counter({"MERGE accepted": 3}), dreams=2)

    body = dreamt.body()

    assert (body["active_before"], body["active_after"], body["fewer"]) == (20, 17, 0.15)


@pytest.mark.timeout(20)
async def test_the_slow_model_answers_as_ollama_does() -> None:
    with slow_model(0.01) as server:
        model = OllamaLanguageModel(server.url, NAME)

        answer = await model.complete(
            [Message(Role.USER, "one two three")], max_tokens=10, timeout_s=5.0, schema={}
        )
        health = await model.check()
        await model.close()

    assert answer.text == '{"steps": []}'
    assert (answer.prompt_tokens, server.answered, health.status) == (3, 1, "ok")


def test_a_conversation_that_is_cut_keeps_the_questions_that_what_is_left_answers() -> None:
    turns = [SaidTurn(f"Turn {n}.", metadata={"dia_id": f"D{n}:1"}) for n in range(1, 5)]
    sessions = [SessionTurns("c", f"s{n}", [turn]) for n, turn in enumerate(turns, start=1)]
    evidence = {"Early?": ("D1:1", "D2:1"), "Late?": ("D1:1", "D4:1"), "Never?": ()}
    questions = [Question(text, 1, text, of, of) for text, of in evidence.items()]

    part = beginning(Conversation("c", sessions, questions), 0.5)

    assert [one.session_id for one in part.sessions] == ["s1", "s2"]
    assert [one.text for one in part.questions] == ["Early?"]
