"""What is left of a turn for a model to read."""

from lightmem_writer.sensory import thin
from support.turns import a_talk


def test_chatter_is_left_out() -> None:
    talk = a_talk(("Ana", "Hey Ben! Wow, thanks!"), ("Ben", "Hi! I moved to Oslo. Great."))

    assert [(line.turn, line.place, line.text) for line in thin(talk)] == [
        (talk[1], 1, "I moved to Oslo.")
    ]


def test_what_was_said_before_is_not_read_again() -> None:
    talk = a_talk(("Ana", "I moved to Oslo."), ("Ana", "I moved to Oslo! It rains here."))

    assert [line.text for line in thin(talk)] == ["I moved to Oslo.", "It rains here."]


def test_hesitations_are_left_out_of_what_is_read_and_not_of_what_was_said() -> None:
    (turn,) = a_talk(("Ana", "Well. So, um, I er moved to uh, Oslo."))

    (line,) = thin([turn])

    assert line.text == "So, I moved to Oslo."
    assert line.sentence.text == "So, um, I er moved to uh, Oslo."
    assert turn.content[line.sentence.start : line.sentence.end] == line.sentence.text


def test_the_turn_itself_is_untouched() -> None:
    (turn,) = a_talk(("Ana", "Um, hello. I moved."))

    thin([turn])

    assert turn.content == "Um, hello. I moved."
