"""Quality with dreams beside quality without: the same questions to two copies of one memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lightmem.settings import Settings
from lightmem_evaluation.dreaming import Dreamt, copied, dream_over
from lightmem_evaluation.lightmem_system import LightMemSystem
from lightmem_evaluation.locomo import Conversation
from lightmem_evaluation.measuring import Measured, evidence_in_context, measure_context
from lightmem_evaluation.opened import opened
from lightmem_evaluation.report import say
from lightmem_evaluation.scoring import CUTS, by_category, differences, given, interval, ranked
from lightmem_evaluation.update_cases import Story
from lightmem_evaluation.updates import Answered, ask_all, summed_up, tell_all

#: What is compared of a story, question by question.
_PARTS = ("is_right", "is_first", "is_dated", "is_one")


async def quality(conversations: Sequence[Conversation], folder: Path) -> dict[str, Any]:
    """Evidence recall of both, by category, with the paired differences."""
    settings = Settings(data_dir=folder / "awake", dreams="off")
    async with opened(settings) as system:
        built = LightMemSystem(system)
        for conversation in conversations:
            await built.build(conversation)
    say("quality: built")
    # As after a month in which nothing was recalled.
    dreaming = settings.model_copy(
        update={"data_dir": copied(settings.data_dir, "dreamt"), "dream_unused_days": 0}
    )
    without, _ = await _asked(built, conversations, settings, dreams=False)
    having, dreamt = await _asked(built, conversations, dreaming, dreams=True)
    assert dreamt is not None
    return {
        "without": by_category(without.rankings, given),
        "with": by_category(having.rankings, given),
        "difference": differences(having.rankings, without.rankings, given),
        "difference_as_applications_ask": differences(having.at_five, without.at_five, given),
        "evidence_in_context": {
            "without": evidence_in_context(without),
            "with": evidence_in_context(having),
        },
        "context_tokens": {"without": _tokens(without), "with": _tokens(having)},
        "dreams": dreamt.body(),
        "active": {"before": dreamt.active_before, "after": dreamt.active_after},
    }


async def _asked(
    built: LightMemSystem,
    conversations: Sequence[Conversation],
    settings: Settings,
    *,
    dreams: bool,
) -> tuple[Measured, Dreamt | None]:
    async with opened(settings) as system:
        dreamt = None
        if dreams:
            dreamt = await dream_over(system, [one.id for one in conversations])
            say(f"quality: dreamt, {dreamt.body()['fewer']:.1%} fewer active memories")
        lightmem = built.over(system)
        measured = Measured()
        for conversation in conversations:
            for question in conversation.questions:
                found = await lightmem.search(conversation, question, k=max(CUTS))
                measured.rankings.append(ranked(question, found))
        await measure_context(lightmem, conversations, measured)
        say(f"quality: asked {'with' if dreams else 'without'} dreams")
        return measured, dreamt


def _tokens(measured: Measured) -> float:
    tokens = [answer.context_tokens for answer in measured.answers]
    return round(sum(tokens) / max(1, len(tokens)), 1)


async def stories(told: Sequence[Story], folder: Path) -> dict[str, Any]:
    """The update stories, asked of a memory that dreamt and of one that did not."""
    settings = Settings(data_dir=folder / "awake", dreams="off")
    async with opened(settings) as system:
        await tell_all(system, told)
    dreaming = settings.model_copy(update={"data_dir": copied(settings.data_dir, "dreamt")})
    async with opened(settings) as system:
        without = await ask_all(system, told)
    async with opened(dreaming) as system:
        dreamt = await dream_over(system, [story.id for story in told])
        having = await ask_all(system, told)
    return {
        "without": summed_up(without)["groups"],
        "with": summed_up(having)["groups"],
        "difference": _story_differences(having, without),
        "dreams": dreamt.body(),
    }


def _story_differences(
    having: Sequence[Answered], without: Sequence[Answered]
) -> dict[str, dict[str, Any]]:
    """By kind of story, what dreams changed of each part, with intervals."""
    kinds = ["all", *dict.fromkeys(one.kind for one in having)]
    found: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        pairs = [
            pair for pair in zip(having, without, strict=True) if kind in {"all", pair[0].kind}
        ]
        found[kind] = {"n": len(pairs)}
        for part in _PARTS:
            changes = [float(getattr(a, part)) - float(getattr(b, part)) for a, b in pairs]
            found[kind][part] = round(sum(changes) / len(changes), 4)
            found[kind][f"{part}_interval"] = interval(changes)
    return found
