"""The gateway's recall put together here, with another ranker or other ports than the services'."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from lightmem.bootstrap import Services
from lightmem.model import RecallMode, RecallRequest
from lightmem.ports import Controller, Encoder, MemoryIndex, Ranker
from lightmem_evaluation.lightmem_system import BUDGET, WIDE_BUDGET, LightMemSystem
from lightmem_evaluation.locomo import Conversation, Question
from lightmem_evaluation.opened import Opened
from lightmem_evaluation.systems import Found
from lightmem_gateway.recalling import RecallMemory
from lightmem_gateway.surroundings import FindSurroundings
from lightmem_selector import SelectMemories
from lightmem_selector.features import NAMES, VERSION
from lightmem_training.cross_validation import rankers_of_others
from lightmem_training.pools import NEVER_SAID, gather_of, question_of

LINEAR = "linear"
#: Quality is measured by this and not time: no part is left out because a machine is busy.
PATIENCE_S = 60.0


def ranker_of(name_or_folder: str) -> Ranker | None:
    """A ranker as the settings name it; None for the linear ranking."""
    from lightmem.adapters.onnx import open_ranker  # noqa: PLC0415  (a driver)

    if name_or_folder == LINEAR:
        return None
    return open_ranker(name_or_folder, features_version=VERSION, columns=NAMES)


def recall_over(
    services: Services,
    *,
    ranker: Ranker | None,
    controller: Controller | None = None,
    index: MemoryIndex | None = None,
    encoder: Encoder | None = None,
) -> RecallMemory:
    """The gateway's own use case; what is not given is the services'."""
    selector = SelectMemories(
        index=index or services.index,
        encoder=encoder or services.encoder,
        lexical=services.lexical,
        short_term=services.short_term,
        graph=services.graph,
        coarse_pool=services.settings.coarse_pool,
        ranker=ranker,
        patience_s=PATIENCE_S,
    )
    return RecallMemory(
        controller=controller or services.controller,
        selector=selector,
        tokenizer=services.tokenizer,
        short_term=services.short_term,
        lexical=services.lexical,
        surroundings=FindSurroundings(ledger=services.ledger, short_term=services.short_term),
    )


async def ask(
    recall: RecallMemory,
    system: Opened,
    lightmem: LightMemSystem,
    conversation: Conversation,
    question: Question,
    *,
    k: int,
    budget: int = WIDE_BUDGET,
    mode: RecallMode = RecallMode.FAST,
) -> Found:
    """One question to a conversation that LightMem has built."""
    now = conversation.ended_at or system.services.clock.now()
    request = RecallRequest(query=question.text, now=now, top_k=k, budget_tokens=budget, mode=mode)
    answer = await recall(system.tenant_id, conversation.id, request)
    items = [lightmem.places(item.source_turn_ids) for item in answer.items]
    return Found(items, answer.timings_ms, answer.context_tokens)


class CrossValidatedSystem:
    """LightMem with, for each conversation, a ranker that was trained on the others.

    Shows what training on the data of the test is worth; such weights are not shipped. The linear
    ranking stands in where the others teach nothing.

    Args:
        lightmem: Has built the conversations.
        folder: Takes the weights.
    """

    name = "lightmem-cross-validated"

    def __init__(self, system: Opened, lightmem: LightMemSystem, folder: Path) -> None:
        self._system = system
        self._lightmem = lightmem
        self._folder = folder
        self._recalls: dict[str, RecallMemory] = {}

    async def train(self, conversations: Sequence[Conversation]) -> None:
        """Train a ranker for each conversation on the pools of the others' questions."""
        services = self._system.services
        gather = gather_of(services)
        questions = []
        for conversation in conversations:
            for asked in conversation.questions:
                evidence = self._lightmem.turn_ids(conversation, asked.evidence)
                if evidence and asked.category != NEVER_SAID:
                    questions.append(
                        await question_of(
                            services,
                            gather,
                            self._system.tenant_id,
                            conversation,
                            asked=asked,
                            evidence=evidence,
                        )
                    )
        names = [conversation.id for conversation in conversations]
        rankers = await asyncio.to_thread(rankers_of_others, names, questions, self._folder)
        self._recalls = {name: recall_over(services, ranker=rankers.get(name)) for name in names}

    async def build(self, conversation: Conversation) -> None:
        """Nothing: LightMem has built it, and `train` the ranker."""

    async def search(self, conversation: Conversation, question: Question, *, k: int) -> Found:
        """Recall at `k`, the budget wide enough that it cuts nothing off before `k`."""
        recall = self._recalls[conversation.id]
        return await ask(recall, self._system, self._lightmem, conversation, question, k=k)

    async def context(self, conversation: Conversation, question: Question) -> Found:
        """Recall as an application asks for it."""
        recall = self._recalls[conversation.id]
        return await ask(
            recall, self._system, self._lightmem, conversation, question, k=5, budget=BUDGET
        )

    def size_bytes(self) -> int:
        """As LightMem."""
        return self._lightmem.size_bytes()
