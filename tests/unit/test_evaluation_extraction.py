"""What the measure of extraction counts as never said."""

from dataclasses import replace

from lightmem.model import Extraction, MemoryKind, Source, Statement
from lightmem_evaluation.extraction import Drawn, Everything
from support.turns import a_talk

TALK = a_talk(
    ("Ana", "We sailed to Lisbon on the 3rd with 2 cats."), ("Ben", "I saw the Tagus at 7pm.")
)
TRUE = Statement(
    "Ana sailed to Lisbon on the 3 with 2 cats.",
    MemoryKind.EVENT,
    "en",
    ["Ana", "Lisbon"],
    (Source(TALK[0].id, "We sailed to Lisbon"),),
)


def drawn_from(*statements: Statement) -> Drawn:
    drawn = Drawn()
    said = Everything({turn.id: turn for turn in TALK})
    drawn.add(Extraction(statements, rejected=("a question",), model_calls=2), TALK, said)
    return drawn


def test_what_was_said_by_anyone_is_counted_as_said() -> None:
    found = drawn_from(TRUE, replace(TRUE, text="On 2024-05-08, Ben saw the Tagus at 7.")).summary()

    assert [found[f"{part}_not_said"] for part in ("quotes", "numbers", "names")] == [0, 0, 0]
    assert found["statements_a_turn"] == 1.0
    assert found["turns_quoted"] == 0.5
    assert found["per_1000_turns"]["model_calls"] == 1000
    assert found["rejected"] == {"a question": 1}


def test_each_invention_is_counted() -> None:
    found = drawn_from(
        replace(TRUE, text="Ana sailed to Porto with 4 cats."),
        replace(TRUE, sources=(Source(TALK[0].id, "we sailed to lisbon"),)),
    ).summary()

    assert [found[f"{part}_not_said"] for part in ("quotes", "numbers", "names")] == [1, 1, 1]
