"""Proposals: what a dream might do, by rules where it is certain and by a model where it is not.

Groups go to the model in batches, one call each; what rules settle, and what shows no sign of
saying the same, costs no call. Where there is no model, or it fails, the rules' steps are all.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from lightmem.errors import InvalidModelOutput, ModelUnavailable
from lightmem.model import Completion, DreamAction, DreamCost, PlannedStep, SuggestedClaim
from lightmem.ports import LanguageModel
from lightmem_consolidator.group import Group
from lightmem_consolidator.known import Known
from lightmem_consolidator.prompts import (
    ProposedClaim,
    ProposedStep,
    batch_messages,
    batch_schema,
    parse_proposal,
)
from lightmem_consolidator.rules import certain_steps, merged, updated

logger = logging.getLogger(__name__)

#: Cosine of two memories from which a model is asked about them.
WORTH_ASKING = 0.7
#: Memories of one call, and room for its answer.
NOTES_A_CALL = 12
ANSWER_TOKENS_A_NOTE, MAX_ANSWER_TOKENS = 80, 1024


#: Makes a dream's claim last longer.
Renew = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Steps that are still to be checked, and what they cost."""

    steps: Sequence[PlannedStep]
    cost: DreamCost
    #: What the model thinks is so in general.
    claims: Sequence[SuggestedClaim] = ()
    #: Why the model did not propose, where it was asked to.
    reason: str | None = None


@dataclass(slots=True)
class _Answered:
    """What one call brought."""

    steps: list[PlannedStep] = field(default_factory=list)
    claims: list[SuggestedClaim] = field(default_factory=list)
    completion: Completion | None = None
    reason: str | None = None


class ProposeSteps:
    """Proposes steps for groups.

    Args:
        model: None proposes by rules alone.
        count_tokens: Counts what a call would read, for the estimate.
        concurrency: Batches asked about at the same time.
        timeout_s: Within which the model answers a batch.
        most_tokens: A dream whose estimate is above this asks about fewer batches.
    """

    def __init__(
        self,
        model: LanguageModel | None,
        *,
        count_tokens: Callable[[str], int],
        concurrency: int = 1,
        timeout_s: float = 120.0,
        most_tokens: int = 50_000,
    ) -> None:
        self._model = model
        self._count_tokens = count_tokens
        self._concurrency = concurrency
        self._timeout_s = timeout_s
        self._most_tokens = most_tokens

    async def propose(self, groups: Sequence[Group], renew: Renew) -> Proposed:
        """The rules' steps of each group, then the model's.

        Args:
            renew: Called before each call, for a dream must not outlive its claim.
        """
        certain = [certain_steps(group) for group in groups]
        steps = [step for some in certain for step in some]
        open_groups = [
            left
            for group, settled in zip(groups, certain, strict=True)
            if (left := _left_of(group, settled)) is not None
        ]
        if self._model is None or not open_groups:
            return Proposed(steps, DreamCost())
        batches = list(batches_of(open_groups))
        batches, estimated = self._affordable(batches)
        turns = asyncio.Semaphore(self._concurrency)
        answers = await asyncio.gather(
            *[self._ask(self._model, batch, turns, renew) for batch in batches]
        )
        steps += [step for answer in answers for step in answer.steps]
        claims = [claim for answer in answers for claim in answer.claims]
        cost = _cost(answers, len(batches), estimated)
        return Proposed(steps, cost, claims, _reason(answers))

    def _affordable(self, batches: list[list[Group]]) -> tuple[list[list[Group]], int]:
        """As many batches as the budget pays for, and the tokens that they are thought to take."""
        total = 0
        for count, batch in enumerate(batches):
            read = sum(self._count_tokens(each.content) for each in batch_messages(batch))
            price = read + _answer_tokens(batch)
            if total + price > self._most_tokens:
                logger.info("a dream leaves %d batches out", len(batches) - count)
                return batches[:count], total
            total += price
        return batches, total

    async def _ask(
        self, model: LanguageModel, batch: Sequence[Group], turns: asyncio.Semaphore, renew: Renew
    ) -> _Answered:
        memories = [one for group in batch for one in group.memories]
        answered = _Answered()
        async with turns:
            await renew()
            try:
                answered.completion = await model.complete(
                    batch_messages(batch),
                    max_tokens=_answer_tokens(batch),
                    timeout_s=self._timeout_s,
                    schema=batch_schema(len(memories)),
                )
                proposed = parse_proposal(answered.completion.text, memories)
            except ModelUnavailable as exc:
                logger.warning("dreaming by rules: %s", exc.message)
                answered.reason = "the model did not answer; rules alone proposed"
            except InvalidModelOutput:
                answered.reason = "the model answered outside the schema; rules alone proposed"
            else:
                answered.steps = [_step(one, memories) for one in proposed.steps]
                answered.claims = [_claim(one, memories) for one in proposed.claims]
        return answered


def batches_of(groups: Sequence[Group]) -> Sequence[list[Group]]:
    """The groups in batches of at most `NOTES_A_CALL` memories, whole groups together."""
    batches: list[list[Group]] = []
    size = 0
    for group in groups:
        if not batches or size + len(group.memories) > NOTES_A_CALL:
            batches.append([])
            size = 0
        batches[-1].append(group)
        size += len(group.memories)
    return batches


def _left_of(group: Group, settled: Sequence[PlannedStep]) -> Group | None:
    """What rules left of a group, if it is worth a call: two memories that are near enough."""
    used = {one.memory_id for step in settled for one in step.before}
    left = [one for one in group.memories if one.id not in used]
    if len(left) < 2 or group.nearness < WORTH_ASKING:
        return None
    return Group(left, group.nearness)


def _step(proposed: ProposedStep, memories: Sequence[Known]) -> PlannedStep:
    """What a proposal amounts to; order and evidence are the code's to say."""
    chosen = [memories[number - 1] for number in dict.fromkeys(proposed.notes)]
    text = " ".join(proposed.text.split())
    match proposed.action:
        case "MERGE":
            return merged(chosen, text)
        case "UPDATE":
            return updated(chosen, text)
        case "FORGET":
            turn_ids = list(dict.fromkeys(each for one in chosen for each in one.turn_ids))
            return PlannedStep(DreamAction.FORGET, [one.ref for one in chosen], evidence=turn_ids)


def _claim(proposed: ProposedClaim, memories: Sequence[Known]) -> SuggestedClaim:
    chosen = [memories[number - 1].memory for number in dict.fromkeys(proposed.notes)]
    return SuggestedClaim(chosen, proposed.subject, proposed.relation, proposed.target)


def _answer_tokens(batch: Sequence[Group]) -> int:
    notes = sum(len(group.memories) for group in batch)
    return min(MAX_ANSWER_TOKENS, ANSWER_TOKENS_A_NOTE * notes)


def _cost(answers: Sequence[_Answered], calls: int, estimated: int) -> DreamCost:
    paid = [answer.completion for answer in answers if answer.completion is not None]
    return DreamCost(
        model_calls=len(answers),
        prompt_tokens=sum(one.prompt_tokens for one in paid),
        completion_tokens=sum(one.completion_tokens for one in paid),
        estimated_calls=calls,
        estimated_tokens=estimated,
    )


def _reason(answers: Sequence[_Answered]) -> str | None:
    return next((answer.reason for answer in answers if answer.reason), None)
