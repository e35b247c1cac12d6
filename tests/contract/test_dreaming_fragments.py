"""Sentences of one turn are joined when room is scarce, and left alone when it is not."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.fingerprint import fingerprint
from lightmem.model import Memory, Source
from support.dreaming import USER, Dreamer, open_dream_index
from support.ledgers import FREE, add, say, stored

SENTENCES = ("We roasted marshmallows by the fire.", "I was not afraid of the dark.")


@pytest.fixture
async def dreamer(ledger: SqlLedger, acme: str, tmp_path: Path) -> AsyncIterator[Dreamer]:
    index = await open_dream_index(tmp_path)
    yield Dreamer(ledger, index, acme)
    await index.close()


async def learn_fragments(dreamer: Dreamer) -> Sequence[Memory]:
    accepted = await say(dreamer.ledger, dreamer.tenant_id, " ".join(SENTENCES))
    (turn,) = accepted.turns
    return await dreamer.ledger.commit_writing(
        dreamer.tenant_id,
        USER,
        accepted.operation.id,
        changes=[add(one, Source(turn.id, one), fingerprint=fingerprint(one)) for one in SENTENCES],
        outcomes=stored(turn),
        extraction=FREE,
    )


async def test_under_pressure_they_become_one_memory_with_all_quotes(dreamer: Dreamer) -> None:
    fragments = await learn_fragments(dreamer)

    await dreamer.dream(pressed_from=2)

    (left,) = await dreamer.active()
    assert left.text == " ".join(SENTENCES)
    assert [source.quote for source in left.sources] == list(SENTENCES)
    olds = await dreamer.ledger.get_memories(dreamer.tenant_id, USER, [one.id for one in fragments])
    assert {old.superseded_by for old in olds} == {left.id}


async def test_with_room_each_stays_by_itself(dreamer: Dreamer) -> None:
    await learn_fragments(dreamer)

    dream = await dreamer.dream()

    assert dream.steps == ()
    assert {one.text for one in await dreamer.active()} == set(SENTENCES)
