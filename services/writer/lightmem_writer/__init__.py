"""The Writer: turns what was said into memories that say no more than that."""

from lightmem_writer.echo import IndexedMemories
from lightmem_writer.extract import ExtractStatements
from lightmem_writer.learn import LearnTurns
from lightmem_writer.reconciling import ReconcileStatements

__all__ = ["ExtractStatements", "IndexedMemories", "LearnTurns", "ReconcileStatements"]
