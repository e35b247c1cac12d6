"""A Consolidator over a real ledger and a real index, for tests: what is learnt is also indexed."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.ledger import SqlLedger
from lightmem.domain.fingerprint import fingerprint
from lightmem.indexing import Indexing
from lightmem.model import (
    AddMemory,
    Dream,
    DreamPolicy,
    Job,
    JobEnd,
    JobKind,
    Memory,
    MemoryKind,
    MemoryStatus,
    Source,
    Statement,
)
from lightmem.ports import LanguageModel
from lightmem.ports.dreams import DreamWish
from lightmem_consolidator import DreamLimits, DreamMemories, FindNear, ProposeSteps
from support.indexes import ENCODER, LEXICAL
from support.ledgers import FREE, say, stored

USER = "ana"
LEASE_S = 30.0
#: Of these the second says all that the first says.
TEA = ("I like green tea.", "I like green tea with honey.")
#: Near enough to ask a model about, and nothing that rules could settle.
ALIKE = ("I walk along the old harbour daily.", "I walk along the old harbour slowly.")
#: What a model answers that proposes nothing.
NO_STEPS = '{"steps": []}'


@dataclass
class Dreamer:
    """Whatever is said to it is known, indexed and can be dreamt over."""

    ledger: SqlLedger
    index: QdrantEdgeIndex
    tenant_id: str
    model: LanguageModel | None = None
    concurrency: int = 1

    def __post_init__(self) -> None:
        self.indexing = Indexing(
            ledger=self.ledger, index=self.index, encoder=ENCODER, lexical=LEXICAL
        )

    async def learn(
        self, *texts: str, user_id: str = USER, kind: MemoryKind = MemoryKind.FACT
    ) -> list[Memory]:
        """Turns of these words, each learnt word for word and indexed."""
        learnt = []
        for text in texts:
            accepted = await say(self.ledger, self.tenant_id, text, user_id=user_id)
            (turn,) = accepted.turns
            statement = Statement(text, kind, "en", (), [Source(turn.id, text)])
            learnt += await self.ledger.commit_writing(
                self.tenant_id,
                user_id,
                accepted.operation.id,
                changes=[AddMemory(statement, fingerprint(text))],
                outcomes=stored(turn),
                extraction=FREE,
            )
        ids = [memory.id for memory in learnt]
        await self.indexing.index_memories(self.tenant_id, user_id, ids)
        return learnt

    async def ask(self, *, policy: DreamPolicy = DreamPolicy.AUTO, user_id: str = USER) -> Job:
        """A dream that is asked for: its job."""
        dream = await self.ledger.request_dream(
            self.tenant_id, user_id, DreamWish(policy), actor="test"
        )
        assert dream is not None
        jobs = await self.ledger.lease_jobs([JobKind.DREAM], limit=10, lease_s=LEASE_S)
        (mine,) = [job for job in jobs if job.payload["dream_id"] == dream.id]
        return mine

    async def run(self, job: Job, *, attempts: int = 1, **limits: Any) -> JobEnd:
        """Run the job as a worker does."""
        tried = Job(job.id, job.kind, job.tenant_id, job.user_id, job.payload, attempts)
        return await self.consolidator(**limits).run(tried)

    async def dream(
        self, *, policy: DreamPolicy = DreamPolicy.AUTO, user_id: str = USER, **limits: Any
    ) -> Dream:
        """A dream from the wish to its plan and, under `auto`, its application."""
        job = await self.ask(policy=policy, user_id=user_id)
        await self.run(job, **limits)
        return await self.ledger.get_dream(self.tenant_id, job.payload["dream_id"])

    def consolidator(self, **limits: Any) -> DreamMemories:
        """The use case over these parts."""
        return DreamMemories(
            ledger=self.ledger,
            near=FindNear(index=self.index, encoder=ENCODER),
            propose=ProposeSteps(
                self.model,
                count_tokens=lambda text: len(text.split()),
                concurrency=self.concurrency,
            ),
            limits=DreamLimits(**limits),
        )

    async def active(self, *, user_id: str = USER) -> Sequence[Memory]:
        """The active memories, the latest first."""
        page = await self.ledger.list_memories(
            self.tenant_id,
            user_id,
            status=MemoryStatus.ACTIVE,
            kind=None,
            query=None,
            limit=200,
            cursor=None,
        )
        return page.items


@pytest.fixture
async def dreamer(ledger: SqlLedger, acme: str, tmp_path: Path) -> AsyncIterator[Dreamer]:
    """A Consolidator over `ledger` and an index of its own."""
    index = await open_dream_index(tmp_path)
    yield Dreamer(ledger, index, acme)
    await index.close()


async def open_dream_index(path: Path) -> QdrantEdgeIndex:
    """An empty index in this folder; the caller closes it."""
    index = QdrantEdgeIndex(path / "index")
    await index.open(ENCODER.encoder_id, ENCODER.dim, ENCODER.token_dim)
    return index
