"""Answers of recall and chat: values of the domain as JSON, each in one place."""

from datetime import datetime

from lightmem.model import Candidate, Item, Plan, Recall, TimeRange
from lightmem_gateway.views import View


class ItemView(View):
    """A recalled piece."""

    id: str
    layer: str
    kind: str
    text: str
    score: float
    speaker: str | None
    occurred_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    source_turn_ids: list[str]

    @classmethod
    def of(cls, item: Item) -> "ItemView":
        """The view of an item."""
        return cls(
            id=item.id,
            layer=item.layer,
            kind=item.kind,
            text=item.text,
            score=item.score,
            speaker=item.speaker,
            occurred_at=item.occurred_at,
            valid_from=item.valid_from,
            valid_to=item.valid_to,
            source_turn_ids=list(item.source_turn_ids),
        )


class QueryView(View):
    """One thing that was searched for, and the rule that made it."""

    text: str
    weight: float
    rule: str


class PlanView(View):
    """How a recall was answered: `queries` are all that was searched for.

    `time_range` is empty when the question names no time.
    """

    queries: list[QueryView]
    time_range: dict[str, str | None]
    entities: list[str]
    layers: list[str]
    source: str

    @classmethod
    def of(cls, plan: Plan) -> "PlanView":
        """The view of a plan."""
        return cls(
            queries=[
                QueryView(text=query.text, weight=query.weight, rule=query.rule)
                for query in plan.queries
            ],
            time_range=_time_range(plan.time_range),
            entities=list(plan.entities),
            layers=list(plan.layers),
            source=plan.source,
        )


def _time_range(span: TimeRange | None) -> dict[str, str | None]:
    if span is None:
        return {}
    return {
        "from": _rfc_3339(span.start),
        "to": _rfc_3339(span.end),
        "precision": span.precision,
    }


def _rfc_3339(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment is not None else None


class RecallView(View):
    """What is relevant now, and the text to put before the model."""

    items: list[ItemView]
    context: str
    context_tokens: int
    tokenizer: str
    plan: PlanView
    degraded: list[str]
    timings_ms: dict[str, float]
    trace_id: str

    @classmethod
    def of(cls, recall: Recall, *, trace_id: str) -> "RecallView":
        """The view of a finished recall."""
        return cls(
            items=[ItemView.of(item) for item in recall.items],
            context=recall.context,
            context_tokens=recall.context_tokens,
            tokenizer=recall.tokenizer,
            plan=PlanView.of(recall.plan),
            degraded=list(recall.degraded),
            timings_ms=dict(recall.timings_ms),
            trace_id=trace_id,
        )


class CandidateView(View):
    """An item that was considered: its ranks and features, and why it was chosen or not."""

    item: ItemView
    features: dict[str, float]
    reason: str

    @classmethod
    def of(cls, candidate: Candidate) -> "CandidateView":
        """The view of a candidate."""
        return cls(
            item=ItemView.of(candidate.item),
            features=dict(candidate.features),
            reason=candidate.reason,
        )


class ExplainedRecallView(RecallView):
    """A recall with all that was considered."""

    candidates: list[CandidateView]

    @classmethod
    def of(cls, recall: Recall, *, trace_id: str) -> "ExplainedRecallView":
        """The view of a finished recall and its candidates."""
        plain = RecallView.of(recall, trace_id=trace_id)
        return cls(
            **{name: getattr(plain, name) for name in RecallView.model_fields},
            candidates=[CandidateView.of(candidate) for candidate in recall.candidates],
        )


class ChatView(View):
    """An answer given with memory. `recall` is null when memory was not asked for."""

    answer: str
    model: str
    recall: RecallView | None
    operation_id: str
    timings_ms: dict[str, float]
