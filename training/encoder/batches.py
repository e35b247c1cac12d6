"""Batches to learn from: questions to one conversation, their evidence, and turns that are none."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

QUESTIONS, TURNS = 12, 36
QUESTION_TOKENS, TURN_TOKENS = 24, 48
#: Turns of evidence that are taken of a question, and of all questions of a batch.
MOST_EVIDENCE, EVIDENCE_PLACES = 2, 22
#: Turns looked at for one that shares most words with a question; the last places are random.
LOOKED_AT, RANDOM_PLACES = 60, 6
NEVER_SAID = 5

_PLACE = re.compile(r"D:?(\d+):0*(\d+)")
_WORD = re.compile(r"[a-z]+")
_COMMON = frozenset(
    {
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "at",
        "is",
        "are",
        "was",
        "were",
        "did",
        "does",
        "do",
    }
    | {"has", "have", "had", "what", "when", "who", "which", "how", "where", "why", "whose"}
    | {"i", "you", "he", "she", "it", "my", "your", "his", "her"}
)


class Batch(NamedTuple):
    """Token ids and masks of questions and turns, which turns answer which question, and which
    questions have any there: (questions, turns) and (questions,).
    """

    questions: NDArray[np.int32]
    question_mask: NDArray[np.float32]
    turns: NDArray[np.int32]
    turn_mask: NDArray[np.float32]
    answers: NDArray[np.float32]
    counts: NDArray[np.float32]


@dataclass(slots=True)
class Asked:
    """A question and the numbers of the turns that its answer rests on.

    Numbers, since a set of them has the same order in every run.
    """

    text: str
    evidence: set[int]


@dataclass(slots=True)
class Conversations:
    """All turns, and by conversation the numbers of its turns and what is asked about it."""

    texts: list[str] = field(default_factory=list)
    turns: dict[str, list[int]] = field(default_factory=dict)
    asked: dict[str, list[Asked]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> "Conversations":
        """The conversations of a file of the generator."""
        read = cls()
        for sample in json.loads(file.read_text(encoding="utf-8")):
            read._add(sample)
        return read

    def _add(self, sample: dict[str, Any]) -> None:
        name, said = sample["sample_id"], sample["conversation"]
        number_of: dict[str, int] = {}
        session = 1
        while f"session_{session}_date_time" in said:
            for turn in said.get(f"session_{session}") or []:
                caption = turn.get("blip_caption")
                number_of[turn["dia_id"]] = len(self.texts)
                self.turns.setdefault(name, []).append(len(self.texts))
                self.texts.append(turn["text"] + (f"\n{caption}" if caption else ""))
            session += 1
        for entry in sample["qa"]:
            places = [f"D{a}:{b}" for a, b in _PLACE.findall(" ".join(entry.get("evidence", [])))]
            evidence = {number_of[place] for place in places if place in number_of}
            if evidence and entry["category"] != NEVER_SAID:
                self.asked.setdefault(name, []).append(Asked(entry["question"], evidence))


class Batches:
    """Endless batches, the same for the same seed."""

    def __init__(self, conversations: Conversations, tokenizer: Tokenizer, *, seed: int) -> None:
        self._from = conversations
        self._tokenizer = tokenizer
        self._random = random.Random(seed)
        self._words: dict[int, frozenset[str]] = {}

    def __iter__(self) -> Iterator[Batch]:
        names = list(self._from.asked)
        while True:
            name = self._random.choice(names)
            asked = self._from.asked[name]
            chosen = self._random.sample(asked, min(QUESTIONS, len(asked)))
            yield self._batch(chosen, self._turns(name, chosen))

    def _turns(self, name: str, chosen: Sequence[Asked]) -> list[int]:
        """Evidence, then what shares words with a question, then any turns."""
        taken: list[int] = []
        for question in chosen:
            evidence = list(question.evidence)
            self._random.shuffle(evidence)
            for turn in evidence[:MOST_EVIDENCE]:
                if turn not in taken and len(taken) < EVIDENCE_PLACES:
                    taken.append(turn)
        turns = self._from.turns[name]
        for question in chosen:
            if len(taken) >= TURNS - RANDOM_PLACES:
                break
            words = content_words(question.text)
            near = [
                turn
                for turn in self._random.sample(turns, min(LOOKED_AT, len(turns)))
                if turn not in taken
            ]
            if near:
                taken.append(max(near, key=lambda turn: len(words & self._words_of(turn))))
        for turn in self._random.sample(turns, len(turns)):
            if len(taken) >= TURNS:
                break
            if turn not in taken:
                taken.append(turn)
        return taken[:TURNS]

    def _batch(self, chosen: Sequence[Asked], turns: Sequence[int]) -> Batch:
        questions, question_mask = self._ids(
            [one.text for one in chosen], QUESTIONS, QUESTION_TOKENS
        )
        texts, turn_mask = self._ids([self._from.texts[one] for one in turns], TURNS, TURN_TOKENS)
        answers = np.zeros((QUESTIONS, TURNS), np.float32)
        for row, question in enumerate(chosen):
            answers[row, : len(turns)] = [turn in question.evidence for turn in turns]
        counts = (answers.sum(1) > 0).astype(np.float32)
        return Batch(questions, question_mask, texts, turn_mask, answers, counts)

    def _ids(
        self, texts: Sequence[str], rows: int, length: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        ids, mask = np.zeros((rows, length), np.int32), np.zeros((rows, length), np.float32)
        for row, text in enumerate(texts):
            tokens = self._tokenizer.encode(text).ids[:length]
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
        # A row of nothing still needs a token to look at.
        mask[len(texts) :, 0] = 1
        return ids, mask

    def _words_of(self, turn: int) -> frozenset[str]:
        if turn not in self._words:
            self._words[turn] = content_words(self._from.texts[turn])
        return self._words[turn]


def content_words(text: str) -> frozenset[str]:
    """The words of a text less the commonest."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON
