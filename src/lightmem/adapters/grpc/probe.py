"""Ask a service's health: `python -m lightmem.adapters.grpc.probe [HOST:PORT]` exits 0 or 1.

What containers and start scripts run to see that a role serves. Without an argument it asks the
port of `LIGHTMEM_RPC_ADDRESS` on this machine.
"""

import sys

import grpc
from grpc_health.v1 import health_pb2

from lightmem.settings import Settings

TIMEOUT_S = 3.0


def is_serving(address: str) -> bool:
    """Whether the health service at `HOST:PORT` says SERVING within the timeout."""
    with grpc.insecure_channel(address) as channel:
        ask = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            answer = ask(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def main() -> int:
    """0 when the service serves, else 1."""
    own = f"127.0.0.1:{Settings().rpc_address.rpartition(':')[2]}"
    return 0 if is_serving(sys.argv[1] if len(sys.argv) > 1 else own) else 1


if __name__ == "__main__":
    sys.exit(main())
