"""A small system for tests of forgetting: a ledger, an index in this process, and the encoder."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import create_engine

from lightmem.adapters.embedded.qdrant_edge import QdrantEdgeIndex
from lightmem.adapters.embedded.short_term import InProcessShortTermBuffer
from lightmem.adapters.ledger import SqlLedger
from lightmem.adapters.ledger.tables import metadata
from lightmem.forgetting import FindMemories, ForgetByJob, ForgetMemories, ForgottenValues
from lightmem.indexing import Indexing
from lightmem.jobs import JobRunner
from lightmem.model import (
    AcceptedTurns,
    JobKind,
    Memory,
    NewTurn,
    RecallFilters,
    Turn,
    View,
    ViewQuery,
)
from lightmem_gateway.remembering import Remember
from lightmem_writer import ExtractStatements, LearnTurns
from support.clock import FixedClock
from support.encoders import minilm
from support.indexes import LEXICAL
from support.ledgers import said
from support.words import Words

SECRET = b"the installation's secret"
#: Ids, hashes and vectors, in which any few digits occur by chance.
_NO_WORDS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}|[\w+/=]{200,}")


def words_in(text: str) -> str:
    """The text without ids, hashes and vectors."""
    return _NO_WORDS.sub("", text)


@dataclass(frozen=True, slots=True)
class Remembering:
    """All that remembers, learns, recalls and forgets, for the user `ana` of one tenant."""

    ledger: SqlLedger
    ledger_url: str
    tenant_id: str
    clock: FixedClock
    index: QdrantEdgeIndex
    short_term: InProcessShortTermBuffer
    indexing: Indexing
    forgotten: ForgottenValues
    forget: ForgetMemories
    find: FindMemories
    remember: Remember
    runner: JobRunner

    async def say(
        self, *turns: NewTurn | str, session_id: str = "s1", user_id: str = "ana"
    ) -> AcceptedTurns:
        """Remember turns and learn from them."""
        given = [said(turn) if isinstance(turn, str) else turn for turn in turns]
        remembered = await self.remember(self.tenant_id, user_id, session_id, given, actor="test")
        await self.work()
        return remembered.accepted

    async def work(self, *, without: Sequence[JobKind] = ()) -> None:
        """Run every job that is in the outbox, those of some kinds excepted."""
        kinds = [kind for kind in JobKind if kind not in without]
        await self.remember.settle()
        for _ in range(20):
            self.clock.advance(120.0)
            jobs = await self.ledger.lease_jobs(kinds, limit=50, lease_s=60.0)
            if not jobs:
                return
            for job in jobs:
                await self.runner.attend(job, lease_s=60.0)

    async def memories(self, user_id: str = "ana") -> Sequence[Memory]:
        """All memories of the user, latest first."""
        page = await self.ledger.list_memories(
            self.tenant_id, user_id, status=None, kind=None, query=None, limit=200, cursor=None
        )
        return page.items

    async def memory_of(self, words: str) -> Memory:
        """The one memory that has these words."""
        (found,) = [memory for memory in await self.memories() if words in memory.text]
        return found

    async def turns(self) -> Sequence[Turn]:
        """All turns of the user."""
        page = await self.ledger.list_turns(
            self.tenant_id, "ana", session_id=None, limit=200, cursor=None
        )
        return page.items

    async def contents(self) -> list[str]:
        """What the turns of the user say, in order."""
        return [turn.content for turn in await self.turns()]

    async def indexed(self) -> str:
        """Everything that the index holds of the user, as text."""
        vector = (await minilm().encode(["anything"]))[0].tolist()
        asked = [ViewQuery(View.DENSE, vector, 500), ViewQuery(View.WINDOW_DENSE, vector, 500)]
        answers = await self.index.search(self.tenant_id, "ana", asked, filters=RecallFilters())
        return words_in("\n".join(str(item) for items in answers for item in items))

    async def at_hand(self) -> str:
        """Everything that the short-term buffer holds of the user, as text."""
        turns = await self.short_term.recent(self.tenant_id, "ana", session_id=None, limit=200)
        return words_in("\n".join(str(turn) for turn in turns))

    def rows(self) -> str:
        """All rows of all tables, as text, ids, hashes and vectors left out."""
        engine = create_engine(self.ledger_url)
        with engine.connect() as connection:
            rows = [
                str(tuple(row))
                for table in metadata.tables.values()
                for row in connection.execute(table.select())
            ]
        engine.dispose()
        return words_in("\n".join(rows))


@asynccontextmanager
async def opened_index(path: Path) -> AsyncIterator[QdrantEdgeIndex]:
    """The index in a folder."""
    index = QdrantEdgeIndex(path)
    encoder = minilm()
    await index.open(encoder.encoder_id, encoder.dim, encoder.token_dim)
    yield index
    await index.close()


@asynccontextmanager
async def remembering(
    ledger: SqlLedger, ledger_url: str, tenant_id: str, clock: FixedClock, path: Path
) -> AsyncIterator[Remembering]:
    """The system over a ledger."""
    encoder = minilm()
    index = QdrantEdgeIndex(path / "index")
    await index.open(encoder.encoder_id, encoder.dim, encoder.token_dim)
    short_term = InProcessShortTermBuffer(20)
    indexing = Indexing(ledger=ledger, index=index, encoder=encoder, lexical=LEXICAL)
    forgotten = ForgottenValues(ledger=ledger, encoder=encoder, secret=SECRET)
    learn = LearnTurns(
        ledger=ledger, writer=ExtractStatements(None), tokenizer=Words(), forgotten=forgotten
    )
    forget = ForgetMemories(
        ledger=ledger,
        index=index,
        encoder=encoder,
        short_term=short_term,
        indexing=indexing,
        values=forgotten,
        clock=clock,
    )
    yield Remembering(
        ledger=ledger,
        ledger_url=ledger_url,
        tenant_id=tenant_id,
        clock=clock,
        index=index,
        short_term=short_term,
        indexing=indexing,
        forgotten=forgotten,
        forget=forget,
        find=FindMemories(ledger=ledger, index=index, encoder=encoder),
        remember=Remember(
            ledger=ledger,
            short_term=short_term,
            indexing=indexing,
            notify=lambda: None,
            forgotten=forgotten,
        ),
        runner=JobRunner(
            ledger=ledger,
            indexing=indexing,
            index=index,
            learn=learn,
            forget=ForgetByJob(ledger=ledger, forget=forget),
        ),
    )
    await index.close()
