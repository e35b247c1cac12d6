"""The way from the ledger into the index."""

from lightmem.indexing.filling import INDEXED, Indexing

__all__ = ["INDEXED", "Indexing"]
