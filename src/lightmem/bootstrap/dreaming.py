"""Who dreams, and who looks for those whose time has come."""

from contextlib import AsyncExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

from lightmem.bootstrap.models import open_dream_model
from lightmem.bootstrap.stores import Finding
from lightmem.forgetting import ForgottenValues
from lightmem.model import DreamPolicy
from lightmem.ports import Clock, LanguageModel, Ledger, Tokenizer
from lightmem.ports.dreams import DreamTimes, Promoter
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
    promoter: Promoter,
) -> "DreamMemories":
    """The Consolidator over these parts."""
    from lightmem_consolidator import DreamLimits, DreamMemories, FindNear, ProposeSteps

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
        unused_for=timedelta(days=settings.dream_unused_days),
        attempts=settings.job_attempts,
        claim_s=settings.model_timeout_s + settings.job_lease_s,
    )
    return DreamMemories(
        ledger=ledger,
        near=FindNear(index=finding.index, encoder=finding.encoder),
        propose=propose,
        limits=limits,
        forgotten=forgotten,
        promoter=promoter,
    )


def make_promoter(ledger: Ledger, finding: Finding, *, clock: Clock, secret: bytes) -> Promoter:
    """What brings general knowledge into the graph that a tenant's users share."""
    from lightmem.adapters.vocabulary import open_vocabulary
    from lightmem_consolidator import Promote

    return Promote(
        ledger=ledger,
        graph=finding.graph,
        encoder=finding.encoder,
        clock=clock,
        secret=secret,
        vocabulary=open_vocabulary(),
    )


def look_for_dreams(
    settings: Settings, ledger: Ledger, finding: Finding, *, clock: Clock
) -> "LookForDreams":
    """Who asks for dreams by itself, unless nobody is to, and lets what is shared fade."""
    from lightmem_consolidator import Decay, LookForDreams

    times = DreamTimes(
        every_turns=settings.dream_every_turns,
        idle_s=settings.dream_idle_s,
        pressed_from=pressed_from(settings),
    )
    return LookForDreams(
        ledger,
        times=times,
        policy=None if settings.dreams == "off" else DreamPolicy(settings.dreams),
        every_s=settings.dream_look_s,
        decay=Decay(graph=finding.graph, clock=clock),
    )


def pressed_from(settings: Settings) -> int:
    """From how many active memories on a user's memory is nearly full."""
    return int(settings.memory_capacity * 0.9)
