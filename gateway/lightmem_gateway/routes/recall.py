"""Recall: what is relevant now."""

from lightmem.telemetry import current_trace_id
from lightmem_gateway.bodies import RecallBody
from lightmem_gateway.dependencies import GatewayDep, UserDep, guarded_router
from lightmem_gateway.recall_views import ExplainedRecallView, RecallView
from lightmem_gateway.routes.answers import problems

router = guarded_router("recall")


@router.post(
    "/v1/users/{user_id:segment}/recall",
    response_model=ExplainedRecallView | RecallView,
    responses=problems(400, 404, 413, 415),
)
async def recall(user: UserDep, body: RecallBody, gateway: GatewayDep) -> RecallView:
    """Find what bears on a question. Answers, marked `degraded`, with any part down."""
    request = body.to_request(gateway.clock.now())
    found = await gateway.recall(user.tenant_id, user.user_id, request)
    view = ExplainedRecallView if body.explain else RecallView
    return view.of(found, trace_id=current_trace_id())
