"""Pools to train on: conversations put into the real embedded system, and its own gather asked.

What a ranker sees in training is therefore what it will see when it serves: the same index, the
same views and scores, the memories that the Writer draws, the plan of the Controller.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from lightmem.bootstrap import Services, open_services
from lightmem.model import JobKind, NewTurn, Plan, RecallRequest
from lightmem.settings import Settings
from lightmem_selector.gather import GatherPool
from lightmem_selector.pool import Pool
from lightmem_training.conversations import Conversation, place_of, said_at

#: The most of a recall, as the harness asks for it.
TOP_K = 20
TURNS_PER_CALL = 50
#: The category of questions about what was never said: there is nothing to rank first.
NEVER_SAID = 5
LEASE_S = 600.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question, what was gathered for it, and the turns that its answer rests on."""

    conversation: str
    category: int
    request: RecallRequest
    plan: Plan
    pool: Pool
    evidence: frozenset[str]


async def gather_pools(
    conversations: Sequence[Conversation], folder: Path, *, coarse_pool: int
) -> AsyncIterator[Question]:
    """Every question that has evidence, conversation by conversation."""
    # Without the ranker, which may be of an older version of the features and would be refused.
    settings = Settings(data_dir=folder, worker_threads=0, coarse_pool=coarse_pool, ranker="linear")
    async with open_services(settings) as services:
        tenant = await services.ledger.create_tenant("training", k_anonymity=3, actor="training")
        gather = gather_of(services)
        for conversation in conversations:
            places = await _remember(services, tenant.id, conversation)
            for asked in conversation.questions:
                evidence = frozenset(places[place] for place in asked.evidence)
                if evidence and asked.category != NEVER_SAID:
                    yield await question_of(
                        services, gather, tenant.id, conversation, asked=asked, evidence=evidence
                    )


class Remembered(Protocol):
    """A conversation that a system holds: whose it is, and when its last turn was said."""

    @property
    def id(self) -> str:
        """The user of the system that the conversation is."""
        ...

    @property
    def ended_at(self) -> datetime | None:
        """The moment at which it is asked about; the present where it has no times."""
        ...


class Worded(Protocol):
    """A question on a conversation."""

    @property
    def category(self) -> int:
        """What kind of question it is, as the data count them."""
        ...

    @property
    def text(self) -> str:
        """Its words."""
        ...


async def question_of(
    services: Services,
    gather: GatherPool,
    tenant_id: str,
    conversation: Remembered,
    *,
    asked: Worded,
    evidence: frozenset[str],
) -> Question:
    """A question with the pool that is gathered for it.

    Args:
        evidence: Ids of the turns that its answer rests on.
    """
    now = conversation.ended_at or services.clock.now()
    request = RecallRequest(query=asked.text, now=now, top_k=TOP_K)
    plan = await services.controller.plan(tenant_id, conversation.id, request)
    pool = await gather(tenant_id, conversation.id, request, plan)
    return Question(
        conversation=conversation.id,
        category=asked.category,
        request=request,
        plan=plan,
        pool=replace(pool, timings_ms={}),
        evidence=evidence,
    )


def gather_of(services: Services) -> GatherPool:
    """The Selector's own gathering, without the turns that are not indexed yet."""
    return GatherPool(
        index=services.index,
        encoder=services.encoder,
        lexical=services.lexical,
        short_term=services.short_term,
        graph=services.graph,
        coarse_pool=services.settings.coarse_pool,
        short_term_turns=0,
        patience_s=60.0,
    )


async def _remember(
    services: Services, tenant_id: str, conversation: Conversation
) -> dict[str, str]:
    """Store, index and learn from all turns; the ids of the turns by their place in the data."""
    places: dict[str, str] = {}
    for session in conversation.sessions:
        for start in range(0, len(session.turns), TURNS_PER_CALL):
            turns = session.turns[start : start + TURNS_PER_CALL]
            new = [
                NewTurn(
                    role=turn.role,
                    content=turn.content,
                    occurred_at=said_at(turn),
                    client_id=turn.client_id,
                    speaker=turn.speaker,
                    metadata=turn.metadata,
                )
                for turn in turns
            ]
            accepted = await services.ledger.append_turns(
                tenant_id, conversation.id, session.session_id, new, actor="training"
            )
            places |= dict(zip(map(place_of, turns), accepted.turn_ids, strict=True))
            await services.indexing.index_turns(tenant_id, conversation.id, accepted.turn_ids)
            if accepted.index_job_id is not None:
                await services.ledger.complete_job(accepted.index_job_id)
    await _learn(services)
    return places


async def _learn(services: Services) -> None:
    """Do what is in the outbox, as a worker would, until nothing is left."""
    for kind in (JobKind.WRITE, JobKind.INDEX_MEMORIES):
        while jobs := await services.ledger.lease_jobs([kind], limit=16, lease_s=LEASE_S):
            for job in jobs:
                await services.runner.attend(job, lease_s=LEASE_S)
