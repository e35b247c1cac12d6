"""The Selector over gRPC: decode, select, encode."""

from typing import Any

import grpc
from grpc.aio import ServicerContext

from lightmem.adapters.grpc import convert
from lightmem.adapters.grpc.errors import answering
from lightmem.adapters.grpc.tracing import continued_trace
from lightmem.ports import Selector
from lightmem.rpc.v1 import selector_pb2, selector_pb2_grpc

SERVICE = "lightmem.rpc.v1.SelectorService"


class SelectorServicer(selector_pb2_grpc.SelectorServiceServicer):
    """Answers `Select` with at most K items for a plan."""

    def __init__(self, selector: Selector) -> None:
        self._selector = selector

    async def Select(
        self,
        request: selector_pb2.SelectRequest,
        context: "ServicerContext[Any, Any]",
    ) -> selector_pb2.SelectResponse:
        with continued_trace("selector.select", context):
            async with answering(context):
                selection = await self._selector.select(
                    request.tenant_id,
                    request.user_id,
                    convert.request_from_pb(request.request),
                    convert.plan_from_pb(request.plan),
                )
                return convert.selection_to_pb(selection)


def add_selector(selector: Selector, server: grpc.aio.Server) -> None:
    """Register the Selector with a server."""
    selector_pb2_grpc.add_SelectorServiceServicer_to_server(SelectorServicer(selector), server)
