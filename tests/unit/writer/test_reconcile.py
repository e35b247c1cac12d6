"""The same words are one memory."""

from lightmem.model import AddMemory, MemoryKind, Source, Statement
from lightmem_writer.reconcile import reconcile, sources_of


def says(text: str, turn_id: str) -> Statement:
    return Statement(text, MemoryKind.FACT, "en", (), (Source(turn_id, text),))


def test_the_same_words_add_up_their_sources() -> None:
    (change,) = reconcile([says("Ana: I live here.", "1"), says("ana: i live HERE", "2")])

    assert isinstance(change, AddMemory)
    assert change.statement.text == "Ana: I live here."
    assert [source.turn_id for source in sources_of(change)] == ["1", "2"]


def test_the_same_source_counts_once() -> None:
    (change,) = reconcile([says("I live here.", "1"), says("I live here.", "1")])

    assert len(sources_of(change)) == 1


def test_other_words_are_another_memory() -> None:
    changes = reconcile([says("I live here.", "1"), says("I live there.", "1")])

    assert len(changes) == 2
