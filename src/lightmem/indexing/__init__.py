"""The way from the ledger into the index."""

from lightmem.indexing.filling import Indexing
from lightmem.indexing.learnt import INDEXED

__all__ = ["INDEXED", "Indexing"]
