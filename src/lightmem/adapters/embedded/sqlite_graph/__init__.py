"""The long-term graph in one SQLite file: the embedded twin of Neo4j."""

from lightmem.adapters.embedded.sqlite_graph.graph import SqliteKnowledgeGraph

__all__ = ["SqliteKnowledgeGraph"]
