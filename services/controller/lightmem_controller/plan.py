"""Planning a recall: what to search for, about which time, about whom, and in which layers."""

from lightmem.domain.asking import wants_of
from lightmem.domain.limits import check_recall
from lightmem.model import Layer, Plan, RecallMode, RecallRequest
from lightmem.ports import LanguageModel
from lightmem_controller.dates import dates_in, time_range
from lightmem_controller.entities import entities_in
from lightmem_controller.imagine import Imagined, imagine
from lightmem_controller.queries import the_question
from lightmem_controller.rules import planned_by_rules


class PlanRecall:
    """Plans by rules, and in `mode=deep` with the small model's help; keeps `ports.Controller`.

    Args:
        model: Asked in `deep` alone; None when none is configured.
        model_timeout_s: How long it may take in all. Below the callers' own deadline, so that
            they get the plan by rules and not an error.
    """

    def __init__(self, *, model: LanguageModel | None = None, model_timeout_s: float = 1.5) -> None:
        self._model = model
        self._model_timeout_s = model_timeout_s

    async def plan(self, tenant_id: str, user_id: str, request: RecallRequest) -> Plan:
        """The plan for a question. `fast` makes no generative call.

        Raises:
            InvalidInput: the request is outside the limits.
        """
        check_recall(request)
        dates = dates_in(request)
        entities = tuple(entities_in(request.query, dates))
        is_deep = request.mode is RecallMode.DEEP
        by_rules = planned_by_rules(request.query, entities, is_deep=is_deep)
        imagined = Imagined()
        if is_deep:
            imagined = await imagine(self._model, request, timeout_s=self._model_timeout_s)
        return Plan(
            queries=(the_question(request.query), *by_rules, *imagined.queries),
            time_range=time_range(dates),
            entities=entities,
            # In the order of the layers, each once, whatever the caller's order was.
            layers=tuple(layer for layer in Layer if layer in request.layers),
            source="slm" if imagined.queries else "rules",
            degraded=() if imagined.degraded is None else (imagined.degraded,),
            model_calls=imagined.model_calls,
            wants=wants_of(request.query),
        )
