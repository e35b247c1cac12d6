"""PROMOTE: what a user's memories say in general becomes his support for the shared graph.

A claim is made of general words alone (`deidentify`), is said in enough turns, and is linked to
what the graph has. Nobody sees it before enough users support it. The ledger is the truth: the
graph is brought in step with it, whatever happened in between.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from lightmem.domain.concepts import HALF_LIFE, concept_key, node_id, supporter_of
from lightmem.domain.supporting import support_from
from lightmem.domain.vocabulary import Vocabulary
from lightmem.errors import Unavailable
from lightmem.model import (
    Claim,
    Concept,
    DreamAction,
    Memory,
    MemoryRef,
    MemoryStatus,
    PlannedStep,
    Promotion,
    SuggestedClaim,
    Tenant,
    Term,
)
from lightmem.ports import Clock, Encoder, KnowledgeGraph
from lightmem_consolidator.deidentify import Deidentify
from lightmem_consolidator.general import LANGUAGES, claims_in
from lightmem_consolidator.general_chinese import claims_in_chinese
from lightmem_consolidator.general_spanish import claims_in_spanish
from lightmem_consolidator.suggested import believed

logger = logging.getLogger(__name__)

#: Turns that must say it. What was said once may have been a slip, or somebody else's words.
MIN_TURNS = 2
#: Cosine from which two names mean the same. Of 3,000 pairs of sibling words of WordNet one in a
#: thousand is that near with the default encoder, of 1,500 pairs of synonyms six in a hundred.
SAME_MEANING = 0.88
#: Names that are encoded in one go.
EMBED_BATCH = 256
#: Times that the ledger may change under a settling before it is left to the next job.
ROUNDS = 5


class PromotionLedger(Protocol):
    """What promoting needs of the ledger."""

    async def get_tenant(self, tenant_id: str) -> Tenant: ...

    async def promotions(self, tenant_id: str, user_id: str) -> list[Promotion]: ...


@dataclass(slots=True)
class _Found:
    """The memories that make a claim, and the turns that they rest on."""

    memories: list[Memory] = field(default_factory=list)
    turns: set[str] = field(default_factory=set)


class Promote:
    """Proposes PROMOTE steps and keeps the graph in step; keeps `ports.dreams.Promoter`.

    Args:
        secret: The installation's, which makes ids and supporters unreadable.
        vocabulary: The words that may be promoted.
        min_turns: Turns that must say a claim.
    """

    def __init__(
        self,
        *,
        ledger: PromotionLedger,
        graph: KnowledgeGraph,
        encoder: Encoder,
        clock: Clock,
        secret: bytes,
        vocabulary: Vocabulary,
        min_turns: int = MIN_TURNS,
    ) -> None:
        self._ledger = ledger
        self._graph = graph
        self._encoder = encoder
        self._clock = clock
        self._secret = secret
        self._deidentify = Deidentify(vocabulary)
        self._min_turns = min_turns

    async def propose(
        self,
        tenant_id: str,
        user_id: str,
        memories: Sequence[Memory],
        suggested: Sequence[SuggestedClaim] = (),
    ) -> list[PlannedStep]:
        """PROMOTE steps for what enough turns say, those with most evidence first.

        What the user supports already is left out, unless his support has grown old.
        """
        found = self._claims(memories)
        enough = {claim: each for claim, each in found.items() if self._is_enough(each)}
        refused = self._add_believed(enough, suggested)
        if not enough:
            return refused
        linked = await self._linked(tenant_id, enough)
        fresh = await self._supported(tenant_id, user_id)
        steps = [
            _step(linked[claim], each)
            for claim, each in enough.items()
            if _words(linked[claim]) not in fresh
        ]
        return [*sorted(steps, key=lambda step: -len(step.evidence)), *refused]

    async def settle(self, tenant_id: str, user_id: str) -> None:
        """Let the graph hold exactly what the user's promotions in the ledger say."""
        supporter = supporter_of(self._secret, tenant_id, user_id)
        for _ in range(ROUNDS):
            promotions = await self._ledger.promotions(tenant_id, user_id)
            names, edges = support_from(self._secret, tenant_id, promotions)
            now = self._clock.now()
            await self._graph.replace_support(tenant_id, supporter, names, edges, now=now)
            # Another worker may have read an older state and written it after us.
            if await self._ledger.promotions(tenant_id, user_id) == promotions:
                break
        await self._embed(tenant_id)

    # --- finding claims -------------------------------------------------------------------

    def _claims(self, memories: Iterable[Memory]) -> dict[Claim, _Found]:
        found: defaultdict[Claim, _Found] = defaultdict(_Found)
        for memory in memories:
            if memory.status is not MemoryStatus.ACTIVE:
                continue
            for claim, turns in self._said(memory).items():
                found[claim].memories.append(memory)
                found[claim].turns |= turns
        return dict(found)

    def _said(self, memory: Memory) -> dict[Claim, set[str]]:
        """The claims of a memory with the turns that make each.

        A model may have put the memory in other words, so its quotes are read too; where it rests
        on one turn its own words are that turn's.
        """
        said = [(source.turn_id, source.quote) for source in memory.sources]
        turns = {turn_id for turn_id, _ in said}
        if len(turns) == 1:
            said.append((turns.pop(), memory.text))
        found: defaultdict[Claim, set[str]] = defaultdict(set)
        for turn_id, words in dict.fromkeys(said):
            for claim in self._claimed(words, memory.language):
                found[claim].add(turn_id)
        return dict(found)

    def _claimed(self, words: str, language: str) -> Iterable[Claim]:
        """What the words claim by the patterns of their language, if it has any."""
        if language in LANGUAGES:
            return claims_in(words, of=self._deidentify)
        others = {"es": claims_in_spanish, "zh": claims_in_chinese}
        return others[language](words) if language in others else ()

    def _add_believed(
        self, enough: dict[Claim, "_Found"], suggested: Iterable[SuggestedClaim]
    ) -> list[PlannedStep]:
        """Add the suggested claims that turns say; a step without a claim for each other one."""
        refused = []
        for one in suggested:
            is_believed = believed(one, of=self._deidentify, min_turns=self._min_turns)
            if is_believed.claim is None:
                refused.append(_refused(one, is_believed.reason))
            elif is_believed.claim not in enough:
                enough[is_believed.claim] = _Found([*one.memories], set(is_believed.turns))
        return refused

    def _is_enough(self, found: _Found) -> bool:
        return len(found.turns) >= self._min_turns

    async def _supported(self, tenant_id: str, user_id: str) -> set[tuple[str, ...]]:
        """The words of what the user supports already, and lately."""
        oldest = self._clock.now() - HALF_LIFE
        promotions = await self._ledger.promotions(tenant_id, user_id)
        return {_words(each.claim) for each in promotions if each.at >= oldest}

    # --- linking to what is there ---------------------------------------------------------

    async def _linked(self, tenant_id: str, claims: Iterable[Claim]) -> dict[Claim, Claim]:
        """Each claim with its ends linked to nodes that are served; as it is where none is near.

        What is not served is not looked at, so that no answer depends on it.
        """
        wanted = list(claims)
        terms = {term for claim in wanted for term in (claim.subject, claim.target)}
        try:
            nodes = await self._nodes(tenant_id, terms)
        except Unavailable as exc:
            logger.warning("nothing is linked while the graph is away: %s", exc.message)
            nodes = {}
        return {
            claim: replace(
                claim,
                subject=nodes.get(claim.subject, claim.subject),
                target=nodes.get(claim.target, claim.target),
            )
            for claim in wanted
        }

    async def _nodes(self, tenant_id: str, terms: Iterable[Term]) -> dict[Term, Term]:
        """The terms that a served node stands for under another name, by that name."""
        tenant = await self._ledger.get_tenant(tenant_id)
        k = tenant.k_anonymity
        if await self._graph.is_empty(tenant_id, min_support=k):
            return {}
        wanted = sorted(terms, key=lambda term: term.name)
        vectors = await self._encoder.encode([term.name for term in wanted])
        found = {}
        for term, vector in zip(wanted, vectors, strict=True):
            linked = await self._node(tenant_id, term, vector.tolist(), k)
            if linked is not None:
                found[term] = linked
        return found

    async def _node(
        self, tenant_id: str, term: Term, vector: Sequence[float], k: int
    ) -> Term | None:
        named = await self._graph.find(tenant_id, [term.name], min_support=k, limit=1)
        near = [] if named else await self._nearest(tenant_id, vector, k)
        for concept in (*named, *near):
            for name in (concept.name, *concept.aliases):
                # A node has its id from one of its names, which need not be the one most used.
                if node_id(self._secret, tenant_id, term.type, name) == concept.id:
                    return replace(term, name=name)
        return None

    async def _nearest(self, tenant_id: str, vector: Sequence[float], k: int) -> list[Concept]:
        found = await self._graph.nearest(
            tenant_id, self._encoder.encoder_id, vector, min_support=k, limit=1
        )
        return [concept for concept, score in found if score >= SAME_MEANING]

    async def _embed(self, tenant_id: str) -> None:
        """Give vectors to the nodes that have none of this encoder."""
        encoder_id = self._encoder.encoder_id
        while names := await self._graph.without_embedding(
            tenant_id, encoder_id, limit=EMBED_BATCH
        ):
            vectors = await self._encoder.encode(list(names.values()))
            by_id = {key: vector.tolist() for key, vector in zip(names, vectors, strict=True)}
            await self._graph.embed(tenant_id, encoder_id, by_id)


def _step(claim: Claim, found: _Found) -> PlannedStep:
    """The step of a claim; its evidence are the turns, in order."""
    return PlannedStep(
        action=DreamAction.PROMOTE,
        before=tuple(MemoryRef(memory.id, memory.version) for memory in found.memories),
        claim=claim,
        evidence=tuple(sorted(found.turns)),
    )


def _refused(suggestion: SuggestedClaim, reason: str | None) -> PlannedStep:
    """A step that keeps none of the model's words: these may be anything."""
    before = tuple(MemoryRef(memory.id, memory.version) for memory in suggestion.memories)
    return PlannedStep(DreamAction.PROMOTE, before, reason=reason)


def _words(claim: Claim) -> tuple[str, ...]:
    """What tells claims apart: the words that were said."""
    ends = (claim.subject, claim.target)
    return (claim.relation, *(concept_key(end.said) for end in ends))
