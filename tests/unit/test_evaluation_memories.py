"""What is counted of a context beside the evidence in it."""

import math

from lightmem_evaluation.locomo import Question
from lightmem_evaluation.memories import BOTH, TURNS, Asked, answer_words, results


def question(answer: str = "", category: int = 4) -> Question:
    return Question("c/0", category, "?", ("t1",), ("t1",), answer=answer)


def asked(*rows: tuple[float, float, float, float], memories: int = 0) -> Asked:
    return Asked([question() for _ in rows], list(rows), memories)


def test_words_of_the_answer_are_counted_where_there_is_one() -> None:
    assert answer_words(question("The green lamp"), "Ana: I bought a lamp.") == 0.5
    assert math.isnan(answer_words(question(), "Ana: I bought a lamp."))


def test_questions_without_an_answer_count_for_the_other_measures_alone() -> None:
    both = asked((1.0, 1.0, 0.5, 300.0), (0.0, 0.0, math.nan, 310.0), memories=3)
    turns = asked((1.0, 1.0, 0.25, 320.0), (0.0, 1.0, math.nan, 310.0))

    found = results({BOTH.name: both, TURNS.name: turns})

    compared = found["categories"]["1-4"]
    assert found["memories_an_answer"] == 1.5
    assert compared["answer_words"]["difference"] == 0.25
    assert compared["context_tokens"]["difference"] == -10.0
