"""Who dreams, and who looks for those whose time has come."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from lightmem.bootstrap.models import open_dream_model
from lightmem.bootstrap.stores import Finding
from lightmem.forgetting import ForgottenValues
from lightmem.model import DreamPolicy
from lightmem.ports import LanguageModel, Ledger, Tokenizer
from lightmem.ports.dreams import DreamTimes
from lightmem.settings import Settings

if TYPE_CHECKING:
    from lightmem_consolidator import DreamMemories, LookForDreams


def open_dreaming(
    stack: AsyncExitStack,
    settings: Settings,
    *,
    ledger: Ledger,
    finding: Finding,
    forgotten: ForgottenValues,
    tokenizer: Tokenizer,
    model: LanguageModel | None,
) -> "DreamMemories":
    """The Consolidator over these parts."""
    from lightmem_consolidator import DreamLimits, DreamMemories, ProposeSteps

    propose = ProposeSteps(
        open_dream_model(stack, settings, model),
        count_tokens=tokenizer.count,
        concurrency=settings.dream_concurrency,
        timeout_s=settings.model_timeout_s,
        most_tokens=settings.dream_tokens,
    )
    limits = DreamLimits(
        memories=settings.dream_memories,
        pressed_from=pressed_from(settings),
        attempts=settings.job_attempts,
        claim_s=settings.model_timeout_s + settings.job_lease_s,
    )
    return DreamMemories(
        ledger=ledger,
        index=finding.index,
        encoder=finding.encoder,
        propose=propose,
        limits=limits,
        forgotten=forgotten,
    )


def look_for_dreams(settings: Settings, ledger: Ledger) -> "LookForDreams | None":
    """Who asks for dreams by itself; None where nobody is to."""
    from lightmem_consolidator import LookForDreams

    if settings.dreams == "off":
        return None
    times = DreamTimes(
        every_turns=settings.dream_every_turns,
        idle_s=settings.dream_idle_s,
        pressed_from=pressed_from(settings),
    )
    return LookForDreams(
        ledger, times=times, policy=DreamPolicy(settings.dreams), every_s=settings.dream_look_s
    )


def pressed_from(settings: Settings) -> int:
    """From how many active memories on a user's memory is nearly full."""
    return int(settings.memory_capacity * 0.9)
