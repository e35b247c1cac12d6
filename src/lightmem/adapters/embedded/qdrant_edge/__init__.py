"""The index of turns and memories on Qdrant Edge: the server's engine in this process."""

from lightmem.adapters.embedded.qdrant_edge.index import QdrantEdgeIndex

__all__ = ["QdrantEdgeIndex"]
