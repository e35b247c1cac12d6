"""Pairs that change nothing, from the generator's conversations: what one person says over months.

Statements are drawn as the Writer draws them and held against those that it would hold them
against: the nearest by vector that the same person said before. Hardly anything is overtaken
there; plans and what the generator tells to have changed are left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lightmem.adapters.onnx import OnnxEncoder
from lightmem.domain.attributes import words_said
from lightmem.model import MemoryKind, Role, Turn
from lightmem_training.changes.pairs import Label, Pair
from lightmem_training.conversations import Conversation, said_at
from lightmem_writer.rules import extract_by_rules

#: As the Writer looks: so many memories, of at least this cosine.
NEAREST, FAR = 8, 0.3
#: Turns that are read at a time.
_READ = 8
#: Words of the generator's updates, and of an end of what may have been told before.
_CHANGED = re.compile(
    r"any ?more|no longer|used to|now it's|it's due|moved the|changed (?:the|my)|thought again"
    r"|grown to|change of habit|new rhythm|instead|gave up|given up|quit|left|over\b|former|old\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Told:
    words: str
    kind: MemoryKind
    speaker: str | None


def pairs_of(conversation: Conversation, encoder: OnnxEncoder, vectors: np.ndarray) -> list[Pair]:
    """The pairs of a conversation; `vectors` are those of `told_in`, one a statement."""
    told = told_in(conversation)
    likeness = vectors @ vectors.T  # (n, n)
    pairs: list[Pair] = []
    for place, new in enumerate(told):
        if _CHANGED.search(new.words) or new.kind is MemoryKind.PLAN:
            continue
        before = np.argsort(-likeness[place, :place], kind="stable")[:NEAREST]
        for other in before:
            known = told[other]
            if likeness[place, other] < FAR or known.speaker != new.speaker:
                continue
            if known.kind in {MemoryKind.PLAN} or known.words == new.words:
                continue
            pairs.append(Pair(known.words, new.words, Label.BOTH, f"talk.{known.kind}"))
    return pairs


def told_in(conversation: Conversation) -> list[_Told]:
    """What is told in a conversation, in the order it was said, without who says it."""
    told: list[_Told] = []
    for session in conversation.sessions:
        turns = [
            Turn(
                id=f"{session.session_id}-{place}",
                tenant_id="training",
                user_id=conversation.id,
                session_id=session.session_id,
                seq=place,
                role=Role.USER,
                content=said.content,
                speaker=said.speaker,
                occurred_at=said_at(said),
                recorded_at=said_at(said),
            )
            for place, said in enumerate(session.turns)
        ]
        for start in range(0, len(turns), _READ):
            told += _statements(turns[start : start + _READ])
    return told


def _statements(turns: Sequence[Turn]) -> Iterator[_Told]:
    by_id = {turn.id: turn for turn in turns}
    for statement in extract_by_rules(turns):
        speaker = by_id[statement.sources[0].turn_id].speaker
        words = statement.text[words_said(statement.text, speaker) :]
        yield _Told(words, statement.kind, speaker)
