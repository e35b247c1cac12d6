"""What is left of a turn for a model to read."""

from lightmem.domain.grounding import find_quote
from lightmem_writer.cues import cues_for
from lightmem_writer.sensory import thin
from support.turns import a_talk


def test_chatter_is_left_out() -> None:
    talk = a_talk(("Ana", "Hey Ben! Wow, thanks!"), ("Ben", "Hi! I moved to Oslo. Great."))

    assert thin(talk)[1] == "I moved to Oslo."


def test_what_was_said_before_is_not_read_again() -> None:
    talk = a_talk(("Ana", "I moved to Oslo."), ("Ana", "I moved to Oslo! It rains here."))

    assert thin(talk) == ["I moved to Oslo.", "It rains here."]


def test_hesitations_are_left_out_and_the_words_are_found_again() -> None:
    (turn,) = a_talk(("Ana", "So, um, I er moved\nto uh, Oslo"))

    (read,) = thin([turn])

    assert read == "So, I moved to Oslo"
    fillers = cues_for("en").fillers
    assert find_quote("I moved to Oslo", turn.content, skippable=fillers) == (
        "I er moved\nto uh, Oslo"
    )


def test_the_turn_itself_is_untouched() -> None:
    (turn,) = a_talk(("Ana", "Um, hello. I moved."))

    thin([turn])

    assert turn.content == "Um, hello. I moved."
