"""A stand-in for a Qdrant server, for tests across processes where no real server can be had.

It serves, over gRPC and on the client's own service definitions, exactly the calls that the
project makes, and answers them by the same engine in process (`qdrant-edge-py`): what it says
about scores and filters is the engine's word, what it says about a server's limits, queues and
errors is not. The suites that use it also run against a real server when
`LIGHTMEM_TEST_QDRANT_URL` is set. Collections are kept in `--path` and survive a restart.

    PYTHONPATH=tests python -m support.qdrant_standin --port 6334 --path DIR
"""

import argparse
import json
import shutil
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import grpc
import qdrant_edge as edge
from qdrant_client import grpc as qdrant

from support.qdrant_messages import (
    edge_config,
    edge_filter,
    edge_index,
    edge_point,
    edge_query,
    edge_update_mode,
    payload_fields,
    record_message,
    scored_message,
)

S = TypeVar("S")


class Missing(Exception):
    """There is no such collection."""


class Collection:
    """One shard and the request that made it, in a folder."""

    def __init__(self, path: Path, created: qdrant.CreateCollection) -> None:
        self.created = created
        self._path = path
        files = path / "shard"
        if files.is_dir():
            self.shard = edge.EdgeShard.load(str(files))
        else:
            files.mkdir(parents=True)
            self.shard = edge.EdgeShard.create(str(files), edge_config(created))
            (path / "created.bin").write_bytes(created.SerializeToString())

    @classmethod
    def found(cls, path: Path) -> "Collection":
        """The collection that a folder holds."""
        return cls(path, qdrant.CreateCollection.FromString((path / "created.bin").read_bytes()))

    def close(self) -> None:
        """Flush and release the shard."""
        self.shard.flush()
        self.shard.close()

    def remove(self) -> None:
        """Delete the collection with its files."""
        self.shard.close()
        shutil.rmtree(self._path)


class Store:
    """All collections of a folder; one call at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Lock()
        self._collections = {
            collection.created.collection_name: collection
            for collection in map(Collection.found, sorted(path.iterdir()))
        }

    def __getitem__(self, name: str) -> Collection:
        if name not in self._collections:
            raise Missing(name)
        return self._collections[name]

    def has(self, name: str) -> bool:
        """Whether there is such a collection."""
        return name in self._collections

    def create(self, request: qdrant.CreateCollection) -> None:
        """Make a collection, which must not be there."""
        name = request.collection_name
        self._collections[name] = Collection(self._path / quote(name, safe=""), request)

    def delete(self, name: str) -> bool:
        """Remove a collection; False when there was none."""
        collection = self._collections.pop(name, None)
        if collection is not None:
            collection.remove()
        return collection is not None

    def close(self) -> None:
        """Flush and release every collection."""
        with self.lock:
            for collection in self._collections.values():
                collection.close()
            self._collections.clear()


def served(method: Callable[[S, Any], Any]) -> Callable[[S, Any, grpc.ServicerContext], Any]:
    """A call that runs alone and answers a missing collection as the server does."""

    @wraps(method)
    def call(self: S, request: Any, context: grpc.ServicerContext) -> Any:
        store: Store = self.store  # type: ignore[attr-defined]
        try:
            with store.lock:
                return method(self, request)
        except Missing as exc:
            context.abort(grpc.StatusCode.NOT_FOUND, f"Collection `{exc}` doesn't exist!")
        except FileExistsError as exc:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"Collection `{exc}` already exists!")
        except Exception as exc:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(exc))

    return call


class Collections(qdrant.CollectionsServicer):
    """Makes, shows and removes collections."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @served
    def Create(self, request: Any) -> Any:
        if self.store.has(request.collection_name):
            raise FileExistsError(request.collection_name)
        self.store.create(request)
        return qdrant.CollectionOperationResponse(result=True)

    @served
    def Delete(self, request: Any) -> Any:
        return qdrant.CollectionOperationResponse(result=self.store.delete(request.collection_name))

    @served
    def CollectionExists(self, request: Any) -> Any:
        exists = self.store.has(request.collection_name)
        return qdrant.CollectionExistsResponse(result=qdrant.CollectionExists(exists=exists))

    @served
    def Get(self, request: Any) -> Any:
        collection = self.store[request.collection_name]
        config = qdrant.CollectionConfig(metadata=collection.created.metadata)
        info = qdrant.CollectionInfo(
            status=qdrant.CollectionStatus.Green,
            config=config,
            points_count=collection.shard.info().points_count,
        )
        return qdrant.GetCollectionInfoResponse(result=info)


