"""The Selector: finds candidates for a plan and chooses at most K of them."""

from lightmem_selector.select import SelectMemories
from lightmem_selector.weights import Weights

__all__ = ["SelectMemories", "Weights"]
