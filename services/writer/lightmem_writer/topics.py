"""Where a conversation turns to another topic: where its meaning and its words both change.

Each gap between two turns is looked at from both sides, a few turns each. Embeddings tell how far
the meaning of one side is from the other's; the content words that both share tell how the words
hold together. A gap is a boundary where both together have a valley: lower than on either side, as
in TextTiling (Hearst 1997), and deeper than most valleys of this conversation. Whoever greets, or
has just said goodbye, opens another one, so such a gap needs less of a valley.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.grounding import content_words
from lightmem.model import Turn

#: Turns on either side of a gap that are held against each other.
SIDE = 3
#: Gaps over which scores are averaged: one turn that says little is no valley.
SMOOTHED = 3
#: A valley counts when it is deeper than the mean depth and so many standard deviations.
DEEPER_BY = 1.0
#: Standard deviations of depth that a greeting is worth, and a goodbye before it.
GREETED = 2.0
#: Words that so large a share of the turns has, and so many, tell no topics apart.
COMMON, LEAST_COMMON = 0.3, 6
#: Distances between boundaries: nobody changes the topic with every turn.
LEAST_TURNS = 3

_ASKING = ("?", "？")
_GREETING = re.compile(
    r"^\W*(?:hey|hi|hello|yo\b|good (?:morning|evening|afternoon)|what['’]?s up|long time|hola"
    r"|buenas|buenos d[ií]as|oye|qu[eé] tal|你好|嗨|早|喂|好久不见)",
    re.IGNORECASE,
)
_GOODBYE = re.compile(
    r"\b(?:bye|see (?:you|ya)|talk (?:to you )?(?:soon|later)|take care|catch you|good night"
    r"|adi[oó]s|hasta (?:luego|pronto|mañana)|nos vemos|cu[ií]date|hablamos)\b"
    r"|再见|拜拜|回头聊|晚安|下次聊",
    re.IGNORECASE,
)

Vectors = Mapping[str, NDArray[np.float32]]


def cohesion(turns: Sequence[Turn], vectors: Vectors) -> NDArray[np.float64]:
    """How strongly each gap holds together, in [0, 1]: shape (turns - 1, 2), meaning and words.

    Without a vector on both sides of a gap its meaning is as its words.
    """
    words = _telling_words(turns)
    scores = np.zeros((max(0, len(turns) - 1), 2))
    for gap in range(len(turns) - 1):
        before = range(max(0, gap + 1 - SIDE), gap + 1)
        after = range(gap + 1, min(len(turns), gap + 1 + SIDE))
        lexical = _shared([words[at] for at in before], [words[at] for at in after])
        meaning = _alike(
            [vectors[turns[at].id] for at in before if turns[at].id in vectors],
            [vectors[turns[at].id] for at in after if turns[at].id in vectors],
        )
        scores[gap] = (lexical if meaning is None else meaning, lexical)
    return scores


def boundaries(turns: Sequence[Turn], vectors: Vectors) -> list[int]:
    """Places of the turns that begin another topic, in order; never the first."""
    return deep_valleys(cohesion(turns, vectors), turns)


def deep_valleys(
    scores: NDArray[np.float64], turns: Sequence[Turn], *, greetings: bool = True
) -> list[int]:
    """Places of the turns after the gaps where the scores have a deep valley, deepest first served.

    What answers a question is on its topic, so none begins there.

    Args:
        scores: One row a gap and one column a way of looking at it.
        greetings: Whether a greeting, and a goodbye, speak for another topic.
    """
    depths = valley_depths(_smoothed(scores))
    if not depths.size:
        return []
    spread = np.maximum(depths.std(axis=0), 1e-9)
    deep = ((depths - depths.mean(axis=0)) / spread).mean(axis=1)
    greeted = _greeted(turns) if greetings else np.zeros(len(deep))
    deep += GREETED * greeted
    is_deep = deep > deep.mean() + DEEPER_BY * deep.std()
    # Other words for the same thing are no other topic, unless people meet again.
    is_deep &= (depths > 0).all(axis=1) | (greeted > 0)
    is_deep &= [not turn.content.rstrip().endswith(_ASKING) for turn in turns[:-1]]
    chosen: list[int] = []
    for gap in np.argsort(-deep, kind="stable"):
        if is_deep[gap] and all(abs(int(gap) + 1 - other) >= LEAST_TURNS for other in chosen):
            chosen.append(int(gap) + 1)
    return sorted(chosen)


def _smoothed(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each score averaged with its neighbours; the same shape. A few gaps stay as they are."""
    near = SMOOTHED // 2 if len(scores) >= SMOOTHED * SMOOTHED else 0
    windows = [scores[max(0, gap - near) : gap + near + 1] for gap in range(len(scores))]
    return np.array([window.mean(axis=0) for window in windows]).reshape(scores.shape)


def _greeted(turns: Sequence[Turn]) -> NDArray[np.float64]:
    """How many signs there are at each gap that people meet again: 0, 1 or 2."""
    return np.array(
        [
            float(_GREETING.match(after.content) is not None)
            + float(_GOODBYE.search(before.content) is not None)
            for before, after in pairwise(turns)
        ]
    )


def valley_depths(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each score lies below the peaks on both sides of it; the same shape."""
    depths = np.zeros_like(scores)
    for column in range(scores.shape[1] if scores.size else 0):
        row = scores[:, column]
        for gap in range(len(row)):
            depths[gap, column] = _climb(row[gap::-1]) + _climb(row[gap:])
    return depths


def _climb(row: NDArray[np.float64]) -> float:
    """How far it goes up from the first score until it goes down again."""
    top = float(row[0])
    for score in row[1:]:
        if score < top:
            break
        top = float(score)
    return top - float(row[0])


def _telling_words(turns: Sequence[Turn]) -> list[Counter[str]]:
    """The content words of each turn, without those that many of the turns have."""
    words = [Counter(content_words(turn.content)) for turn in turns]
    spread = Counter(word for counted in words for word in counted)
    common = {
        word for word, count in spread.items() if count > max(LEAST_COMMON, COMMON * len(turns))
    }
    return [
        Counter({word: count for word, count in counted.items() if word not in common})
        for counted in words
    ]


def _shared(before: Sequence[Counter[str]], after: Sequence[Counter[str]]) -> float:
    """Cosine of the word counts of both sides, each dampened."""
    one, other = sum(before, Counter[str]()), sum(after, Counter[str]())
    if not one or not other:
        return 0.0
    dot = sum(np.sqrt(one[word] * other[word]) for word in one.keys() & other.keys())
    return float(dot / np.sqrt(one.total() * other.total()))


def _alike(
    before: Sequence[NDArray[np.float32]], after: Sequence[NDArray[np.float32]]
) -> float | None:
    """Cosine of the mean vectors of both sides; None when a side has none."""
    if not before or not after:
        return None
    one, other = np.mean(before, axis=0), np.mean(after, axis=0)
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    return max(0.0, float(one @ other) / scale) if scale else 0.0
