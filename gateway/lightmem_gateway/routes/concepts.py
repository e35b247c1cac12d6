"""Concepts: what a tenant's users share."""

from typing import Annotated

from fastapi import Depends, Query

from lightmem_gateway.bodies import check_text_filter
from lightmem_gateway.concept_views import ConceptView, NeighbourView
from lightmem_gateway.dependencies import (
    CallerDep,
    GatewayDep,
    PagingDep,
    guarded_router,
    known_shape,
)
from lightmem_gateway.routes.answers import problems
from lightmem_gateway.views import PageView, page_view

router = guarded_router("concepts")

MAX_QUERY = 1_000


async def query_of(
    query: Annotated[
        str | None, Query(max_length=MAX_QUERY, description="Words of a name, or its meaning.")
    ] = None,
) -> str | None:
    """What is looked for."""
    return check_text_filter("query", query)


@router.get("/v1/concepts", responses=problems(503))
async def list_concepts(
    caller: CallerDep,
    paging: PagingDep,
    gateway: GatewayDep,
    query: Annotated[str | None, Depends(query_of)],
) -> PageView[ConceptView]:
    """List what enough users of the tenant say, strongest first, or what fits a query."""
    page = await gateway.concepts.search(
        caller.tenant_id, query, limit=paging.limit, cursor=paging.cursor
    )
    return page_view(page, ConceptView.of)


@router.get("/v1/concepts/{concept_id:segment}", responses=problems(404, 503))
async def get_concept(concept_id: str, caller: CallerDep, gateway: GatewayDep) -> ConceptView:
    """Read a concept with its edges."""
    known = known_shape("concept", concept_id)
    return ConceptView.of(await gateway.concepts.get(caller.tenant_id, known))


@router.get("/v1/concepts/{concept_id:segment}/neighbourhood", responses=problems(404, 503))
async def concept_neighbourhood(
    concept_id: str,
    caller: CallerDep,
    gateway: GatewayDep,
    depth: Annotated[int, Query(ge=1, le=2, description="Edges to go over.")] = 1,
) -> PageView[NeighbourView]:
    """Read a concept and what is around it, the concept itself first, then strongest first."""
    known = known_shape("concept", concept_id)
    found = await gateway.concepts.neighbourhood(caller.tenant_id, known, depth=depth)
    return PageView(items=[NeighbourView.reached(each) for each in found], next_cursor=None)
