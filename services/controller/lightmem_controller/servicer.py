"""The Controller over gRPC: decode, plan, encode."""

from typing import Any

import grpc
from grpc.aio import ServicerContext

from lightmem.adapters.grpc import convert
from lightmem.adapters.grpc.errors import answering
from lightmem.adapters.grpc.tracing import continued_trace
from lightmem.ports import Controller
from lightmem.rpc.v1 import controller_pb2, controller_pb2_grpc

SERVICE = "lightmem.rpc.v1.ControllerService"


class ControllerServicer(controller_pb2_grpc.ControllerServiceServicer):
    """Answers `Plan` with how to go about a question."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    async def Plan(
        self,
        request: controller_pb2.PlanRequest,
        context: "ServicerContext[Any, Any]",
    ) -> controller_pb2.PlanResponse:
        with continued_trace("controller.plan", context):
            async with answering(context):
                plan = await self._controller.plan(
                    request.tenant_id,
                    request.user_id,
                    convert.request_from_pb(request.request),
                )
                return controller_pb2.PlanResponse(plan=convert.plan_to_pb(plan))


def add_controller(controller: Controller, server: grpc.aio.Server) -> None:
    """Register the Controller with a server."""
    controller_pb2_grpc.add_ControllerServiceServicer_to_server(
        ControllerServicer(controller), server
    )
