"""A memory that a dream joined: each part may be overtaken, and the others stay."""

from datetime import UTC, datetime

from lightmem.domain.fingerprint import fingerprint
from lightmem.model import (
    AddMemory,
    MemoryKind,
    Role,
    Source,
    Statement,
    SupersedeMemory,
    Turn,
)
from lightmem_writer.drafting import Draft, drafts_of
from lightmem_writer.joined import by_quote
from lightmem_writer.known import Known
from lightmem_writer.reconcile import Reconciliation
from support.ledgers import NOON

MEAT, OWLS = "I eat meat every day.", "Owls hoot in the pines!"


def joined(*quotes: str, words: str = f"{MEAT} {OWLS}") -> Known:
    """A memory of these words and quotes, all of one turn."""
    return Known(
        id="whole",
        version=1,
        text=f"Ana: {words}",
        words=words,
        kind=MemoryKind.FACT,
        language="en",
        claim=None,
        said_first=NOON,
        said_last=NOON,
        valid_from=None,
        valid_to=None,
        speaker="Ana",
        session_ids=frozenset({"s1"}),
        sources=[Source("t1", quote) for quote in quotes],
        entities=("Ana",),
    )


def test_each_quote_is_a_part_with_the_others_beside_it() -> None:
    meat, owls = by_quote(joined(MEAT, OWLS))

    assert (meat.text, owls.text) == (f"Ana: {MEAT}", f"Ana: {OWLS}")
    assert [one.text for one in meat.beside] == [owls.text]
    assert [one.sources for one in owls.beside] == [[Source("t1", MEAT)]]
    assert {meat.id, owls.id} == {"whole"}


def test_the_words_of_one_quote_belong_together() -> None:
    both = joined(f"{MEAT} {OWLS}")

    assert by_quote(both) == [both]


def test_what_no_quote_has_is_left_as_it_is() -> None:
    unclear = joined(MEAT, "Owls were heard.")

    assert by_quote(unclear) == [unclear]


def test_two_sentences_of_one_quote_and_one_of_another_are_two_parts() -> None:
    parts = by_quote(joined(f"{MEAT} {OWLS}", "It rained.", words=f"{MEAT} {OWLS} It rained."))

    assert [part.words for part in parts] == [f"{MEAT} {OWLS}", "It rained."]


def draft(words: str) -> Draft:
    statement = Statement(f"Ana: {words}", MemoryKind.FACT, "en", (), [Source("t2", words)])
    return drafts_of([statement], {"t2": said(words)})[0]


def said(words: str) -> Turn:
    return Turn(
        id="t2",
        tenant_id="acme",
        user_id="ana",
        session_id="s2",
        seq=1,
        role=Role.USER,
        content=words,
        occurred_at=datetime(2024, 6, 8, tzinfo=UTC),
        recorded_at=NOON,
        speaker="Ana",
    )


def test_what_overtakes_a_part_leaves_the_others_as_memories_of_their_own() -> None:
    later = draft("I no longer eat meat every day.")
    alike = {later.fingerprint: by_quote(joined(MEAT, OWLS))}

    changes = Reconciliation(alike=alike).decide([later])

    superseded = [one for one in changes if isinstance(one, SupersedeMemory)]
    added = [one for one in changes if isinstance(one, AddMemory)]
    assert [one.memory_id for one in superseded] == ["whole"]
    assert [one.statement.text for one in added] == [f"Ana: {OWLS}"]
    assert [one.fingerprint for one in added] == [fingerprint(f"Ana: {OWLS}")]
