"""The graph held against the ledger: support that was lost, is too much, or is of nobody."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

from lightmem.domain.concepts import lapsed_before, supporter_of
from lightmem.domain.supporting import support_from
from lightmem.model import EdgeSupport, NameSupport
from lightmem.ports import Clock, KnowledgeGraph, Ledger

#: Brings the graph in step with the ledger's promotions of a user: `ports.dreams.Promoter.settle`.
Settle = Callable[[str, str], Awaitable[None]]


class ExamineSupport:
    """Looks at what users support in the graph; the promotions of the ledger say what it should be.

    What has lapsed may be gone or still there, by when the graph decayed last.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        graph: KnowledgeGraph,
        settle: Settle,
        clock: Clock,
        secret: bytes,
    ) -> None:
        self._ledger = ledger
        self._graph = graph
        self._settle = settle
        self._clock = clock
        self._secret = secret
        #: Of all users so far: nodes, names and edges, as they ought to be, missing and too many.
        self.expected = self.missing = self.surplus = 0
        self.mended_missing = self.mended_surplus = 0
        self._supporters: dict[str, set[str]] = {}
        self._supporting: dict[str, set[str]] = {}

    async def begin(self, tenant_id: str) -> None:
        """Note who supports something, before users are read: who begins later is no stranger."""
        self._supporting[tenant_id] = set(await self._graph.supporters(tenant_id))

    async def user(self, tenant_id: str, user_id: str, *, repair: bool) -> None:
        """Look at one user, and settle him anew if anything is wrong."""
        due, missing, surplus = await self._compared(tenant_id, user_id)
        if missing or surplus:
            if await self._ledger.is_promoting(tenant_id, user_id):
                missing = surplus = 0
            else:
                # A job may have ended between the readings.
                due, missing, surplus = await self._compared(tenant_id, user_id)
        self.expected += due
        self.missing += missing
        self.surplus += surplus
        if repair and (missing or surplus):
            await self._settle(tenant_id, user_id)
            self.mended_missing += missing
            self.mended_surplus += surplus

    async def _compared(self, tenant_id: str, user_id: str) -> tuple[int, int, int]:
        """How much of a user's ought to be there, is missing, and is there and should not be."""
        supporter = supporter_of(self._secret, tenant_id, user_id)
        self._supporters.setdefault(tenant_id, set()).add(supporter)
        held = await self._graph.supported_by(tenant_id, supporter)
        promotions = await self._ledger.promotions(tenant_id, user_id)
        names, edges = support_from(self._secret, tenant_id, promotions)
        due = _ids(names, edges, since=lapsed_before(self._clock.now()))
        return len(due), len(due - held), len(held - _ids(names, edges))

    async def strangers(self, tenant_id: str, *, repair: bool) -> int:
        """How many support something who are no users of the tenant; all of them were looked at."""
        known = self._supporters.get(tenant_id, set())
        gone = self._supporting.get(tenant_id, set()) - known
        for supporter in gone if repair else ():
            await self._graph.withdraw_user(tenant_id, supporter)
        return len(gone)


def _ids(
    names: Iterable[NameSupport], edges: Iterable[EdgeSupport], *, since: datetime | None = None
) -> set[str]:
    """The ids of nodes, names and edges that are supported, since then."""
    kept = [each for each in names if since is None or each.at >= since]
    ids = {each.node_id for each in kept} | {each.id for each in kept}
    return ids | {each.id for each in edges if since is None or each.at >= since}
