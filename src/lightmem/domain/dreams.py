"""What a dream comes to in numbers."""

from collections.abc import Sequence

from lightmem.model import DreamAction, DreamStep, Verdict


def counts_of(steps: Sequence[DreamStep]) -> dict[str, int]:
    """How many steps there are by verdict and by action, and by how many memories fewer.

    `removed_memories`: of the accepted steps, how many memories leave for each that comes.
    """
    accepted = [step for step in steps if step.verdict is Verdict.ACCEPTED]
    counts = {"steps": len(steps)}
    counts |= {each.value: sum(step.verdict is each for step in steps) for each in Verdict}
    counts |= {
        each.value.lower(): sum(step.action is each for step in accepted) for each in DreamAction
    }
    counts["removed_memories"] = sum(_fewer(step) for step in accepted)
    return counts


def _fewer(step: DreamStep) -> int:
    match step.action:
        case DreamAction.MERGE | DreamAction.UPDATE:
            return len(step.before) - 1
        case DreamAction.FORGET:
            return len(step.before)
        case DreamAction.PROMOTE:
            return 0
