"""Recall what is relevant now, whatever is down: `degraded` names what it had to do without."""

import time
from collections.abc import Sequence
from dataclasses import replace

from lightmem.domain.context import PackedContext, pack_context
from lightmem.domain.limits import check_id, check_recall
from lightmem.domain.surroundings import Surroundings
from lightmem.errors import DeadlineExceeded, InvalidModelOutput, Unavailable
from lightmem.knowledge import Anonymity
from lightmem.model import (
    Item,
    Layer,
    Plan,
    PlannedQuery,
    Recall,
    RecallRequest,
    Selection,
)
from lightmem.ports import (
    Controller,
    LexicalEncoder,
    Selector,
    ShortTermBuffer,
    Tokenizer,
)
from lightmem.telemetry import RECALL_DEGRADED, RECALL_SECONDS, StageTimer
from lightmem_gateway.fallback import choose_recent
from lightmem_gateway.surroundings import FindSurroundings
from lightmem_gateway.usage import CountUses

#: What a recall goes on without.
_DOWN = (Unavailable, DeadlineExceeded, InvalidModelOutput)


#: Nobody shares anything before it is known how many must support it.
TENANT_UNKNOWN = "long_term: ledger unavailable"


class RecallMemory:
    """Answers a question with the items that fit, and the text to put before a model."""

    def __init__(
        self,
        *,
        controller: Controller,
        selector: Selector,
        tokenizer: Tokenizer,
        short_term: ShortTermBuffer,
        lexical: LexicalEncoder,
        anonymity: Anonymity | None = None,
        uses: CountUses | None = None,
        surroundings: FindSurroundings | None = None,
    ) -> None:
        self._surroundings = surroundings
        self._anonymity = anonymity
        self._uses = uses
        self._controller = controller
        self._selector = selector
        self._tokenizer = tokenizer
        self._short_term = short_term
        self._lexical = lexical

    async def __call__(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        *,
        with_latest: bool = True,
    ) -> Recall:
        """Plan, select, pack.

        Args:
            with_latest: Show the latest turns of the session that asks in the context, which a
                caller that has them anyway does without.

        Raises:
            InvalidInput: the request is outside the limits. Nothing that is down raises.
        """
        check_recall(request)
        if request.session_id is not None:
            check_id("session_id", request.session_id)
        timer = StageTimer(RECALL_SECONDS, run="recall")
        request = await self._anonymous(tenant_id, request)
        with timer.stage("plan"):
            plan = await self._plan(tenant_id, user_id, request)
        begun = time.perf_counter()
        selection = await self._select(tenant_id, user_id, request, plan)
        _record_selection(timer, selection, time.perf_counter() - begun)
        with timer.stage("pack"):
            packed = await self._pack(
                tenant_id, user_id, request, selection.items, with_latest=with_latest
            )
        if self._uses is not None:
            self._uses.note(tenant_id, user_id, packed.items)
        degraded = (*plan.degraded, *selection.degraded, *self._unknown(request))
        for part in degraded:
            RECALL_DEGRADED.labels(part.split(":")[0]).inc()
        return Recall(
            items=packed.items,
            context=packed.text,
            context_tokens=packed.tokens,
            tokenizer=self._tokenizer.name,
            plan=replace(plan, queries=(*plan.queries, *selection.added)),
            candidates=selection.candidates,
            degraded=degraded,
            timings_ms=timer.finish(),
            left_out=packed.left_out,
        )

    async def _pack(
        self,
        tenant_id: str,
        user_id: str,
        request: RecallRequest,
        items: Sequence[Item],
        *,
        with_latest: bool,
    ) -> PackedContext:
        """The context of the items, with what stands beside them in the room that they leave."""
        beside = Surroundings()
        if self._surroundings is not None:
            beside = await self._surroundings(
                tenant_id, user_id, request, items, with_latest=with_latest
            )
        return pack_context(
            items,
            budget_tokens=request.budget_tokens,
            tokenizer=self._tokenizer,
            utc_offset_minutes=request.utc_offset_minutes,
            surroundings=beside,
        )

    async def _anonymous(self, tenant_id: str, request: RecallRequest) -> RecallRequest:
        """The request with the tenant's `k_anonymity`; without it nothing shared is served."""
        if self._anonymity is None or Layer.LONG_TERM not in request.layers:
            return request
        try:
            return replace(request, k_anonymity=await self._anonymity(tenant_id))
        except Unavailable:
            return request

    def _unknown(self, request: RecallRequest) -> Sequence[str]:
        if self._anonymity is None or Layer.LONG_TERM not in request.layers:
            return ()
        return () if request.k_anonymity is not None else (TENANT_UNKNOWN,)

    async def _plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        try:
            return await self._controller.plan(tenant_id, user_id, request)
        except _DOWN:
            return Plan(
                queries=(PlannedQuery(text=request.query, weight=1.0, rule="query"),),
                time_range=None,
                entities=(),
                layers=request.layers,
                degraded=("controller: unavailable, the question is searched for as it is",),
            )

    async def _select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection:
        try:
            return await self._selector.select(tenant_id, user_id, request, plan)
        except _DOWN as exc:
            part = "index" if exc.code.startswith("INDEX") else "selector"
        chosen = await choose_recent(
            tenant_id, user_id, request, short_term=self._short_term, lexical=self._lexical
        )
        return replace(
            chosen,
            degraded=(f"{part}: unavailable, only the latest turns are searched", *chosen.degraded),
        )


def _record_selection(timer: StageTimer, selection: Selection, seconds: float) -> None:
    """Take over the Selector's own timings; without them the whole call is `select`."""
    own = {name: ms / 1000 for name, ms in selection.timings_ms.items() if name != "total"}
    for name in ("embed", "gather", "select"):
        timer.record(name, own.get(name, 0.0 if own or name != "select" else seconds))
