"""Extraction: statements of one segment, by rules and by a small model whose every word is checked.

What the rules read for certain stands as they read it, and a segment that holds nothing else costs
no call. Of the rest the model is asked, once a segment and once more when its answer breaks the
schema; it may pass over what has no name, number or date. Rules answer for the segment when there
is no model, when it does not answer, and when it breaks the schema twice; and for each turn of
which it proposed only what was not said. A model that is wrong at least as often as it is right is
not believed about anything that it passed over.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from lightmem.errors import InvalidModelOutput, ModelUnavailable
from lightmem.model import Completion, Extraction, Message, Role, Statement, Turn
from lightmem.ports import LanguageModel
from lightmem_writer.certain import certain, has_detail, is_told, overlaps
from lightmem_writer.compress import compress
from lightmem_writer.ground import Rejected, Segment, grounded
from lightmem_writer.language import language_of, language_of_segment
from lightmem_writer.prompts import (
    ProposedStatement,
    again_messages,
    extraction_messages,
    extraction_schema,
    parse_proposal,
)
from lightmem_writer.rules import extract_by_rules
from lightmem_writer.sensory import Line, thin

logger = logging.getLogger(__name__)

#: Room for an answer, by sentence and in all.
ANSWER_TOKENS_A_LINE, MAX_ANSWER_TOKENS = 60, 1024
#: UTF-8 bytes that a token stands for at least, so that a prompt surely fits.
BYTES_A_TOKEN = 2
#: A model that did not answer is left alone for so long.
PAUSE_S = 30.0
#: A second call that could not finish is not begun.
MIN_RETRY_S = 1.0


@dataclass(slots=True)
class _Spent:
    """What the model cost so far, and what it was spared."""

    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    said_tokens: int = 0
    read_tokens: int = 0
    is_valid_at_once: bool | None = None

    def add(self, completion: Completion) -> None:
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens


@dataclass(slots=True)
class _Checked:
    """Proposals after the checks: what passed, and why the rest did not."""

    statements: list[Statement] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    #: Turns of which something was proposed, all of it wrongly.
    failed_turns: set[str] = field(default_factory=set)

    @property
    def is_unreliable(self) -> bool:
        """Whether the model was wrong at least as often as it was right."""
        return len(self.reasons) >= len(self.statements)


class ExtractStatements:
    """Draws statements from the turns of one segment.

    Args:
        model: None extracts by rules alone.
        timeout_s: Within which the model answers, its retry included.
        context_tokens: What the model takes in, prompt and answer together. A segment that
            does not fit is extracted by rules, whole, rather than cut.
        count_tokens: Counts what was said and what of it the model reads.
        compression_ratio: Share of what is worth reading that the model reads; 1 is all of it.
        monotonic: Seconds that only grow, for the pause after a failure.
    """

    def __init__(
        self,
        model: LanguageModel | None,
        *,
        timeout_s: float = 120.0,
        context_tokens: int = 4096,
        count_tokens: Callable[[str], int] | None = None,
        compression_ratio: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._prompt_bytes = BYTES_A_TOKEN * (context_tokens - MAX_ANSWER_TOKENS)
        self._count_tokens = count_tokens or (lambda text: 0)
        self._compression_ratio = compression_ratio
        self._monotonic = monotonic
        self._paused_until = float("-inf")

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        """Statements with verbatim quotes of `turns`; `context` is read but never quoted.

        `system` turns are neither read nor quoted. It does not fail for want of a model.
        """
        turns = [turn for turn in turns if turn.role is not Role.SYSTEM]
        context = [turn for turn in context if turn.role is not Role.SYSTEM]
        if not turns:
            return Extraction(())
        # In threads, so that a long segment holds up nobody else's recall.
        by_rules = await asyncio.to_thread(_ByRules.of, turns)
        if self._model is None:
            return by_rules.alone(_Spent(), None)
        if self._monotonic() < self._paused_until:
            return by_rules.alone(_Spent(), "model unavailable")
        return await self._by_model(self._model, turns, context, by_rules)

    async def _by_model(
        self,
        model: LanguageModel,
        turns: Sequence[Turn],
        context: Sequence[Turn],
        by_rules: "_ByRules",
    ) -> Extraction:
        spent = _Spent()
        lines = await asyncio.to_thread(self._read, turns, spent)
        if all(is_told(line, by_rules.certain) for line in lines):
            spent.read_tokens = 0
            return by_rules.alone(spent, None)
        messages = extraction_messages(lines, context)
        if sum(len(message.content.encode()) for message in messages) > self._prompt_bytes:
            return by_rules.alone(_Spent(), "segment longer than the model takes")
        try:
            proposed = await self._proposed(model, messages, lines, spent)
        except ModelUnavailable as exc:
            self._paused_until = self._monotonic() + PAUSE_S
            logger.warning("extracting by rules: %s", exc.message)
            return by_rules.alone(spent, "model unavailable")
        except InvalidModelOutput:
            return by_rules.alone(spent, "model answered outside the schema")
        if not proposed:
            return by_rules.alone(spent, "model found nothing")
        checked = await asyncio.to_thread(_checked, proposed, Segment.of(turns, lines))
        return by_rules.beside(checked, spent)

    def _read(self, turns: Sequence[Turn], spent: _Spent) -> list[Line]:
        """What the model reads of the turns, and the count of what that saves."""
        fallback = language_of_segment(turns)
        lines = thin(turns)
        languages = [language_of(line.turn, fallback=fallback) for line in lines]
        lines = compress(lines, ratio=self._compression_ratio, languages=languages)
        spent.said_tokens = sum(self._count_tokens(turn.content) for turn in turns)
        spent.read_tokens = sum(self._count_tokens(line.text) for line in lines)
        return lines

    async def _proposed(
        self, model: LanguageModel, messages: list[Message], lines: Sequence[Line], spent: _Spent
    ) -> list[ProposedStatement]:
        """What the model proposes, at the second try if need be."""
        deadline = self._monotonic() + self._timeout_s
        answer = await self._ask(model, messages, lines, spent, self._timeout_s)
        try:
            proposed = parse_proposal(answer.text, lines=len(lines))
        except InvalidModelOutput:
            spent.is_valid_at_once = False
            left_s = deadline - self._monotonic()
            if left_s < MIN_RETRY_S:
                raise
        else:
            spent.is_valid_at_once = True
            return proposed
        again = await self._ask(model, again_messages(messages, answer.text), lines, spent, left_s)
        return parse_proposal(again.text, lines=len(lines))

    async def _ask(
        self,
        model: LanguageModel,
        messages: Sequence[Message],
        lines: Sequence[Line],
        spent: _Spent,
        timeout_s: float,
    ) -> Completion:
        spent.model_calls += 1
        completion = await model.complete(
            messages,
            max_tokens=min(MAX_ANSWER_TOKENS, ANSWER_TOKENS_A_LINE * (len(lines) + 1)),
            timeout_s=timeout_s,
            schema=extraction_schema(len(lines)),
        )
        spent.add(completion)
        return completion


def _checked(proposed: Sequence[ProposedStatement], segment: Segment) -> _Checked:
    checked = _Checked()
    passed: set[str] = set()
    for proposal in proposed:
        try:
            statement = grounded(proposal, segment)
        except Rejected as reason:
            checked.reasons.append(str(reason))
            checked.failed_turns.add(segment.lines[proposal.lines[0] - 1].turn.id)
            continue
        passed.add(statement.sources[0].turn_id)
        if all(statement.text != known.text for known in checked.statements):
            checked.statements.append(statement)
    checked.failed_turns -= passed
    return checked


@dataclass(frozen=True, slots=True)
class _ByRules:
    """What the rules read of a segment, and which of it stands whatever a model says."""

    turns: dict[str, Turn]
    statements: Sequence[Statement]
    certain: Sequence[Statement]

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> "_ByRules":
        by_id = {turn.id: turn for turn in turns}
        statements = extract_by_rules(turns)
        return cls(by_id, statements, certain(statements, by_id))

    def alone(self, spent: _Spent, reason: str | None) -> Extraction:
        return Extraction(self.statements, **asdict(spent), fallback_reason=reason)

    def beside(self, checked: _Checked, spent: _Spent) -> Extraction:
        """What passed of the model's, and what it could not be believed to have passed over."""
        kept = [one for one in checked.statements if not overlaps(one, self.certain)]
        settled = [one for one in checked.statements if overlaps(one, self.certain)]
        own = [
            one
            for one in self.statements
            if one in self.certain
            or (not overlaps(one, kept) and self._is_needed(one, checked, settled))
        ]
        return Extraction(
            statements=sorted([*kept, *own], key=self._place),
            **asdict(spent),
            fallback_reason=None if checked.statements else "nothing the model said held",
            rejected=tuple(checked.reasons),
        )

    def _place(self, statement: Statement) -> tuple[int, int]:
        """Where a statement was said."""
        source = statement.sources[0]
        turn = self.turns[source.turn_id]
        return list(self.turns).index(turn.id), turn.content.find(source.quote)

    def _is_needed(
        self, statement: Statement, checked: _Checked, settled: Sequence[Statement]
    ) -> bool:
        """Whether a statement that the model did not make is kept all the same."""
        turn_id = statement.sources[0].turn_id
        if checked.is_unreliable or turn_id in checked.failed_turns:
            return True
        return has_detail(statement, self.turns[turn_id]) or overlaps(statement, settled)
