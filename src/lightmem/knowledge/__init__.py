"""Walking the long-term graph: concepts with their edges, and what is around them."""

from lightmem.knowledge.anonymity import Anonymity
from lightmem.knowledge.explore import around, with_edges

__all__ = ["Anonymity", "around", "with_edges"]
