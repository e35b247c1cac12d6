"""The Writer over gRPC: decode, extract, encode."""

from typing import Any

import grpc
from grpc.aio import ServicerContext

from lightmem.adapters.grpc import convert
from lightmem.adapters.grpc.errors import answering
from lightmem.adapters.grpc.tracing import continued_trace
from lightmem.ports import Writer
from lightmem.rpc.v1 import writer_pb2, writer_pb2_grpc

SERVICE = "lightmem.rpc.v1.WriterService"


class WriterServicer(writer_pb2_grpc.WriterServiceServicer):
    """Answers `Extract` with the statements of one segment."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    async def Extract(
        self,
        request: writer_pb2.ExtractRequest,
        context: "ServicerContext[Any, Any]",
    ) -> writer_pb2.ExtractResponse:
        with continued_trace("writer.extract", context):
            async with answering(context):
                tenant_id, user_id = request.tenant_id, request.user_id
                extraction = await self._writer.extract(
                    tenant_id,
                    user_id,
                    [convert.turn_from_pb(tenant_id, user_id, turn) for turn in request.turns],
                    [convert.turn_from_pb(tenant_id, user_id, turn) for turn in request.context],
                )
                return convert.extraction_to_pb(extraction)


def add_writer(writer: Writer, server: grpc.aio.Server) -> None:
    """Register the Writer with a server."""
    writer_pb2_grpc.add_WriterServiceServicer_to_server(WriterServicer(writer), server)
