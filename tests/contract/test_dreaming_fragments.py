"""Sentences of one turn are joined, and fall apart again where one of them holds no more."""

from collections.abc import Sequence

from lightmem.domain.fingerprint import fingerprint
from lightmem.model import Memory, MemoryKind, MemoryStatus, Source, Statement
from lightmem_writer.reconciling import ReconcileStatements
from support.dreaming import USER, Dreamer
from support.indexes import ENCODER
from support.ledgers import FREE, add, say, stored

MARSHMALLOWS, MEAT = "We roasted marshmallows by the fire.", "I eat meat every day."
SENTENCES = (MARSHMALLOWS, MEAT)
LATER = "I no longer eat meat every day."


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


async def test_they_become_one_memory_with_all_quotes(dreamer: Dreamer) -> None:
    fragments = await learn_fragments(dreamer)

    await dreamer.dream()

    (left,) = await dreamer.active()
    assert left.text == " ".join(SENTENCES)
    assert [source.quote for source in left.sources] == list(SENTENCES)
    olds = await dreamer.ledger.get_memories(dreamer.tenant_id, USER, [one.id for one in fragments])
    assert {old.superseded_by for old in olds} == {left.id}


async def test_what_overtakes_one_of_them_leaves_the_other_active(dreamer: Dreamer) -> None:
    await learn_fragments(dreamer)
    await dreamer.dream()
    (whole,) = await dreamer.active()
    await dreamer.indexing.index_memories(dreamer.tenant_id, USER, [whole.id])
    accepted = await say(dreamer.ledger, dreamer.tenant_id, LATER)

    reconcile = ReconcileStatements(ledger=dreamer.ledger, index=dreamer.index, encoder=ENCODER)
    (turn,) = accepted.turns
    statement = Statement(LATER, MemoryKind.FACT, "en", (), [Source(turn.id, LATER)])
    await dreamer.ledger.commit_writing(
        dreamer.tenant_id,
        USER,
        accepted.operation.id,
        changes=await reconcile(dreamer.tenant_id, USER, [statement], accepted.turns),
        outcomes=stored(turn),
        extraction=FREE,
    )

    assert {one.text for one in await dreamer.active()} == {LATER, MARSHMALLOWS}
    (old,) = await dreamer.ledger.get_memories(dreamer.tenant_id, USER, [whole.id])
    assert old.status is MemoryStatus.SUPERSEDED
