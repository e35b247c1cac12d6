"""The gateway's app: routes, handlers and middleware over opened services."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match

from lightmem.bootstrap import Services
from lightmem.errors import LightMemError
from lightmem.telemetry import configure_tracing
from lightmem.warming import QUESTION, warm_up
from lightmem_gateway.documentation import page_of
from lightmem_gateway.gateway import make_gateway
from lightmem_gateway.middleware import RequestContext
from lightmem_gateway.problems import answer_error, answer_http, answer_validation
from lightmem_gateway.routes import (
    admin,
    chat,
    concepts,
    dreams,
    health,
    memories,
    operations,
    recall,
    tombstones,
    turns,
    upkeep,
    users,
)
from lightmem_gateway.routes.answers import Problem

ROUTERS = (
    turns.router,
    recall.router,
    chat.router,
    memories.router,
    dreams.router,
    concepts.router,
    tombstones.router,
    operations.router,
    users.router,
    upkeep.router,
    admin.router,
    health.router,
)

DESCRIPTION = (
    "Long-term memory for LLM applications: say what was said, ask what is relevant now. "
    "Times are RFC 3339 with an offset. Errors are problem+json."
)


def create_app(services: Services) -> FastAPI:
    """The app over opened services. Its lifespan runs the embedded worker, if there is one."""
    configure_tracing("lightmem-gateway", otlp_endpoint=services.settings.otlp_endpoint)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await _warm_up(services)
        if services.worker is not None:
            await services.worker.start()
        # Where other processes dream, their schedule looks for whom.
        looking = services.look_for_dreams if services.queue is None else None
        if looking is not None:
            await looking.start(gateway.notify)
        await gateway.uses.start()
        try:
            yield
        finally:
            await gateway.uses.stop()
            if looking is not None:
                await looking.stop()
            await gateway.remember.settle()
            await gateway.forget.settle()
            await gateway.portability.settle()
            if services.worker is not None:
                await services.worker.stop()

    gateway = make_gateway(services)
    app = _make_app(lifespan)
    app.state.gateway = gateway
    return app


async def _warm_up(services: Services) -> None:
    """What the first request would have to wait for."""
    services.lexical.document(QUESTION, window=True)
    services.tokenizer.count(QUESTION)
    await services.short_term.check()
    await warm_up(controller=services.controller, selector=services.selector)


def describe() -> dict[str, Any]:
    """The OpenAPI document, which needs no services."""
    return _make_app(None).openapi()


def _make_app(lifespan: Any) -> FastAPI:
    app = FastAPI(
        title="LightMem-SLM",
        version=version("lightmem-slm"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        strict_content_type=False,
        separate_input_output_schemas=False,
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False},
        exception_handlers={
            LightMemError: answer_error,
            RequestValidationError: answer_validation,
            HTTPException: answer_refusal,
        },
    )
    app.add_middleware(RequestContext)
    for router in ROUTERS:
        app.include_router(router)
    _document(app)
    return app


async def answer_refusal(request: Request, error: Exception) -> Response:
    """Answer an unknown path or method, naming all methods that the path has."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        methods = {
            method
            for router in ROUTERS
            for route in router.routes
            if route.matches(request.scope)[0] is not Match.NONE
            for method in getattr(route, "methods", ())
        }
        error.headers = {"Allow": ", ".join(sorted(methods))} if methods else error.headers
    return await answer_http(request, error)


def _document(app: FastAPI) -> None:
    """Serve the documentation as one page of our own, which fetches nothing from elsewhere."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        schemas = document["components"]["schemas"]
        schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schemas["Problem"].pop("$defs", {}))
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        return document

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page_of(app.openapi()))
