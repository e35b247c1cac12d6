"""The doctor: holds every store against the ledger, tells what does not fit, and mends it if asked.

Every number is read: what is in a store is listed, not taken from what was once put there. What a
job is about to do counts as done, so that a system at work is not ill.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from lightmem.domain.audit import INSTALLATION, AuditEntry, chain_end
from lightmem.domain.paging import every, pages
from lightmem.errors import IncompatibleIndex, Unavailable
from lightmem.indexing import Indexing
from lightmem.model import Health
from lightmem.ports import (
    Clock,
    Encoder,
    JobQueue,
    KnowledgeGraph,
    Ledger,
    MemoryIndex,
    ShortTermBuffer,
)
from lightmem.upkeep.examine import Examination, Findings
from lightmem.upkeep.support import ExamineSupport, Settle

logger = logging.getLogger(__name__)

#: Users, tenants, points and entries that are read at a time.
PAGE = 500
#: A job that was due so long ago has nobody who takes it up.
OVERDUE_S = 900.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: how much there ought to be, was found, and was mended."""

    name: str
    expected: int
    found: int
    repaired: int = 0

    @property
    def ok(self) -> bool:
        """Whether it is as it ought to be, now at least."""
        return abs(self.expected - self.found) <= self.repaired


@dataclass(frozen=True, slots=True)
class Report:
    """All that was looked at."""

    checks: Sequence[Check]

    @property
    def ok(self) -> bool:
        """Whether everything is as it ought to be."""
        return all(check.ok for check in self.checks)


class Doctor:
    """Looks over the whole system."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        index: MemoryIndex,
        short_term: ShortTermBuffer,
        graph: KnowledgeGraph,
        queue: JobQueue | None,
        encoder: Encoder,
        indexing: Indexing,
        settle: Settle,
        clock: Clock,
        secret: bytes,
    ) -> None:
        self._ledger = ledger
        self._index = index
        self._short_term = short_term
        self._graph = graph
        self._queue = queue
        self._encoder = encoder
        self._indexing = indexing
        self._settle = settle
        self._clock = clock
        self._secret = secret

    async def __call__(self, *, repair: bool) -> Report:
        """What was found, and mended if `repair`; nothing of the ledger's own is ever changed.

        Raises:
            LedgerUnavailable: there is nothing to hold the other stores against.
        """
        checks = [await self._answers(name, check) for name, check in self._parts()]
        up = {check.name.removesuffix(".answers") for check in checks if check.ok}
        checks += [await self._audit(), await self._overdue()]
        if "index" in up:
            checks.append(await self._encoder_check(repair=repair))
        checks += await self._stores(up, repair=repair)
        if "graph" in up:
            checks += await self._support(repair=repair)
        return Report(checks)

    def _parts(self) -> list[tuple[str, Callable[[], Awaitable[Health]]]]:
        parts: list[tuple[str, Callable[[], Awaitable[Health]]]] = [
            ("ledger", self._ledger.check),
            ("index", self._index.check),
            ("graph", self._graph.check),
            ("short_term", self._short_term.check),
        ]
        return [*parts, ("queue", self._queue.check)] if self._queue is not None else parts

    async def _answers(self, name: str, check: Callable[[], Awaitable[Health]]) -> Check:
        try:
            is_up = (await check()).status == "ok"
        except Unavailable:
            is_up = False
        return Check(f"{name}.answers", 1, int(is_up))

    # --- the ledger's own -----------------------------------------------------------------------

    async def _audit(self) -> Check:
        """Chains of the audit trail, and those that hold."""
        chains = holding = 0
        async for tenant_id in self._tenants(INSTALLATION):
            chains += 1
            holding += await self._holds(tenant_id)
        return Check("audit.chains", chains, holding)

    async def _holds(self, tenant_id: str) -> bool:
        end: AuditEntry | None = None
        trail = pages(lambda cursor: self._ledger.list_audit(tenant_id, limit=PAGE, cursor=cursor))
        async for entries in trail:
            broken, end = chain_end(entries, after=end)
            if broken is not None:
                logger.error("the audit chain of tenant %s breaks at %d", tenant_id, broken.seq)
                return False
        return True

    async def _overdue(self) -> Check:
        return Check("outbox.overdue", 0, await self._ledger.overdue_jobs(by_s=OVERDUE_S))

    # --- the index and the buffer -----------------------------------------------------------------

    async def _encoder_check(self, *, repair: bool) -> Check:
        """Whether this encoder filled the index, all of it."""
        encoder = self._encoder
        try:
            await self._index.open(encoder.encoder_id, encoder.dim, encoder.token_dim)
            is_whole = not await self._indexing.is_incomplete()
        except IncompatibleIndex:
            is_whole = False
        if is_whole or not repair:
            return Check("index.encoder", 1, int(is_whole))
        await self._indexing.reembed(lambda _: None)
        return Check("index.encoder", 1, 0, 1)

    async def _stores(self, up: set[str], *, repair: bool) -> list[Check]:
        """What the index and the buffer have of each user, and of users who are not there."""
        examine = Examination(
            ledger=self._ledger,
            index=self._index if "index" in up else None,
            short_term=self._short_term if "short_term" in up else None,
            indexing=self._indexing,
        )
        found = Findings()
        known: set[tuple[str, str]] = set()
        async for tenant_id, user_id in self._users():
            known.add((tenant_id, user_id))
            await examine.user(tenant_id, user_id, found, repair=repair)
        if "index" in up:
            await examine.strangers(known, found, repair=repair)
        return [Check(name, *numbers) for name, numbers in found.numbers(up)]

    # --- the graph ----------------------------------------------------------------------------

    async def _support(self, *, repair: bool) -> list[Check]:
        """What users support in the graph, and support of users who are no more."""
        examine = ExamineSupport(
            ledger=self._ledger,
            graph=self._graph,
            settle=self._settle,
            clock=self._clock,
            secret=self._secret,
        )
        async for tenant_id in self._tenants():
            await examine.begin(tenant_id)
        async for tenant_id, user_id in self._users():
            await examine.user(tenant_id, user_id, repair=repair)
        nobody = 0
        async for tenant_id in self._tenants():
            nobody += await examine.strangers(tenant_id, repair=repair)
        held = examine.expected - examine.missing
        return [
            Check("graph.support", examine.expected, held, examine.mended_missing),
            Check("graph.surplus_support", 0, examine.surplus, examine.mended_surplus),
            Check("graph.supporters_of_nobody", 0, nobody, nobody if repair else 0),
        ]

    # --- everybody ----------------------------------------------------------------------------

    async def _tenants(self, *first: str) -> AsyncIterator[str]:
        for tenant_id in first:
            yield tenant_id
        tenants = every(lambda cursor: self._ledger.list_tenants(limit=PAGE, cursor=cursor))
        async for tenant in tenants:
            yield tenant.id

    async def _users(self) -> AsyncIterator[tuple[str, str]]:
        after: tuple[str, str] | None = None
        while page := await self._ledger.list_users(after=after, limit=PAGE):
            for user in page:
                yield user
            after = page[-1]
