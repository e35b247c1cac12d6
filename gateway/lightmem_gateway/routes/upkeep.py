"""The audit trail of a tenant, and the look over the whole installation."""

from lightmem_gateway.dependencies import (
    AdminDep,
    GatewayDep,
    IdempotencyDep,
    PagingDep,
    TenantDep,
    guarded_router,
)
from lightmem_gateway.routes.admin import INSTALLATION
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.upkeep_views import AuditView, DoctorBody, ReportView
from lightmem_gateway.views import PageView, page_view

router = guarded_router("upkeep")

#: A look over many users takes its time.
DOCTOR_LEASE_S = 3600.0


@router.get("/v1/audit", responses=problems(403))
async def list_audit(
    caller: TenantDep, paging: PagingDep, gateway: GatewayDep
) -> PageView[AuditView]:
    """Read who changed what, oldest first, in one chain of hashes for the tenant."""
    page = await gateway.ledger.list_audit(
        caller.tenant_id, limit=paging.limit, cursor=paging.cursor
    )
    return page_view(page, AuditView.of)


@router.post("/v1/admin/doctor", responses=problems(403, 409))
async def run_doctor(
    _: AdminDep, body: DoctorBody, idempotency: IdempotencyDep, gateway: GatewayDep
) -> ReportView:
    """Hold index, graph and short-term memory against the ledger; rebuild from it if asked."""

    async def look() -> dict[str, object]:
        report = await gateway.doctor(repair=body.repair)
        return ReportView.of(report).model_dump(mode="json")

    answer = await gateway.once(INSTALLATION, idempotency, look, lease_s=DOCTOR_LEASE_S)
    return ReportView.model_validate(answer)
