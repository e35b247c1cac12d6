"""`python -m lightmem_evaluation.segments`: how well changes of topic are found.

The turns of a conversation are laid end to end, without their times and sessions, and what the
Writer takes for the beginning of another topic (all signs) is held against where one is known to
begin: with each session of a real conversation, with each episode of a generated one. Beside it
stand what is found without greetings, what meaning alone and words alone find, and cuts at even
distances, as many as are right.

Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002) are errors, lower is better;
F1 counts a boundary as found within one turn of where it is.
"""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from lightmem.adapters.onnx import open_encoder
from lightmem.model import Role, Turn
from lightmem.ports import Encoder
from lightmem.settings import Settings
from lightmem_evaluation.locomo import Conversation, Repairs, dialogue_id, load
from lightmem_evaluation.metadata import data, metadata
from lightmem_evaluation.output import write_results
from lightmem_writer.topics import Vectors, cohesion, deep_valleys

#: A boundary is found when it is so near, in turns.
NEAR = 1
_WHEN = datetime(2024, 1, 1, tzinfo=UTC)
MEASURES = ("pk", "window_diff", "precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation end to end, with the places of the turns that begin a topic."""

    turns: Sequence[Turn]
    topics: Sequence[int]


def laid_end_to_end(conversation: Conversation, begins: set[str]) -> Talk:
    """The turns as one session; `begins` are names of turns, else each session's first."""
    turns: list[Turn] = []
    topics: list[int] = []
    for session in conversation.sessions:
        for place, said in enumerate(session.turns):
            name = dialogue_id(said)
            if turns and (name in begins if begins else not place):
                topics.append(len(turns))
            turns.append(_turn(name, len(turns), said.speaker, said.content))
    return Talk(turns, topics)


def _turn(name: str, place: int, speaker: str | None, content: str) -> Turn:
    return Turn(name, "t", "u", "s", place + 1, Role.USER, content, _WHEN, _WHEN, speaker=speaker)


# --- scores -------------------------------------------------------------------------------------


def scores(found: Sequence[int], right: Sequence[int], turns: int) -> dict[str, float]:
    """All measures of one conversation."""
    window = max(2, round(turns / (len(right) + 1) / 2))
    pairs = range(turns - window)
    counts = [(_within(found, at, window), _within(right, at, window)) for at in pairs]
    met = _met(found, right)
    precision = met / len(found) if found else 0.0
    recall = met / len(right) if right else 0.0
    return {
        "pk": sum((one > 0) != (other > 0) for one, other in counts) / len(counts),
        "window_diff": sum(one != other for one, other in counts) / len(counts),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if met else 0.0,
    }


def _within(boundaries: Sequence[int], at: int, window: int) -> int:
    return sum(at < boundary <= at + window for boundary in boundaries)


def _met(found: Sequence[int], right: Sequence[int]) -> int:
    """Boundaries found, each meeting one that is right and no other."""
    free, met = set(right), 0
    for boundary in found:
        near = sorted(free & set(range(boundary - NEAR, boundary + NEAR + 1)))
        if near:
            free.discard(min(near, key=lambda other: abs(other - boundary)))
            met += 1
    return met


# --- ways ---------------------------------------------------------------------------------------


def ways(talk: Talk, vectors: Vectors) -> dict[str, list[int]]:
    """The boundaries that each way of looking finds."""
    held = cohesion(talk.turns, vectors)
    step = len(talk.turns) / (len(talk.topics) + 1)
    return {
        "all signs": deep_valleys(held, talk.turns),
        "meaning and words": deep_valleys(held, talk.turns, greetings=False),
        "meaning alone": deep_valleys(held[:, :1], talk.turns, greetings=False),
        "words alone": deep_valleys(held[:, 1:], talk.turns, greetings=False),
        "even distances": [round(step * number) for number in range(1, len(talk.topics) + 1)],
        "none": [],
    }


async def vectors_of(encoder: Encoder, turns: Sequence[Turn]) -> Vectors:
    """An embedding of each turn as the index keeps it: with who said it."""
    texts = [f"{turn.speaker}: {turn.content}" if turn.speaker else turn.content for turn in turns]
    encoded = await encoder.encode(texts)
    return {turn.id: vector for turn, vector in zip(turns, encoded, strict=True)}


async def measure(files: Sequence[Path]) -> dict[str, Any]:
    """Every way on every file, averaged over its conversations."""
    encoder = open_encoder(Settings().encoder, threads=Settings().cpus)
    sets = {}
    for file in files:
        conversations = load(file, None, Repairs())
        begins = _begins(file)
        of_way: dict[str, list[dict[str, float]]] = {}
        for conversation in conversations:
            talk = laid_end_to_end(conversation, begins.get(conversation.id, set()))
            vectors = await vectors_of(encoder, talk.turns)
            for way, found in ways(talk, vectors).items():
                of_way.setdefault(way, []).append(scores(found, talk.topics, len(talk.turns)))
        sets[file.stem] = {
            "data": data(file, conversations),
            "topics_begin_with": "an episode" if begins else "a session",
            "ways": {way: _mean(each) for way, each in of_way.items()},
        }
    encoder.close()
    return {"sets": sets, "metadata": metadata()}


def _begins(file: Path) -> dict[str, set[str]]:
    """Names of the turns that begin a topic, by conversation, where the data say so."""
    samples = json.loads(file.read_text(encoding="utf-8"))
    return {one["sample_id"]: set(one["topics"]) for one in samples if "topics" in one}


def _mean(each: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([one[name] for one in each])), 3) for name in MEASURES}


Show = Callable[[str], None]


def show(found: dict[str, Any], say: Show) -> None:
    """A line a way."""
    for name, measured in found["sets"].items():
        say(f"{name}: a topic begins with {measured['topics_begin_with']}")
        for way, values in measured["ways"].items():
            say(f"  {way:<20}" + "  ".join(f"{key} {value:.3f}" for key, value in values.items()))


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    found = asyncio.run(measure(wanted.data))
    write_results(wanted.out, found)
    show(found, print)


if __name__ == "__main__":
    main()
