"""Whether the process lives, whether the system can serve, and the numbers."""

from fastapi import APIRouter, Request, Response

from lightmem.errors import Unavailable
from lightmem.telemetry import OUTBOX_JOBS, metrics_text
from lightmem_gateway.auth import authenticate, require_admin
from lightmem_gateway.dependencies import GatewayDep
from lightmem_gateway.gateway import Gateway
from lightmem_gateway.readiness import ReadinessView
from lightmem_gateway.routes.answers import problems

router = APIRouter(tags=["health"])

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Answer while the process is alive."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: {"model": ReadinessView}})
async def readyz(gateway: GatewayDep, response: Response) -> ReadinessView:
    """Say how each dependency stands. 503 only where nothing can be stored nor found."""
    view = await gateway.readiness()
    response.headers["Cache-Control"] = "no-store"
    if view.status == "down":
        response.status_code = 503
    return view


@router.get("/metrics", response_class=Response, responses=problems(403))
async def metrics(request: Request, gateway: GatewayDep) -> Response:
    """The numbers in the text format of Prometheus, for an admin key."""
    require_admin(await authenticate(request))
    return await metrics_response(gateway)


async def metrics_response(gateway: Gateway) -> Response:
    """The numbers, with the outbox counted now if the ledger answers."""
    try:
        pending = await gateway.ledger.pending_jobs()
    except Unavailable:
        pending = {}
    for kind, count in pending.items():
        OUTBOX_JOBS.labels(kind).set(count)
    return Response(metrics_text(), media_type=METRICS_TYPE)
