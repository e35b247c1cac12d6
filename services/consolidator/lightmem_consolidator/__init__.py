"""The Consolidator: dreams while nobody waits, and shows a dream before it is done."""

from lightmem_consolidator.decay import Decay
from lightmem_consolidator.dream import DreamLimits, DreamMemories
from lightmem_consolidator.look import LookForDreams
from lightmem_consolidator.near import FindNear
from lightmem_consolidator.promote import Promote
from lightmem_consolidator.propose import ProposeSteps

__all__ = [
    "Decay",
    "DreamLimits",
    "DreamMemories",
    "FindNear",
    "LookForDreams",
    "Promote",
    "ProposeSteps",
]
