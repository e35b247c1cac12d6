"""One recall for nobody before the first for somebody, and what was loaded for it out of the way.

Connections are made, tables built and models run at their first use. A service does that before it
says that it is ready, so that no caller waits for it.
"""

import asyncio
import gc
import logging
from datetime import UTC, datetime

from lightmem.errors import LightMemError
from lightmem.model import Layer, Plan, PlannedQuery, RecallRequest
from lightmem.ports import Controller, Selector

logger = logging.getLogger(__name__)

#: A tenant and a user that do not exist: ids are never like this.
NOBODY = "nobody"
QUESTION = "When did Ana move to Lisbon last May, and what did she say about it?"
#: A service does not start later than so for what does not answer.
PATIENCE_S = 15.0
#: Objects made, and collections of each generation, before the next; Python's own are 700, 10, 10.
COLLECT_AFTER = (10_000, 20, 20)


async def warm_up(
    *, controller: Controller | None = None, selector: Selector | None = None
) -> None:
    """Plan and select once by the given parts, whatever comes of it.

    What is down, or slow beyond `PATIENCE_S`, is left to the first request.
    """
    request = RecallRequest(query=QUESTION, now=datetime.now(UTC), session_id=NOBODY)
    try:
        async with asyncio.timeout(PATIENCE_S):
            plan = _plain(request)
            if controller is not None:
                plan = await controller.plan(NOBODY, NOBODY, request)
            if selector is not None:
                await selector.select(NOBODY, NOBODY, request, plan)
    except (LightMemError, TimeoutError) as exc:
        logger.info("not everything could be warmed up: %s", type(exc).__name__)


def spare_the_collector() -> None:
    """Let garbage collection pass over all that is loaded by now, and come less often.

    A recall makes thousands of objects that die with it. For a process that does nothing but serve:
    an application that embeds the system keeps its own ways.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _plain(request: RecallRequest) -> Plan:
    """A plan that asks every layer."""
    return Plan(
        queries=(PlannedQuery(request.query, 1.0, "query"),),
        time_range=None,
        entities=("Ana", "Lisbon"),
        layers=tuple(Layer),
    )
