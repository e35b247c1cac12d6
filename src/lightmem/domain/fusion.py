"""Joining the scores of several views of the same items into one.

Each view's scores are stretched to [0, 1] over its own pool and then added with weights. What
the scores say beyond their order stays: rank fusion throws it away.
"""

from collections.abc import Mapping


def min_max(scores: Mapping[str, float], *, is_cut: bool = True) -> dict[str, float]:
    """Scores stretched to [0, 1]: the best of the pool is 1; all are 1 when equal.

    Args:
        scores: A view's scores by id.
        is_cut: There was more than the pool holds, so its worst is where 0 lies. A pool that
            holds all has its 0 where nothing matches: in a pool of two, the second is not 0.
    """
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if not is_cut:
        low = min(low, 0.0)
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Place of each key from 1, best first; equal scores by key."""
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return {key: place for place, key in enumerate(ordered, start=1)}
