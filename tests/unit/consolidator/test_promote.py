"""Promotion: from memories to steps, and from the ledger's promotions to the graph."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from lightmem.adapters.embedded.sqlite_graph import SqliteKnowledgeGraph
from lightmem.adapters.vocabulary import open_vocabulary
from lightmem.domain.concepts import HALF_LIFE, LAPSE, supporter_of
from lightmem.errors import GraphUnavailable
from lightmem.model import (
    Claim,
    DreamAction,
    Memory,
    MemoryKind,
    MemoryStatus,
    PlannedStep,
    Promotion,
    Relation,
    Source,
    SuggestedClaim,
    Tenant,
    Verdict,
)
from lightmem_consolidator.decay import Decay
from lightmem_consolidator.promote import SAME_MEANING, Promote
from lightmem_consolidator.suggested import NOT_GENERAL, NOT_SAID
from lightmem_consolidator.validate import Circumstances, validate
from support.clock import FixedClock
from support.dreams import known
from support.encoders import WordHashEncoder
from support.finding import Down
from support.graphs import HAS, IS_A, RELATED, SECRET, claim, promotions, supported, term
from support.indexes import NOON

TENANT = "acme"
VOCABULARY = open_vocabulary()
FEAR = claim("dog", RELATED, "fear of thunder")


@dataclass
class PromotionsInMemory:
    """The part of the ledger that promoting needs."""

    of_user: dict[str, list[Promotion]] = field(default_factory=dict)
    k: int = 3

    async def get_tenant(self, tenant_id: str) -> Tenant:
        return Tenant(tenant_id, "Acme", self.k, NOON)

    async def promotions(self, tenant_id: str, user_id: str) -> list[Promotion]:
        return list(self.of_user.get(user_id, []))


def memory(
    text: str, *turns: str, language: str = "en", status: MemoryStatus = MemoryStatus.ACTIVE
) -> Memory:
    """A memory that rests on these turns."""
    return Memory(
        id=f"memory of {text}",
        tenant_id=TENANT,
        user_id="ana",
        kind=MemoryKind.FACT,
        text=text,
        language=language,
        entities=(),
        status=status,
        version=1,
        recorded_at=NOON,
        sources=[Source(turn, text) for turn in turns],
    )


@dataclass
class Dreaming:
    """Promotion over real parts: the twin of the graph, a clock that tests turn."""

    graph: SqliteKnowledgeGraph
    ledger: PromotionsInMemory
    clock: FixedClock
    promote: Promote

    async def proposed(self, *memories: Memory) -> list[PlannedStep]:
        return await self.promote.propose(TENANT, "ana", memories)

    async def keep(self, user_id: str, *claims: Claim, dream_id: str = "d1") -> None:
        """Let the ledger hold these promotions of a user, and settle."""
        kept = promotions(*claims, at=self.clock.now(), dream_id=dream_id)
        self.ledger.of_user[user_id] = kept
        await self.promote.settle(TENANT, user_id)

    async def served(self) -> list[str]:
        found = await self.graph.matching(TENANT, [], min_support=3, limit=99)
        return sorted(concept.name for concept in found)


@pytest.fixture
async def dreaming(tmp_path: Path) -> AsyncIterator[Dreaming]:
    graph = SqliteKnowledgeGraph(tmp_path / "graph.db")
    await graph.ensure_schema()
    yield _dreaming(graph)
    await graph.close()


def _dreaming(graph: SqliteKnowledgeGraph) -> Dreaming:
    ledger, clock = PromotionsInMemory(), FixedClock(NOON)
    promote = Promote(
        ledger=ledger,
        graph=graph,
        encoder=WordHashEncoder(384),
        clock=clock,
        secret=SECRET,
        vocabulary=VOCABULARY,
    )
    return Dreaming(graph, ledger, clock, promote)


def _claims(steps: Sequence[PlannedStep]) -> list[Claim | None]:
    return [step.claim for step in steps]


# --- proposing --------------------------------------------------------------------------------


async def test_what_enough_turns_say_is_proposed_with_its_evidence(dreaming: Dreaming) -> None:
    first = memory("Ana's dog Max is afraid of thunder.", "t1")
    again = memory("My dog Max is still scared of thunder!", "t2")

    [step] = await dreaming.proposed(first, again)

    assert (step.action, step.claim) == (DreamAction.PROMOTE, FEAR)
    assert list(step.evidence) == ["t1", "t2"]
    assert [each.memory_id for each in step.before] == [first.id, again.id]
    assert step.after is None


async def test_what_a_model_suggests_is_proposed_where_the_turns_say_it(dreaming: Dreaming) -> None:
    first = memory("I always put honey in the tea.", "t1")
    again = memory("Honey goes well with tea, I find.", "t2")
    suggested = [SuggestedClaim([first, again], "honey", Relation.RELATED_TO, "tea")]

    [step] = await dreaming.promote.propose(TENANT, "ana", [first, again], suggested)

    assert await dreaming.proposed(first, again) == []
    assert step.claim == claim("honey", RELATED, "tea")
    assert list(step.evidence) == ["t1", "t2"]


async def test_what_a_model_makes_up_is_refused_with_the_reason_and_without_its_words(
    dreaming: Dreaming,
) -> None:
    first = memory("My dog Max is afraid of thunder.", "t1")
    again = memory("Max is still scared of thunder!", "t2")
    suggested = [
        SuggestedClaim([first, again], "max", Relation.HAS_PROPERTY, "dangerous"),
        SuggestedClaim([first, again], "thunder", Relation.IMPLIES, "rain"),
    ]

    steps = await dreaming.promote.propose(TENANT, "ana", [first, again], suggested)

    read = {one.id: replace(known(one.text), memory=one) for one in (first, again)}
    judged = validate(steps, Circumstances(read, active=9, max_removed_fraction=0.3))
    assert [(step.claim, step.verdict) for step in judged] == [(None, Verdict.REJECTED)] * 2
    assert [step.reason for step in judged] == [NOT_GENERAL, NOT_SAID]


@pytest.mark.parametrize(
    ("language", "said", "wanted"),
    [
        (
            "es",
            ("Ana: Mi perro Max tiene miedo a los truenos.", "Los perros tienen miedo al trueno."),
            ("perro", "miedo a trueno"),
        ),
        ("zh", ("我家的狗怕打雷。", "狗都害怕打雷！"), ("狗", "害怕打雷")),
    ],
)
async def test_spanish_and_chinese_have_patterns_of_their_own(
    dreaming: Dreaming, language: str, said: tuple[str, str], wanted: tuple[str, str]
) -> None:
    memories = [memory(text, f"t{number}", language=language) for number, text in enumerate(said)]

    [step] = await dreaming.proposed(*memories)

    assert step.claim is not None
    assert (step.claim.subject.name, step.claim.target.name) == wanted
    assert len(step.evidence) == 2


async def test_what_one_turn_says_is_not_proposed(dreaming: Dreaming) -> None:
    assert await dreaming.proposed(memory("My dog is afraid of thunder.", "t1")) == []


async def test_a_claim_is_read_from_quotes_when_a_memory_says_it_in_other_words(
    dreaming: Dreaming,
) -> None:
    quoted = memory("Max hides whenever it storms.", "t1")
    quoted = replace(quoted, sources=[Source("t1", "My dog Max is scared of thunder!")])

    [step] = await dreaming.proposed(quoted, memory("My dog is afraid of thunder.", "t2"))

    assert (step.claim, list(step.evidence)) == (FEAR, ["t1", "t2"])


async def test_a_turn_counts_for_what_it_says_and_not_for_what_stands_beside_it(
    dreaming: Dreaming,
) -> None:
    merged = memory("My dog is afraid of thunder. Yoga helps me relax.", "t1", "t2")
    fear, yoga = (
        Source(turn, text)
        for turn, text in (("t1", "My dog is afraid of thunder."), ("t2", "Yoga helps me relax."))
    )

    assert await dreaming.proposed(replace(merged, sources=[fear, yoga])) == []


async def test_a_memory_that_is_not_active_or_in_another_language_gives_nothing(
    dreaming: Dreaming,
) -> None:
    text = "My dog is afraid of thunder."

    steps = await dreaming.proposed(
        memory(text, "t1", "t2", language="es"),
        memory(text, "t1", "t2", language="zh"),
        memory(text, "t1", "t2", status=MemoryStatus.FORGOTTEN),
    )

    assert steps == []


async def test_what_the_user_supports_already_is_left_out_until_it_is_old(
    dreaming: Dreaming,
) -> None:
    said = memory("My dog is afraid of thunder.", "t1", "t2")
    await dreaming.keep("ana", FEAR)

    at_once = await dreaming.proposed(said)
    dreaming.clock.advance(HALF_LIFE.total_seconds() + 1)
    later = await dreaming.proposed(said)

    assert at_once == []
    assert _claims(later) == [FEAR]


async def test_words_are_linked_to_a_served_node_of_the_same_meaning(dreaming: Dreaming) -> None:
    encoder = WordHashEncoder(384)
    near = float(encoder.vector("golden green tea") @ encoder.vector("green golden tea"))
    assert near >= SAME_MEANING
    for user in ("ben", "cho", "dan"):
        await dreaming.keep(user, claim("golden green tea", IS_A, "drink"))

    [step] = await dreaming.proposed(memory("Green golden tea makes me happy.", "t1", "t2"))

    assert step.claim is not None
    linked = step.claim.subject
    assert (linked.name, linked.said) == ("golden green tea", "green golden tea")


async def test_words_are_not_linked_to_what_is_not_served(dreaming: Dreaming) -> None:
    for user in ("ben", "cho"):
        await dreaming.keep(user, claim("golden green tea", IS_A, "drink"))

    [step] = await dreaming.proposed(memory("Green golden tea makes me happy.", "t1", "t2"))

    assert step.claim is not None
    assert step.claim.subject == term("green golden tea")


async def test_a_graph_that_is_away_keeps_nothing_from_being_proposed() -> None:
    away = _dreaming(Down(GraphUnavailable))  # type: ignore[arg-type]

    steps = await away.proposed(memory("My dog is afraid of thunder.", "t1", "t2"))

    assert _claims(steps) == [FEAR]


# --- settling ---------------------------------------------------------------------------------


async def test_the_graph_follows_the_ledger_and_nothing_shows_before_enough_users(
    dreaming: Dreaming,
) -> None:
    for user in ("ana", "ben"):
        await dreaming.keep(user, FEAR)
    before = await dreaming.served()

    await dreaming.keep("cho", FEAR)

    assert before == []
    assert await dreaming.served() == ["dog", "fear of thunder"]


async def test_undoing_a_dream_takes_its_promotion_back_and_no_other(dreaming: Dreaming) -> None:
    for user in ("ana", "ben", "cho"):
        await dreaming.keep(user, FEAR, claim("dog", HAS, "loyal"))
    dreaming.ledger.of_user["ana"] = dreaming.ledger.of_user["ana"][1:]

    await dreaming.promote.settle(TENANT, "ana")
    await dreaming.promote.settle(TENANT, "ana")

    assert await dreaming.served() == ["dog", "loyal"]


async def test_what_two_dreams_promoted_stays_when_one_is_undone(dreaming: Dreaming) -> None:
    for user in ("ana", "ben", "cho"):
        await dreaming.keep(user, FEAR)
    twice = [*promotions(FEAR, dream_id="d1"), *promotions(FEAR, dream_id="d2")]
    dreaming.ledger.of_user["ana"] = twice
    await dreaming.promote.settle(TENANT, "ana")

    dreaming.ledger.of_user["ana"] = twice[:1]
    await dreaming.promote.settle(TENANT, "ana")

    assert await dreaming.served() == ["dog", "fear of thunder"]


async def test_a_settling_that_died_is_made_good_by_the_next(dreaming: Dreaming) -> None:
    for user in ("ben", "cho"):
        await dreaming.keep(user, FEAR)
    dreaming.ledger.of_user["ana"] = promotions(FEAR)
    task = asyncio.create_task(dreaming.promote.settle(TENANT, "ana"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    await dreaming.promote.settle(TENANT, "ana")

    assert await dreaming.served() == ["dog", "fear of thunder"]


async def test_a_state_that_changes_meanwhile_is_written_too(dreaming: Dreaming) -> None:
    for user in ("ben", "cho"):
        await dreaming.keep(user, FEAR)
    answers = [promotions(FEAR), [], []]

    class Changing(PromotionsInMemory):
        async def promotions(self, tenant_id: str, user_id: str) -> list[Promotion]:
            return answers.pop(0) if len(answers) > 1 else answers[0]

    dreaming.promote._ledger = Changing()
    await dreaming.promote.settle(TENANT, "ana")

    assert await dreaming.served() == []
    assert await dreaming.graph.support_of(TENANT, supporter_of(SECRET, TENANT, "ana")) == 0


async def test_new_nodes_get_vectors_of_the_encoder(dreaming: Dreaming) -> None:
    for user in ("ana", "ben", "cho"):
        await dreaming.keep(user, FEAR)
    encoder = WordHashEncoder(384)

    [(nearest, score)] = await dreaming.graph.nearest(
        TENANT, encoder.encoder_id, encoder.vector("dog").tolist(), min_support=3, limit=1
    )

    assert (nearest.name, round(score, 3)) == ("dog", 1.0)


async def test_decay_follows_the_clock(dreaming: Dreaming) -> None:
    await supported(dreaming.graph, TENANT, ("ana", "ben", "cho"), FEAR)
    decay = Decay(graph=dreaming.graph, clock=dreaming.clock)

    at_once = await decay()
    dreaming.clock.advance((LAPSE + timedelta(days=1)).total_seconds())
    removed = await decay()

    assert at_once == 0
    assert removed == 3
    assert await dreaming.served() == []
