"""A dream as a diff: what comes in green, what it replaces red and struck, and why it may not."""

from collections.abc import Iterator

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from lightmem.client import Dream, DreamStep
from lightmem.model import DreamStatus, Verdict

#: How the verdict of a step is told.
_VERDICTS = {
    Verdict.ACCEPTED: ("accepted", "green"),
    Verdict.REJECTED: ("refused", "yellow"),
    Verdict.ABORTED: ("aborted", "yellow"),
}


def dream_diff(dream: Dream) -> Group:
    """The whole dream, step by step."""
    return Group(Text(headline(dream), style="bold"), *(_step(one) for one in dream.steps))


def headline(dream: Dream) -> str:
    """One line: how the dream stands and what it comes to."""
    counts = dream.counts
    told = [
        f"dream {dream.id}",
        str(dream.status),
        f"{counts.get('accepted', 0)} of {len(dream.steps)} steps "
        + ("done" if dream.status is DreamStatus.APPLIED else "accepted"),
        f"{counts.get('removed_memories', 0)} memories fewer",
        f"{dream.model_calls} model calls",
    ]
    if dream.reason:
        told.append(dream.reason)
    return " · ".join(told)


def _step(step: DreamStep) -> Padding:
    lines = Text()
    word, colour = _VERDICTS[step.verdict]
    lines.append(f"{step.action}", style="bold")
    lines.append(f" {word}", style=colour)
    if step.reason:
        lines.append(f": {step.reason}", style=colour)
    lines.append(f"  [{step.id}]", style="dim")
    for sign, words, style in _changes(step):
        lines.append(f"\n  {sign} ")
        lines.append(words, style=style)
    return Padding(lines, (1, 0, 0, 0))


def _changes(step: DreamStep) -> Iterator[tuple[str, str, str]]:
    """(sign, words, style): what stands before, then what comes after."""
    after = step.after or {}
    stays = step.verdict is not Verdict.ACCEPTED or step.action == "PROMOTE"
    for memory in step.before:
        is_kept = stays or memory.text == after.get("text")
        if is_kept and memory.text == after.get("text") and not stays:
            continue
        yield ("·", memory.text, "dim") if is_kept else ("-", memory.text, "red strike")
    if "text" in after:
        yield "+", str(after["text"]), "dim" if stays else "green"
    elif "subject" in after:
        claim = f"{after['subject']} {after['relation']} {after['target']}"
        yield "+", claim, "green" if step.verdict is Verdict.ACCEPTED else "dim"
