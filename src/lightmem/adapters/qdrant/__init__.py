"""The index of turns and memories on a Qdrant server."""

from lightmem.adapters.qdrant.index import QdrantIndex

__all__ = ["QdrantIndex"]
