"""Recalled memories that come back are neither read nor learnt again."""

from lightmem.domain.context import pack_context
from lightmem.model import Item, ItemKind, Layer, MemoryKind, Role, Source, Statement
from lightmem_writer.echo import is_echo, may_echo, said_sentences
from lightmem_writer.rules import extract_by_rules
from lightmem_writer.sensory import thin
from support.turns import a_turn


class Letters:
    """Counts letters as tokens."""

    def count(self, text: str) -> int:
        return len(text)


def recalled(text: str) -> str:
    item = Item("m1", Layer.MID_TERM, ItemKind.MEMORY, text, 1.0)
    return pack_context([item], budget_tokens=4000, tokenizer=Letters()).text


def statement(quote: str, *, turn_id: str = "t1") -> Statement:
    return Statement(f"assistant: {quote}", MemoryKind.FACT, "en", (), (Source(turn_id, quote),))


def test_what_stands_between_the_marks_is_not_said() -> None:
    turn = a_turn(recalled("Ana lives in Lisbon.") + "\n\nI bought a red boat yesterday.")

    assert [sentence.text for sentence in said_sentences(turn.content)] == [
        "I bought a red boat yesterday."
    ]
    assert [line.text for line in thin([turn])] == ["I bought a red boat yesterday."]
    assert all("Lisbon" not in one.text for one in extract_by_rules([turn]))


def test_a_block_that_is_never_closed_goes_to_the_end() -> None:
    turn = a_turn(recalled("Ana lives in Lisbon.").removesuffix("</recalled_memory>"))

    assert said_sentences(turn.content) == []


def test_what_an_assistant_repeats_of_a_memory_is_an_echo() -> None:
    known = ["Ana (2024-05-08): We moved to Lisbon with two cats."]

    assert is_echo(statement("You moved to Lisbon with two cats."), known)


def test_news_a_correction_or_another_number_is_no_echo() -> None:
    known = ["Ana: We moved to Lisbon with two cats."]

    assert not is_echo(statement("You moved to Porto with a friend."), known)
    assert not is_echo(statement("You did not move to Lisbon with two cats."), known)
    assert not is_echo(statement("You moved to Lisbon with 3 cats."), known)
    assert not is_echo(statement("You moved to Lisbon."), [])


def test_only_what_others_than_people_say_may_be_an_echo() -> None:
    said = statement("We moved to Lisbon.")

    assert may_echo(said, {"t1": a_turn("We moved to Lisbon.", role=Role.ASSISTANT)})
    assert not may_echo(said, {"t1": a_turn("We moved to Lisbon.")})
