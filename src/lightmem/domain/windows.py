"""What the index sees of a turn: its words, its speaker, and the turns around it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lightmem.domain.forgetting import says_nothing
from lightmem.model import NewTurn, Role, Turn

Embedding = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Window:
    """A turn and, in order, all turns of its window, itself included."""

    turn: Turn
    turns: Sequence[Turn] = field(repr=False)


def windows_of(turns: Sequence[Turn], asked: frozenset[str]) -> list[Window]:
    """Windows of the turns asked for and of those beside them; `turns` are in session order."""
    windows = []
    for position, turn in enumerate(turns):
        around = [
            other
            for other in turns[max(position - 1, 0) : position + 2]
            if other.session_id == turn.session_id and abs(other.seq - turn.seq) <= 1
        ]
        is_touched = any(other.id in asked for other in around)
        if is_touched and is_indexed(turn):
            windows.append(Window(turn, [other for other in around if is_indexed(other)]))
    return windows


def is_indexed(turn: Turn) -> bool:
    """Whether a turn is found at all: not a system prompt, nor one of which nothing is left."""
    return turn.role is not Role.SYSTEM and not says_nothing(turn.content)


def dense_text(turn: Turn | NewTurn) -> str:
    """What is embedded of a turn: its words, and the caption of a picture that came with it."""
    caption = turn.metadata.get("caption")
    return f"{turn.content}\n{caption}" if isinstance(caption, str) and caption else turn.content


def lexical_text(turn: Turn) -> str:
    """What is found by word: as embedded, and who said it."""
    text = dense_text(turn)
    return f"{turn.speaker}: {text}" if turn.speaker else text


def mean_direction(vectors: Sequence[Embedding]) -> Embedding:
    """The direction between unit vectors, as a unit vector; the middle one if they cancel out."""
    total = np.sum(vectors, axis=0)
    norm = float(np.linalg.norm(total))
    mean: Embedding = total / np.float32(norm) if norm > 1e-6 else vectors[len(vectors) // 2]
    return mean
