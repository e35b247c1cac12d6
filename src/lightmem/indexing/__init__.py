"""The way from the ledger into the index."""

from lightmem.indexing.filling import Indexing

__all__ = ["Indexing"]
