"""Memories made of the sentences of turns, word for word, without a Writer: many of them, soon."""

import random
from collections.abc import Sequence

from lightmem.client import SaidTurn
from lightmem.domain.fingerprint import fingerprint
from lightmem.domain.sentences import split_sentences
from lightmem.model import (
    AddMemory,
    Extraction,
    JobKind,
    MemoryKind,
    NewTurn,
    Outcome,
    Role,
    Source,
    Statement,
    Turn,
    TurnOutcome,
)
from lightmem_evaluation.opened import Opened

#: Turns that one write brings.
A_WRITE = 100
LEASE_S = 600.0


def drawn(turns: Sequence[SaidTurn], sentences: int, seed: int) -> list[SaidTurn]:
    """Turns drawn by chance until they have so many sentences."""
    order = list(turns)
    random.Random(seed).shuffle(order)
    return first(order, sentences)


def first(turns: Sequence[SaidTurn], sentences: int) -> list[SaidTurn]:
    """The first turns that have so many sentences."""
    chosen: list[SaidTurn] = []
    found = 0
    for turn in turns:
        if found >= sentences:
            break
        chosen.append(turn)
        found += len(split_sentences(turn.content))
    return chosen


async def learn_sentences(
    system: Opened, user_id: str, turns: Sequence[SaidTurn], *, indexed: bool
) -> None:
    """Let each sentence be a memory; `indexed` ones are searched, their turns are not.

    Args:
        system: Opened without a worker, which would learn from the turns as well.
    """
    ledger, now = system.services.ledger, system.services.clock.now()
    for start in range(0, len(turns), A_WRITE):
        said = [
            NewTurn(Role.USER, one.content, one.occurred_at or now, speaker=one.speaker)
            for one in turns[start : start + A_WRITE]
        ]
        accepted = await ledger.append_turns(
            system.tenant_id, user_id, f"said-{start}", said, actor="measure"
        )
        await ledger.commit_writing(
            system.tenant_id,
            user_id,
            accepted.operation.id,
            changes=[memory for turn in accepted.turns for memory in _memories(turn)],
            outcomes=[TurnOutcome(turn.id, Outcome.STORED) for turn in accepted.turns],
            extraction=Extraction(()),
        )
        await _work(system, indexed=indexed)


def _memories(turn: Turn) -> list[AddMemory]:
    found = []
    for sentence in split_sentences(turn.content):
        text = f"{turn.speaker}: {sentence.text}" if turn.speaker else sentence.text
        sources = [Source(turn.id, sentence.text)]
        said = Statement(text, MemoryKind.FACT, "en", (), sources)
        found.append(AddMemory(said, fingerprint(text)))
    return found


async def _work(system: Opened, *, indexed: bool) -> None:
    """Do what indexes memories, and leave the rest undone."""
    services = system.services
    while jobs := await services.ledger.lease_jobs(list(JobKind), limit=50, lease_s=LEASE_S):
        for job in jobs:
            if indexed and job.kind is JobKind.INDEX_MEMORIES:
                await services.runner.attend(job, lease_s=LEASE_S)
            else:
                await services.ledger.complete_job(job.id)
