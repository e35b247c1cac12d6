"""The Consolidator: dreams while nobody waits, and shows a dream before it is done."""

from lightmem_consolidator.dream import DreamLimits, DreamMemories
from lightmem_consolidator.look import LookForDreams
from lightmem_consolidator.propose import ProposeSteps

__all__ = ["DreamLimits", "DreamMemories", "LookForDreams", "ProposeSteps"]
