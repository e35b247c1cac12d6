"""A service asks its parts once before it is asked."""

import pytest

from lightmem.errors import ControllerUnavailable, SelectorUnavailable
from lightmem.model import Layer, Plan, RecallRequest, Selection
from lightmem.warming import NOBODY, warm_up
from lightmem_controller import PlanRecall


class Selecting:
    """Remembers the plans that it was asked for, and raises what it was made with."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.plans: list[Plan] = []

    async def select(
        self, tenant_id: str, user_id: str, request: RecallRequest, plan: Plan
    ) -> Selection:
        assert tenant_id == user_id == NOBODY
        self.plans.append(plan)
        if self.error is not None:
            raise self.error
        return Selection(items=())


class Down:
    """A Controller that does not answer."""

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        raise ControllerUnavailable("down")


@pytest.mark.parametrize("controller", [PlanRecall(model=None), None])
async def test_every_layer_and_the_graph_are_asked_once(controller: PlanRecall | None) -> None:
    selector = Selecting()

    await warm_up(controller=controller, selector=selector)

    [plan] = selector.plans
    assert set(plan.layers) == set(Layer)
    assert plan.entities


async def test_what_is_down_keeps_nothing_from_starting() -> None:
    await warm_up(controller=Down())
    await warm_up(selector=Selecting(SelectorUnavailable("down")))
