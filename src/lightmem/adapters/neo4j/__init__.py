"""The long-term graph in Neo4j, through its own async driver over Bolt."""

from lightmem.adapters.neo4j.graph import Neo4jKnowledgeGraph
from lightmem.adapters.neo4j.schema import EMBEDDING_DIM

__all__ = ["EMBEDDING_DIM", "Neo4jKnowledgeGraph"]