class Points(qdrant.PointsServicer):
    """Puts, deletes, counts, reads and finds points."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def _update(self, name: str, operation: edge.UpdateOperation) -> Any:
        self.store[name].shard.update(operation)
        completed = qdrant.UpdateResult(status=qdrant.UpdateStatus.Completed)
        return qdrant.PointsOperationResponse(result=completed)

    @served
    def CreateFieldIndex(self, request: Any) -> Any:
        operation = edge.UpdateOperation.create_field_index(request.field_name, edge_index(request))
        return self._update(request.collection_name, operation)

    @served
    def Upsert(self, request: Any) -> Any:
        points = [edge_point(point) for point in request.points]
        operation = edge.UpdateOperation.upsert_points(
            points, update_mode=edge_update_mode(request)
        )
        return self._update(request.collection_name, operation)

    @served
    def Delete(self, request: Any) -> Any:
        if request.points.HasField("filter"):
            operation = edge.UpdateOperation.delete_points_by_filter(
                edge_filter(request.points.filter)
            )
        else:
            ids: list[Any] = [point.uuid for point in request.points.points.ids]
            operation = edge.UpdateOperation.delete_points(ids)
        return self._update(request.collection_name, operation)

    @served
    def Count(self, request: Any) -> Any:
        shard = self.store[request.collection_name].shard
        count = shard.count(
            edge.CountRequest(exact=request.exact, filter=edge_filter(request.filter))
        )
        return qdrant.CountResponse(result=qdrant.CountResult(count=count))

    @served
    def Facet(self, request: Any) -> Any:
        found = self.store[request.collection_name].shard.facet(
            edge.FacetRequest(
                request.key,
                limit=request.limit,
                exact=request.exact,
                filter=edge_filter(request.filter),
            )
        )
        return qdrant.FacetResponse(
            hits=[
                qdrant.FacetHit(
                    value=qdrant.FacetValue(string_value=str(hit.value)), count=hit.count
                )
                for hit in found.hits
            ]
        )

    @served
    def Scroll(self, request: Any) -> Any:
        records, following = self.store[request.collection_name].shard.scroll(
            edge.ScrollRequest(
                offset=request.offset.uuid if request.HasField("offset") else None,
                limit=request.limit,
                filter=edge_filter(request.filter),
                with_payload=payload_fields(request.with_payload),
                with_vector=list(request.with_vectors.include.names) or request.with_vectors.enable,
            )
        )
        return qdrant.ScrollResponse(
            next_page_offset=None if following is None else qdrant.PointId(uuid=str(following)),
            result=[record_message(record) for record in records],
        )

    @served
    def Get(self, request: Any) -> Any:
        records = self.store[request.collection_name].shard.retrieve(
            [point.uuid for point in request.ids],
            payload_fields(request.with_payload),
            list(request.with_vectors.include.names) or request.with_vectors.enable,
        )
        return qdrant.GetResponse(result=[record_message(record) for record in records])

    @served
    def QueryBatch(self, request: Any) -> Any:
        batch = edge.QueryBatchRequest([edge_query(query) for query in request.query_points])
        answers = self.store[request.collection_name].shard.query_batch(batch)
        return qdrant.QueryBatchResponse(
            result=[
                qdrant.BatchResult(result=[scored_message(hit) for hit in answer])
                for answer in answers
            ]
        )


class Service(qdrant.QdrantServicer):
    """Says that it is there, and the version of the API that it speaks."""

    def __init__(self, version: str) -> None:
        self._version = version

    def HealthCheck(self, request: Any, context: grpc.ServicerContext) -> Any:
        return qdrant.HealthCheckReply(title="qdrant stand-in", version=self._version)


class StandIn:
    """The stand-in, serving in threads of this process; port 0 takes a free one."""

    def __init__(self, path: Path, *, port: int = 0, version: str = "1.20.0") -> None:
        self._store = Store(path)
        size = 64 * 2**20
        self._server = grpc.server(
            ThreadPoolExecutor(4),
            options=[
                ("grpc.max_receive_message_length", size),
                ("grpc.max_send_message_length", size),
                ("grpc.so_reuseport", 0),
            ],
        )
        # The generated functions carry no types.
        generated: Any = qdrant
        generated.add_CollectionsServicer_to_server(Collections(self._store), self._server)
        generated.add_PointsServicer_to_server(Points(self._store), self._server)
        generated.add_QdrantServicer_to_server(Service(version), self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")
        self._server.start()

    def stop(self) -> None:
        """Finish the calls at hand and flush."""
        self._server.stop(grace=5).wait()
        self._store.close()


def main() -> None:
    """Serve until told to stop; prints the port once it answers."""
    parser = argparse.ArgumentParser(description="Qdrant stand-in for tests")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port")
    parser.add_argument("--path", type=Path, required=True)
    arguments = parser.parse_args()
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    standin = StandIn(arguments.path, port=arguments.port)
    print(json.dumps({"port": standin.port}), flush=True)
    stopped.wait()
    standin.stop()


if __name__ == "__main__":
    main()
